// Convolutions and pooling: windows of a padded image, multiplied or reduced.

#include "compiler/import/GraphJsonOp.h"

#include <limits>

using namespace mlir;
using namespace windlass::graph;

namespace windlass {
namespace {

/// How a window goes over the spatial dimensions of x, which is batch, channels, then those.
struct Windows {
  Shape kernel, strides, dilations, before, after, out;

  size_t rank() const { return kernel.size(); }
  int64_t size() const { return llvm::product_of(kernel); }
  bool isPadded() const {
    return llvm::any_of(before, [](int64_t p) { return p > 0; }) ||
           llvm::any_of(after, [](int64_t p) { return p > 0; });
  }
};

Shape listOf(GraphJsonOp &op, std::string_view key, size_t count, int64_t otherwise, int64_t least) {
  Shape list = op.place.has(key) ? op.integers(key) : Shape(count, otherwise);
  if (op.place.isOk() &&
      (list.size() != count || llvm::any_of(list, [&](int64_t v) { return v < least || v > INT32_MAX; })))
    op.place.at(key).fail("must be " + std::to_string(count) + " numbers from " + std::to_string(least));
  return list;
}

/// Reads the keys; nothing after a failure.
std::optional<Windows> readWindows(GraphJsonOp &op, const Shape &kernel) {
  if (!op.place.isOk() || !op.needFloats(0) ||
      !op.need(op.rank(0) >= 3 && op.shape(0).size() == kernel.size() + 2, 0,
               "must be batch, channels and " + std::to_string(kernel.size()) + " dimensions"))
    return std::nullopt;
  Windows windows{kernel,
                  listOf(op, "strides", kernel.size(), 1, 1),
                  listOf(op, "dilations", kernel.size(), 1, 1),
                  {},
                  {},
                  {}};
  Shape pads = listOf(op, "pads", 2 * kernel.size(), 0, 0);
  if (!op.place.isOk())
    return std::nullopt;
  for (size_t d = 0; d < kernel.size(); ++d) {
    windows.before.push_back(pads[d]);
    windows.after.push_back(pads[kernel.size() + d]);
    int64_t whole = op.dim(0, d + 2) + windows.before[d] + windows.after[d],
            reach = windows.dilations[d] * (kernel[d] - 1) + 1;
    if (!op.need(whole >= reach, 0, "must hold a window of " + std::to_string(reach) + " in each dimension"))
      return std::nullopt;
    windows.out.push_back((whole - reach) / windows.strides[d] + 1);
  }
  return windows;
}

Value padImage(GraphJsonOp &op, const Windows &windows, double value) {
  if (!windows.isPadded())
    return op.in[0];
  Shape shape(op.shape(0)), before(2, 0);
  llvm::append_range(before, windows.before);
  for (size_t d = 0; d < windows.rank(); ++d)
    shape[d + 2] += windows.before[d] + windows.after[d];
  return PadOp::create(op.builder, op.loc, tensorType(shape, op.f32()), op.in[0], before,
                       Shape(shape.size(), 1), llvm::APFloat(value));
}

/// output * stride + window * dilation.
AffineExpr windowIndex(GraphJsonOp &op, const Windows &windows, size_t d, unsigned output, unsigned window) {
  return op.builder.getAffineDimExpr(output) * windows.strides[d] +
         op.builder.getAffineDimExpr(window) * windows.dilations[d];
}

//===----------------------------------------------------------------------===//
// Convolution
//===----------------------------------------------------------------------===//

/// Everything a window sees as a column, per group: group, channel, window, batch, output. The outputs are
/// innermost, where memory is contiguous.
Value buildColumns(GraphJsonOp &op, const Windows &windows, int64_t groups) {
  Value image = padImage(op, windows, 0);
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
Value placeProducts(GraphJsonOp &op, const Windows &windows, Value products, int64_t groups) {
  int64_t batch = op.dim(0, 0), channels = op.dim(1, 0);
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

Values buildConvolution(GraphJsonOp &op) {
  int64_t groups = op.place.has("groups") ? op.place.at("groups").integer(1, INT32_MAX) : 1;
  if (!op.place.isOk() || !op.needFloats(1) || !op.needRank(1, 3))
    return {};
  std::optional<Windows> windows = readWindows(op, Shape(op.shape(1).drop_front(2)));
  int64_t channels = windows ? op.dim(0, 1) : 0, outputs = op.dim(1, 0);
  if (!windows ||
      !op.need(channels % groups == 0 && outputs % groups == 0 && op.dim(1, 1) == channels / groups, 1,
               "must be outputs x " + std::to_string(channels) + "/groups x window") ||
      (op.in.size() > 2 && !op.needVector(2, outputs)))
    return {};
  int64_t depth = op.dim(1, 1) * windows->size(), places = op.dim(0, 0) * llvm::product_of(windows->out);
  Value columns =
      buildReshape(op.builder, op.loc, buildColumns(op, *windows, groups), {groups, depth, places});
  Value kernel = buildReshape(op.builder, op.loc, op.in[1], {groups, outputs / groups, depth});
  Value products =
      MatmulOp::create(op.builder, op.loc, tensorType({groups, outputs / groups, places}, op.f32()), kernel,
                       columns, false, false);
  return {placeProducts(op, *windows, products, groups)};
}

//===----------------------------------------------------------------------===//
// Pooling
//===----------------------------------------------------------------------===//

/// Combines every window. Loops: batch, channel, outputs but the last, the window, the last output.
Value reduceWindows(GraphJsonOp &op, const Windows &windows, Combine combine, Value image) {
  unsigned rank = windows.rank();
  auto outputLoop = [&](unsigned d) { return d + 1 < rank ? 2 + d : 1 + 2 * rank; };
  auto windowLoop = [&](unsigned d) { return 1 + rank + d; };
  Shape extents(2 + 2 * rank, 0), reduced, result{op.dim(0, 0), op.dim(0, 1)};
  extents[0] = result[0], extents[1] = result[1];
  SmallVector<AffineExpr> indices{op.builder.getAffineDimExpr(0), op.builder.getAffineDimExpr(1)};
  for (unsigned d = 0; d < rank; ++d) {
    extents[outputLoop(d)] = windows.out[d];
    extents[windowLoop(d)] = windows.kernel[d];
    reduced.push_back(windowLoop(d));
    result.push_back(windows.out[d]);
    indices.push_back(windowIndex(op, windows, d, outputLoop(d), windowLoop(d)));
  }
  ReduceOp reduce = buildReduce(op.builder, op.loc, combine, reduced, image,
                                AffineMap::get(extents.size(), 0, indices, op.context()),
                                TypeRange{tensorType(result, op.f32())},
                                [](const Scalars &, ValueRange x) { return SmallVector<Value>{x[0]}; });
  reduce.setExtents(extents);
  return reduce.getResult(0);
}

std::optional<Windows> readPool(GraphJsonOp &op) {
  Shape kernel = op.integers("kernel");
  if (op.place.isOk() &&
      (kernel.empty() || llvm::any_of(kernel, [](int64_t k) { return k < 1 || k > INT32_MAX; })))
    op.place.at("kernel").fail("must be one positive number or more");
  return readWindows(op, kernel);
}

Values buildMaxPool(GraphJsonOp &op) {
  std::optional<Windows> windows = readPool(op);
  if (!windows)
    return {};
  Value image = padImage(op, *windows, -static_cast<double>(std::numeric_limits<float>::max()));
  return {reduceWindows(op, *windows, Combine::Max, image)};
}

/// How many elements of the image itself every window holds, row by row.
SmallVector<double> countInside(const Windows &windows, ArrayRef<int64_t> image) {
  SmallVector<double> counts{1};
  for (size_t d = 0; d < windows.rank(); ++d) {
    SmallVector<double> all;
    for (double outer : counts)
      for (int64_t o = 0; o < windows.out[d]; ++o) {
        int64_t inside = 0;
        for (int64_t k = 0; k < windows.kernel[d]; ++k) {
          int64_t at = o * windows.strides[d] + k * windows.dilations[d] - windows.before[d];
          inside += at >= 0 && at < image[d];
        }
        all.push_back(outer * static_cast<double>(inside));
      }
    counts = all;
  }
  return counts;
}

Values buildAveragePool(GraphJsonOp &op) {
  constexpr int64_t kMostCounts = 1 << 16;
  bool countsPad = op.flag("count_include_pad");
  std::optional<Windows> windows = readPool(op);
  if (!windows)
    return {};
  Value sum = reduceWindows(op, *windows, Combine::Sum, padImage(op, *windows, 0));
  unsigned loops = op.rank(0);
  if (countsPad || !windows->isPadded())
    return {buildElementwise(op.builder, op.loc, sum, typeOf(sum), [&](const Scalars &s, ValueRange x) {
      return s.div(x[0], s.like(x[0], static_cast<double>(windows->size())));
    })};
  if (!op.need(llvm::product_of(windows->out) <= kMostCounts, 0,
               "must have at most 65536 windows where padding is not counted"))
    return {};
  Value counts = buildLiterals(op.builder, op.loc, tensorType(windows->out, op.f32()),
                               countInside(*windows, op.shape(0).drop_front(2)));
  SmallVector<unsigned> spatial = llvm::to_vector(llvm::seq<unsigned>(2, loops));
  return {buildMap(op.builder, op.loc, {sum, counts},
                   {identityMap(op.context(), loops), loopsMap(op.context(), loops, spatial)}, typeOf(sum),
                   [](const Scalars &s, ValueRange x) { return s.div(x[0], x[1]); })};
}

Values buildGlobalAveragePool(GraphJsonOp &op) {
  if (!op.needFloats(0) || !op.needRank(0, 3))
    return {};
  Shape dims, shape(op.shape(0).take_front(2));
  double count = 1;
  for (int64_t d = 2; d < op.rank(0); ++d) {
    dims.push_back(d);
    count *= static_cast<double>(op.dim(0, d));
  }
  Value sum =
      buildReduce(op.builder, op.loc, Combine::Sum, dims, op.in[0], identityMap(op.context(), op.rank(0)),
                  tensorType(shape, op.f32()), [](const Scalars &, ValueRange x) { return x[0]; });
  Value mean = buildElementwise(op.builder, op.loc, sum, typeOf(sum), [&](const Scalars &s, ValueRange x) {
    return s.div(x[0], s.like(x[0], count));
  });
  shape.append(dims.size(), 1);
  return {buildReshape(op.builder, op.loc, mean, shape)};
}

constexpr GraphJsonEntry kConvolutionOps[] = {
    {"conv", "x, kernel, [bias]", "strides (1), pads (0: befores, then afters), dilations (1), groups (1)",
     "convolution of batch x channels x ...; the kernel is outputs x channels/groups x window",
     buildConvolution},
    {"max_pool", "x", "kernel, strides (1), pads (0), dilations (1)",
     "the largest of every window; each element that is gets the gradient", buildMaxPool},
    {"average_pool", "x", "kernel, strides (1), pads (0), dilations (1), count_include_pad (false)",
     "the mean of every window", buildAveragePool},
    {"global_average_pool", "x", "", "the mean of each channel, with dimensions of extent 1",
     buildGlobalAveragePool},
};

} // namespace

llvm::ArrayRef<GraphJsonEntry> convolutionOps() { return kConvolutionOps; }

} // namespace windlass
