// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Labels.h - where the labels of a loss come from =====================//
//
// Duty: a causal language model is scored against its own tokens, shifted by one.
// Where the graph shifts them, by slices and padding, this finds the input behind
// them and which of its labels count: they are counted before a step.
// Threads: pure functions.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/import/onnx/graph/Model.h"

namespace windlass::onnx {

struct Labels {
  ValueId input = kAbsent; ///< kAbsent: they are not those of an input, in its order
  int64_t first = 0;       ///< the labels of an example before it are left out
};

/// `ignored` counts for nothing where it is added.
Labels labelsOf(const Graph &graph, ValueId id, int64_t ignored);

/// The value of which `id` holds some elements, in whatever shape.
ValueId elementsBehind(const Graph &graph, ValueId id);

/// Whether rows of a weight are looked up with elements of this input.
bool isLookedUp(const Graph &graph, ValueId input);

} // namespace windlass::onnx
