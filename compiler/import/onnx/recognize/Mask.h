// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Mask.h - what attention may not look at =============================//
//
// Duty: takes the mask off attention scores: added to them, or chosen by a Where;
// known before the run (then it may be causal, or nothing at all) or made of data.
// Threads: one graph, one thread.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/import/onnx/rewrite/Rewrite.h"
#include <optional>

namespace windlass::onnx {

struct Mask {
  ValueId added = kAbsent; ///< to the scores
  bool isCausal = false;
  /// What stands for a score that is hidden, where a choice puts it there; else it is added to the score.
  std::optional<double> hidden;
};

/// Whether a query may see no key at all, as far as is known before the run.
bool mayHideAll(const Graph &graph, const Mask &mask);

/// Whether any of the scores along a dimension, which becomes 1, is of what is seen.
ValueId seesAny(NodeMaker &maker, ValueId scores, int64_t axis);

/// Whether each query sees a key, of batch x heads x queries x 1, each of which may be 1; or with heads
/// behind queries.
ValueId seeingRows(NodeMaker &maker, const Mask &mask, bool headsLast);

/// Replaces masked scores by the scores themselves. False where there is a mask of another kind.
bool takeMask(NodeMaker &maker, ValueId &scores, Mask &mask);

/// Takes an operand that is added to the scores into the mask: numbers, or truth values for what may be seen.
bool addMask(NodeMaker &maker, ValueId operand, Mask &mask);

} // namespace windlass::onnx
