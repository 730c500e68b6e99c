// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Views.h - values that are other values in another shape ===============//
//
// Duty: looks through nodes that move no element: reshapes of every kind.
// Threads: pure functions.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/import/onnx/graph/Model.h"

namespace windlass::onnx {

/// Whether a node only reshapes its first input.
bool isView(const Node &node);

/// Columns [begin, begin + width) of a whole.
struct Columns {
  ValueId whole = kAbsent;
  int64_t begin = 0, width = 0;
};

/// The columns of a value that Split or Slice took from the last dimension; no whole for any other value.
Columns columnsOf(const Graph &graph, ValueId id);

/// The value that `id` is a reshape of; `id` itself if it is none.
ValueId viewed(const Graph &graph, ValueId id);

} // namespace windlass::onnx
