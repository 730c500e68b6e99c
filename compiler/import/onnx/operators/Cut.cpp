// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/import/onnx/operators/Cut.h"

#include "compiler/import/onnx/operators/Formula.h"

namespace windlass::onnx {

Cut cutOf(OpView &op, Writer &writer, size_t input, int64_t axis) {
  const Shape &shape = op.shape(input), held = writer.held(op.in(input));
  const bool isLast = axis + 1 == op.rank(input) && !held.empty() && held.back() == shape.back();
  return isLast ? Cut{held, static_cast<int64_t>(held.size()) - 1} : Cut{shape, axis};
}

Shape withExtent(Shape shape, int64_t axis, int64_t extent) {
  shape[static_cast<size_t>(axis)] = extent;
  return shape;
}

} // namespace windlass::onnx
