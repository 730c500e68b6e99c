// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- AttentionCore.h - scores, softmax, dropout ==========================//
//
// Duty: finds, where attention is not one op, what it computes for every pair of tokens: from the product
// that makes the scores to the last map before they are multiplied with the values. It takes most of the
// bytes of a layer and little of its time, so it is what selective recomputation repeats.
// Attention that is one op keeps nothing of its core in any case: its gradient repeats it.
// Threads, ownership: as MLIR's.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/Block.h"
#include "llvm/ADT/SmallPtrSet.h"

namespace windlass::graph {

using OpSet = llvm::SmallPtrSet<mlir::Operation *, 16>;

OpSet findAttentionCore(mlir::Block &block);

} // namespace windlass::graph
