// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/import/graphjson/GraphJsonWindows.h"

using namespace mlir;
using namespace windlass::graph;

namespace windlass {

Shape windowList(GraphJsonOp &op, std::string_view key, size_t count, int64_t otherwise, int64_t least) {
  Shape list = op.place.has(key) ? op.integers(key) : Shape(count, otherwise);
  if (op.place.isOk() &&
      (list.size() != count || llvm::any_of(list, [&](int64_t v) { return v < least || v > INT32_MAX; })))
    op.place.at(key).fail("must be " + std::to_string(count) + " numbers from " + std::to_string(least));
  return list;
}

std::optional<Windows> readWindows(GraphJsonOp &op, const Shape &kernel) {
  if (!op.place.isOk() || !op.needFloats(0) ||
      !op.need(op.rank(0) >= 3 && op.shape(0).size() == kernel.size() + 2, 0,
               "must be batch, channels and " + std::to_string(kernel.size()) + " dimensions"))
    return std::nullopt;
  Windows windows{kernel,
                  windowList(op, "strides", kernel.size(), 1, 1),
                  windowList(op, "dilations", kernel.size(), 1, 1),
                  {},
                  {},
                  {}};
  Shape pads = windowList(op, "pads", 2 * kernel.size(), 0, 0);
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

AffineExpr windowIndex(GraphJsonOp &op, const Windows &windows, size_t d, unsigned output, unsigned window) {
  return op.builder.getAffineDimExpr(output) * windows.strides[d] +
         op.builder.getAffineDimExpr(window) * windows.dilations[d];
}

} // namespace windlass
