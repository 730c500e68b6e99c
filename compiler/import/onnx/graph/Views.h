// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Views.h - values that are other values in another shape =============//
//
// Duty: looks through nodes that move no element: reshapes of every kind.
// Threads: pure functions.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/import/onnx/graph/Model.h"

namespace windlass::onnx {

/// Whether a node only gives its first input another shape.
bool isView(const Node &node);

/// Columns [begin, begin + width) of a whole.
struct Columns {
  ValueId whole = kAbsent;
  int64_t begin = 0, width = 0;
};

/// For a part that Split or Slice took from the last dimension; nothing for any other value, or none.
Columns columnsOf(const Graph &graph, ValueId id);

/// The value whose elements `id` shows, in whatever shape.
ValueId viewed(const Graph &graph, ValueId id);

} // namespace windlass::onnx
