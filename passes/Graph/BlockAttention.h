// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- BlockAttention.h - limits on scores of attention ======================//
//
// Duty: the range of limits that the pass `block-attention` takes, for checks of a user's limit.
// Units: bytes of scores, in f32, over the batch and heads of one attention. Threads, ownership: as MLIR's.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/BuiltinOps.h"

namespace windlass::graph {

struct AttentionLimits {
  /// The bytes of all scores of the largest attention: a limit of at least this changes nothing. 0: the
  /// module has no attention.
  int64_t most = 0;
  int64_t least = 0; ///< the least limit that every attention can keep
};

AttentionLimits attentionLimits(mlir::ModuleOp module);

} // namespace windlass::graph
