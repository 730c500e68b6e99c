// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- AttentionScores.h - what attention computes for pairs of tokens =====//
//
// Duty: finds the tensors of a block that have a number for every pair of tokens, once attention is products,
// a softmax and maps: the scores, and what maps and softmax make of as many numbers of them. A device that
// has attention as one kernel keeps them on the chip, block by block, and its memory sees none of their
// bytes. A product of scores is batched, of rows by rows: linear layers have no batch, and all other products
// of an attention take its second operand as it lies. Threads, ownership: as MLIR's.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/Block.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/StringRef.h"

namespace windlass::graph {

/// On a kernel of a machine whose device keeps them on the chip: which of its arguments and results, counted
/// on, are scores. Their bytes are not moved.
inline constexpr llvm::StringLiteral kOnChip = "windlass.on_chip";

using ScoreSet = llvm::DenseSet<mlir::Value>;

/// Of some ops in order. `computed`: the graph op that one of them computes, itself or that of the kernel
/// that it launches; null where there is none.
ScoreSet findScores(llvm::iterator_range<mlir::Block::iterator> ops,
                    llvm::function_ref<mlir::Operation *(mlir::Operation &)> computed);

/// Operands and results of an op that are scores, counted on.
llvm::SmallVector<int64_t> scorePositions(mlir::Operation *op, const ScoreSet &scores);

} // namespace windlass::graph
