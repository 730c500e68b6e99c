// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Labels.h - the input that the labels of a loss come from ==============//
//
// Duty: finds the input behind the labels of a loss, and the labels of it that count. A causal language model
// is scored against its own tokens, shifted by one; the graph may shift them by slices and padding. Labels
// are counted before a step, so the input must be known. Threads: pure functions.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/import/onnx/graph/Model.h"

namespace windlass::onnx {

struct Labels {
  ValueId input = kAbsent; ///< kAbsent: the labels are no input, or not in its order
  int64_t first = 0;       ///< the first label of an example that counts
};

/// The labels of value `id`. Padding may only add the label `ignored`, which does not count.
Labels labelsOf(const Graph &graph, ValueId id, int64_t ignored);

/// The value that `id` has elements of, through slices, splits, padding, transposes, expansions, reshapes
/// and conversions between integers.
ValueId elementsBehind(const Graph &graph, ValueId id);

/// Whether elements of this input are indices of a look-up in a weight.
bool isLookedUp(const Graph &graph, ValueId input);

} // namespace windlass::onnx
