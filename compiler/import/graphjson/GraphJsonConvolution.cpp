// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Convolutions: windows of a padded image as columns, times the kernel.

#include "compiler/import/graphjson/GraphJsonWindows.h"

using namespace mlir;
using namespace windlass::graph;

namespace windlass {
namespace {

/// The elements of each window as a column, by group: a tensor of group, channel, window, batch, output. The
/// outputs are the innermost dimensions, so that they are contiguous in memory.
Value buildColumns(GraphJsonOp &op, const Windows &windows, Value image, int64_t groups) {
  Shape whole(typeOf(image).getShape()), split{whole[0], groups, whole[1] / groups};
  split.append(whole.begin() + 2, whole.end());
  image = buildReshape(op.builder, op.loc, image, split);
  unsigned rank = windows.rank(), batch = 2 + rank;
  Shape columns{groups, split[2]};
  llvm::append_range(columns, windows.kernel);
  columns.push_back(whole[0]);
  llvm::append_range(columns, windows.out);
  auto d = [&](unsigned loop) { return op.builder.getAffineDimExpr(loop); };
  SmallVector<AffineExpr> indices{d(batch), d(0), d(1)};
  for (unsigned i = 0; i < rank; ++i)
    indices.push_back(windowIndex(op, windows, i, batch + 1 + i, 2 + i));
  return buildMap(op.builder, op.loc, image, AffineMap::get(columns.size(), 0, indices, op.context()),
                  tensorType(columns, op.f32()), [](const Scalars &, ValueRange x) { return x[0]; });
}

/// The products group x channel x (batch, output) as batch x channels x output, plus the bias.
Value placeProducts(GraphJsonOp &op, const Windows &windows, Value products) {
  int64_t batch = op.dim(0, 0), groups = typeOf(products).getDimSize(0);
  int64_t channels = groups * typeOf(products).getDimSize(1);
  Shape split{groups, channels / groups, batch}, image{batch, groups, channels / groups};
  llvm::append_range(split, windows.out);
  llvm::append_range(image, windows.out);
  SmallVector<unsigned> order{2, 0, 1};
  for (unsigned d = 0; d < windows.rank(); ++d)
    order.push_back(3 + d);
  Value placed = buildTranspose(op.builder, op.loc, buildReshape(op.builder, op.loc, products, split), order);
  Shape result{batch, channels};
  llvm::append_range(result, windows.out);
  placed = buildReshape(op.builder, op.loc, placed, result);
  if (op.in.size() < 3)
    return placed;
  unsigned loops = result.size();
  return buildMap(op.builder, op.loc, {placed, op.in[2]},
                  {identityMap(op.context(), loops), loopsMap(op.context(), loops, {1})},
                  tensorType(result, op.f32()),
                  [](const Scalars &s, ValueRange x) { return s.add(x[0], x[1]); });
}

/// `kernel` is group x output x (channel, window).
Value convolve(GraphJsonOp &op, const Windows &windows, Value image, Value kernel) {
  ArrayRef<int64_t> factor = typeOf(kernel).getShape();
  int64_t places = op.dim(0, 0) * llvm::product_of(windows.out);
  Value columns = buildReshape(op.builder, op.loc, buildColumns(op, windows, image, factor[0]),
                               {factor[0], factor[2], places});
  Value products = MatmulOp::create(op.builder, op.loc, tensorType({factor[0], factor[1], places}, op.f32()),
                                    kernel, columns, false, false);
  return placeProducts(op, windows, products);
}

int64_t readGroups(GraphJsonOp &op) {
  return op.place.has("groups") ? op.place.at("groups").integer(1, INT32_MAX) : 1;
}

Values buildConvolution(GraphJsonOp &op) {
  int64_t groups = readGroups(op);
  if (!op.place.isOk() || !op.needFloats(1) || !op.needRank(1, 3))
    return {};
  std::optional<Windows> windows = readWindows(op, Shape(op.shape(1).drop_front(2)));
  int64_t channels = windows ? op.dim(0, 1) : 0, outputs = op.dim(1, 0);
  if (!windows ||
      !op.need(channels % groups == 0 && outputs % groups == 0 && op.dim(1, 1) == channels / groups, 1,
               "must be outputs x " + std::to_string(channels) + "/groups x window") ||
      (op.in.size() > 2 && !op.needVector(2, outputs)))
    return {};
  Value kernel =
      buildReshape(op.builder, op.loc, op.in[1], {groups, outputs / groups, op.dim(1, 1) * windows->size()});
  return {convolve(op, *windows, padImage(op, *windows, 0), kernel)};
}

//===----------------------------------------------------------------------===//
// Transposed convolution
//===----------------------------------------------------------------------===//

/// The windows of the convolution that goes over the spread-out image; nothing after a failure.
std::optional<Windows> readTransposedWindows(GraphJsonOp &op, const Shape &kernel) {
  if (!op.needFloats(0) ||
      !op.need(op.shape(0).size() == kernel.size() + 2, 0,
               "must be batch, channels and " + std::to_string(kernel.size()) + " dimensions"))
    return std::nullopt;
  size_t rank = kernel.size();
  Windows windows{
      kernel, windowList(op, "strides", rank, 1, 1), windowList(op, "dilations", rank, 1, 1), {}, {}, {}};
  Shape pads = windowList(op, "pads", 2 * rank, 0, 0), extra = windowList(op, "output_padding", rank, 0, 0);
  for (size_t d = 0; d < rank && op.place.isOk(); ++d) {
    int64_t reach = windows.dilations[d] * (kernel[d] - 1) + 1;
    int64_t whole = (op.dim(0, d + 2) - 1) * windows.strides[d] + reach + extra[d];
    windows.out.push_back(whole - pads[d] - pads[rank + d]);
    if (pads[d] >= reach || pads[rank + d] >= reach + extra[d] || windows.out[d] < 1)
      op.place.at("pads").fail("must take away less than a window of " + std::to_string(reach));
    windows.before.push_back(reach - 1 - pads[d]);
  }
  return op.place.isOk() ? std::optional(windows) : std::nullopt;
}

/// The image with stride - 1 zeros between its elements, and as many around it as its windows reach.
Value spreadImage(GraphJsonOp &op, const Windows &windows) {
  Shape shape(op.shape(0)), before(2, 0), steps(2, 1);
  for (size_t d = 0; d < windows.rank(); ++d) {
    shape[d + 2] = windows.out[d] + windows.dilations[d] * (windows.kernel[d] - 1);
    before.push_back(windows.before[d]);
    steps.push_back(windows.strides[d]);
  }
  return PadOp::create(op.builder, op.loc, tensorType(shape, op.f32()), op.in[0], before, steps,
                       llvm::APFloat(0.0));
}

/// The kernel of channels x outputs/groups x window as group x output x (channel, window), each window
/// reversed.
Value turnKernel(GraphJsonOp &op, const Windows &windows, int64_t groups) {
  int64_t channels = op.dim(1, 0) / groups, outputs = op.dim(1, 1);
  Shape split{groups, channels, outputs}, turned{groups, outputs, channels};
  llvm::append_range(split, windows.kernel);
  llvm::append_range(turned, windows.kernel);
  auto loop = [&](unsigned d) { return op.builder.getAffineDimExpr(d); };
  SmallVector<AffineExpr> indices{loop(0), loop(2), loop(1)};
  for (size_t d = 0; d < windows.rank(); ++d)
    indices.push_back(windows.kernel[d] - 1 - loop(3 + d));
  Value kernel = buildMap(op.builder, op.loc, buildReshape(op.builder, op.loc, op.in[1], split),
                          AffineMap::get(split.size(), 0, indices, op.context()),
                          tensorType(turned, op.f32()), [](const Scalars &, ValueRange x) { return x[0]; });
  return buildReshape(op.builder, op.loc, kernel, {groups, outputs, channels * windows.size()});
}

/// A transposed convolution, as a convolution with stride 1 over the spread-out image.
Values buildTransposedConvolution(GraphJsonOp &op) {
  int64_t groups = readGroups(op);
  if (!op.place.isOk() || !op.needFloats(1) || !op.needRank(1, 3))
    return {};
  std::optional<Windows> windows = readTransposedWindows(op, Shape(op.shape(1).drop_front(2)));
  if (!windows ||
      !op.need(op.dim(1, 0) == op.dim(0, 1) && op.dim(1, 0) % groups == 0, 1,
               "must be " + std::to_string(op.dim(0, 1)) + " x outputs/groups x window") ||
      (op.in.size() > 2 && !op.needVector(2, op.dim(1, 1) * groups)))
    return {};
  Value image = spreadImage(op, *windows), kernel = turnKernel(op, *windows, groups);
  windows->strides.assign(windows->rank(), 1);
  return {convolve(op, *windows, image, kernel)};
}

constexpr GraphJsonEntry kConvolutionOps[] = {
    {"conv", "x, kernel, [bias]", "strides (1), pads (0: befores, then afters), dilations (1), groups (1)",
     "convolution of batch x channels x ...; the kernel is outputs x channels/groups x window",
     buildConvolution},
    {"conv_transpose", "x, kernel, [bias]",
     "strides (1), pads (0), dilations (1), groups (1), output_padding (0)",
     "transposed convolution; the kernel is channels x outputs/groups x window", buildTransposedConvolution},
};

} // namespace

llvm::ArrayRef<GraphJsonEntry> convolutionOps() { return kConvolutionOps; }

} // namespace windlass
