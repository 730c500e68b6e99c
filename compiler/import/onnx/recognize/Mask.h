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

namespace windlass::onnx {

struct Mask {
  ValueId added = kAbsent; ///< to the scores
  bool isCausal = false;
};

/// Replaces masked scores by the scores themselves. False where there is a mask of another kind.
bool takeMask(NodeMaker &maker, ValueId &scores, Mask &mask);

/// Takes an operand that is added to the scores into the mask: numbers, or truth values for what may be seen.
bool addMask(NodeMaker &maker, ValueId operand, Mask &mask);

} // namespace windlass::onnx
