// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- AttentionCore.h - scores, softmax, dropout ============================//
//
// Duty: finds the core of an attention that is not one op: the ops on every pair of tokens, from the product
// that makes the scores to the last map before the product with the values. The core has most of the bytes of
// a layer and takes little of its time, so selective recomputation repeats it. An attention that is one op
// never keeps its core: its gradient repeats it. Threads, ownership: as MLIR's.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/Block.h"
#include "llvm/ADT/SmallPtrSet.h"

namespace windlass::graph {

using OpSet = llvm::SmallPtrSet<mlir::Operation *, 16>;

OpSet findAttentionCore(mlir::Block &block);

} // namespace windlass::graph
