// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Cut.h - cuts along a dimension ========================================//
//
// Duty: chooses the shape in which a value is cut along a dimension. Threads: pure functions.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/import/onnx/operators/Operator.h"

namespace windlass::onnx {

/// A shape in which a value can be cut along `axis`: the shape in which it was written, if that has the axis
/// last.
struct Cut {
  Shape shape;
  int64_t axis;
};

Cut cutOf(OpView &op, Writer &writer, size_t input, int64_t axis);

/// A shape with another extent along `axis`.
Shape withExtent(Shape shape, int64_t axis, int64_t extent);

} // namespace windlass::onnx
