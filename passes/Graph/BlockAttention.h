// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- BlockAttention.h - what a limit on attention asks for ===============//
//
// Duty: which limits the pass `block-attention` takes, for whoever let a person choose one.
// Units: bytes of scores, in f32, over the batch and heads of one attention.
// Threads, ownership: as MLIR's.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/BuiltinOps.h"

namespace windlass::graph {

struct AttentionLimits {
  int64_t most =
      0; ///< all scores of the largest attention: under this limit nothing changes; 0: there is none
  int64_t least = 0; ///< the smallest block of every attention can be had
};

AttentionLimits attentionLimits(mlir::ModuleOp module);

} // namespace windlass::graph
