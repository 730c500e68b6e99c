// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Mask.h - masks of attention scores ====================================//
//
// Duty: separates a mask from attention scores. The mask is added to the scores, or chosen by a Where. It is
// known before the run, and then perhaps causal or without effect, or it depends on data. Threads: one graph,
// one thread.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/import/onnx/rewrite/Rewrite.h"
#include <limits>
#include <optional>

namespace windlass::onnx {

struct Mask {
  ValueId added = kAbsent; ///< the tensor that is added to the scores
  bool isCausal = false;   ///< keys after the query are hidden, too
  /// The largest number that hides these keys. If it is finite, a query whose other keys are all hidden may
  /// see them.
  double later = -std::numeric_limits<double>::infinity();
  /// The number that replaces a hidden score, if a Where chooses it; nothing: the mask is added to the score.
  std::optional<double> hidden = {};
};

/// Whether some query may see no key. True if that is not known before the run.
bool mayHideAll(const Graph &graph, const Mask &mask);

/// Whether any score along a dimension, whose size becomes 1, is of a key that is seen.
ValueId seesAny(NodeMaker &maker, ValueId scores, int64_t axis);

/// Whether each of `queries` sees one of `keys`: batch x heads x queries x 1, where any extent may be 1; with
/// `headsLast`, batch x queries x heads x 1.
ValueId seeingRows(NodeMaker &maker, const Mask &mask, int64_t queries, int64_t keys, bool headsLast);

/// Takes the mask off `scores` and into `mask`. False if the mask has another form, or if it is a finite
/// causal mask and another, and a query may see later keys because all others are hidden. Attention has no
/// such mask: the later keys would count, but their scores would have no gradient.
bool takeMask(NodeMaker &maker, ValueId &scores, Mask &mask);

/// Adds an operand of an addition to scores to the mask: numbers, or truth values that are true for visible
/// keys.
bool addMask(NodeMaker &maker, ValueId operand, Mask &mask);

} // namespace windlass::onnx
