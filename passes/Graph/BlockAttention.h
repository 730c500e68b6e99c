// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- BlockAttention.h - limits on scores of attention ====================//
//
// Duty: the range of limits that the pass `block-attention` takes, for those who check a user's limit.
// Units: bytes of scores, in f32, over the batch and heads of one attention. Threads, ownership: as MLIR's.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/BuiltinOps.h"

namespace windlass::graph {

struct AttentionLimits {
  /// All scores of the largest attention: a limit that is no less changes nothing. 0: the module has no
  /// attention.
  int64_t most = 0;
  int64_t least = 0; ///< the smallest block: the least limit of every attention can be had
};

AttentionLimits attentionLimits(mlir::ModuleOp module);

} // namespace windlass::graph
