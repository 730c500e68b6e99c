// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- AttentionScores.h - tensors with a number per pair of tokens ==========//
//
// Duty: finds the tensors that have a number for every pair of tokens, after attention was decomposed to
// products, a softmax and maps: the scores, and the results of softmax and maps of scores with as many
// elements. A device with one kernel for attention keeps these tensors on the chip, block by block, and moves
// none of their bytes. A product makes scores if it is batched and only its second operand is transposed:
// linear layers have no batch, and the other products of an attention do not transpose their second operand.
// Threads, ownership: as MLIR's.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/Block.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/StringRef.h"

namespace windlass::graph {

/// On a kernel, if the device keeps scores on the chip: the positions of scores among its arguments and then
/// its results. Their bytes are not moved.
inline constexpr llvm::StringLiteral kOnChip = "windlass.on_chip";

using ScoreSet = llvm::DenseSet<mlir::Value>;

/// The scores among the results of `ops`. `computed`: the graph op that an op computes, itself or in the
/// kernel that it launches; null if none.
ScoreSet findScores(llvm::iterator_range<mlir::Block::iterator> ops,
                    llvm::function_ref<mlir::Operation *(mlir::Operation &)> computed);

/// The positions of scores among the operands and then the results of `op`.
llvm::SmallVector<int64_t> scorePositions(mlir::Operation *op, const ScoreSet &scores);

} // namespace windlass::graph
