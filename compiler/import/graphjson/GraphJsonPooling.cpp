// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Pooling: windows of a padded image, reduced.

#include "compiler/import/graphjson/GraphJsonWindows.h"

#include "llvm/Support/MathExtras.h"
#include <limits>

using namespace mlir;
using namespace windlass::graph;

namespace windlass {
namespace {

/// The sums of all windows. Loops: batch, channel, outputs but the last, the window, the last output.
Value sumWindows(GraphJsonOp &op, const Windows &windows, Value image) {
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
  ReduceOp reduce = buildReduce(op.builder, op.loc, Combine::Sum, reduced, image,
                                AffineMap::get(extents.size(), 0, indices, op.context()),
                                TypeRange{tensorType(result, op.f32())},
                                [](const Scalars &, ValueRange x) { return SmallVector<Value>{x[0]}; });
  reduce.setExtents(extents);
  return reduce.getResult(0);
}

/// The number of elements of window o of dimension d that are in the image, of this extent.
int64_t insideOf(const Windows &windows, size_t d, int64_t o, int64_t extent) {
  // The first element of the window is at -before; those at 0 to extent - 1 are inside.
  const int64_t before = windows.before[d] - o * windows.strides[d], dilation = windows.dilations[d];
  const int64_t first = std::max<int64_t>(0, llvm::divideCeilSigned(before, dilation)),
                end = std::min(windows.kernel[d], llvm::divideCeilSigned(before + extent, dilation));
  return std::max<int64_t>(0, end - first);
}

/// The first window of dimension d that lies in the padding alone; nothing if each holds elements of the
/// image, of this extent. A window that begins in the image does.
std::optional<int64_t> paddingWindow(const Windows &windows, size_t d, int64_t extent) {
  const int64_t last = windows.out[d] - 1;
  for (int64_t o = 0; o < last && o * windows.strides[d] < windows.before[d]; ++o)
    if (insideOf(windows, d, o, extent) == 0)
      return o;
  return insideOf(windows, d, last, extent) == 0 ? std::optional(last) : std::nullopt;
}

/// Checks that every window holds an element of x: padding has neither a largest element nor a mean.
bool needElements(GraphJsonOp &op, const Windows &windows) {
  for (size_t d = 0; d < windows.rank(); ++d)
    if (std::optional<int64_t> window = paddingWindow(windows, d, op.dim(0, d + 2))) {
      op.place.at("pads").fail("must leave an element of x in every window, but window " +
                               std::to_string(*window) + " of dimension " + std::to_string(d + 2) +
                               " lies in the padding alone");
      return false;
    }
  return true;
}

std::optional<Windows> readPool(GraphJsonOp &op) {
  Shape kernel = op.integers("kernel");
  if (op.place.isOk() &&
      (kernel.empty() || llvm::any_of(kernel, [](int64_t k) { return k < 1 || k > INT32_MAX; })))
    op.place.at("kernel").fail("must be one positive number or more");
  return readWindows(op, kernel);
}

/// The maxima at `out` places of dimension `dim`, `stride` apart: each of the elements at these offsets from
/// the place. If several elements are the largest, the first gets the gradient: at a tie, a maximum of two
/// gives it to the second operand.
Value maximum(GraphJsonOp &op, Value image, size_t dim, const Shape &offsets, int64_t stride, int64_t out) {
  Shape shape(typeOf(image).getShape());
  const auto loops = static_cast<unsigned>(shape.size());
  shape[dim] = out;
  SmallVector<AffineMap> maps;
  for (int64_t offset : offsets) {
    SmallVector<AffineExpr> indices;
    for (unsigned loop = 0; loop < loops; ++loop)
      indices.push_back(op.builder.getAffineDimExpr(loop));
    indices[dim] = indices[dim] * stride + offset;
    maps.push_back(AffineMap::get(loops, 0, indices, op.context()));
  }
  return buildMap(op.builder, op.loc, SmallVector<Value>(offsets.size(), image), maps,
                  tensorType(shape, op.f32()), [](const Scalars &s, ValueRange x) {
                    Value most = x.back();
                    for (Value earlier : llvm::reverse(x.drop_back()))
                      most = arith::MaximumFOp::create(s.builder, s.loc, most, earlier);
                    return most;
                  });
}

/// The maximum of each window along one dimension. A long window is combined from two overlapping halves, and
/// these from their halves, in a number of steps that is the logarithm of its length.
Value maximizeDimension(GraphJsonOp &op, const Windows &windows, size_t d, Value image) {
  constexpr int64_t kMostAtOnce = 8;
  const size_t dim = 2 + d;
  const int64_t kernel = windows.kernel[d], dilation = windows.dilations[d];
  int64_t held = 1; // each element is now the maximum of this many neighbours
  for (; held * kMostAtOnce < kernel; held *= 2)
    image = maximum(op, image, dim, {0, held * dilation}, 1, typeOf(image).getDimSize(dim) - held * dilation);
  Shape offsets;
  for (int64_t k = 0; k < kernel; k += held)
    offsets.push_back(std::min(k, kernel - held) * dilation);
  return maximum(op, image, dim, offsets, windows.strides[d], windows.out[d]);
}

/// Reduces dimension by dimension, the last one first, so that the first maximum in row-major order gets the
/// gradient.
Values buildMaxPool(GraphJsonOp &op) {
  std::optional<Windows> windows = readPool(op);
  if (!windows || !needElements(op, *windows))
    return {};
  Value image = padImage(op, *windows, -static_cast<double>(std::numeric_limits<float>::max()));
  for (size_t d = windows->rank(); d-- > 0;)
    if (windows->kernel[d] > 1 || windows->strides[d] > 1)
      image = maximizeDimension(op, *windows, d, image);
  return {image};
}

/// By window, in row-major order: the number of its elements that are in the image.
SmallVector<double> countInside(const Windows &windows, ArrayRef<int64_t> image) {
  SmallVector<double> counts{1};
  for (size_t d = 0; d < windows.rank(); ++d) {
    SmallVector<double> all;
    for (double outer : counts)
      for (int64_t o = 0; o < windows.out[d]; ++o)
        all.push_back(outer * static_cast<double>(insideOf(windows, d, o, image[d])));
    counts = all;
  }
  return counts;
}

Values buildAveragePool(GraphJsonOp &op) {
  constexpr int64_t kMostCounts = 1 << 16;
  bool countsPad = op.flag("count_include_pad");
  std::optional<Windows> windows = readPool(op);
  if (!windows || (!countsPad && !needElements(op, *windows)))
    return {};
  Value sum = sumWindows(op, *windows, padImage(op, *windows, 0));
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

constexpr GraphJsonEntry kPoolingOps[] = {
    {"max_pool", "x", "kernel, strides (1), pads (0), dilations (1)",
     "the largest element of every window, of which none may lie in the padding alone; of several equal ones "
     "the first gets the gradient",
     buildMaxPool},
    {"average_pool", "x", "kernel, strides (1), pads (0), dilations (1), count_include_pad (false)",
     "the mean of every window; without count_include_pad none may lie in the padding alone",
     buildAveragePool},
    {"global_average_pool", "x", "",
     "the mean of each channel; the dimensions after the channels have extent 1", buildGlobalAveragePool},
};

} // namespace

llvm::ArrayRef<GraphJsonEntry> poolingOps() { return kPoolingOps; }

} // namespace windlass
