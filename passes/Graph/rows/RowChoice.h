// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- RowChoice.h - ops that each rank runs on its own rows =================//
//
// Duty: chooses the ops of a block, as `parallelise` leaves it, that each rank runs on its own rows of whole
// values. Sums of terms can come in rows instead of whole. From there on every op that computes each row by
// itself runs on rows, up to ops that need all rows. Parameters that such ops read become varied: the
// gradient on a rank is the term that its rows make.
// Threads, ownership: refers to the block, which must not change before the choice is applied (RowRewrite.h).
//
//===----------------------------------------------------------------------===//
#pragma once

#include "dialects/Graph/IR/GraphCalls.h"
#include "passes/Graph/rows/OwnRows.h"
#include "llvm/ADT/MapVector.h"

namespace windlass::graph {

/// By argument and by result of a function: whether the value comes in a rank's rows.
struct RowBoundary {
  llvm::SmallVector<bool> arguments, results;
};
using RowBoundaries = llvm::DenseMap<mlir::Operation *, RowBoundary>; ///< by function

/// The kinds of the arguments of a function.
struct ArgumentKinds {
  llvm::SmallVector<bool> areWhole;   ///< the same on every rank
  llvm::SmallVector<bool> areReached; ///< depends on a trained parameter
  llvm::SmallVector<bool> areParameters;
};

class RowChoice {
public:
  /// The choice for a block. `called`: the boundaries of the functions that it calls. Of a function: the
  /// `kinds` of its arguments, and which of them are in rows (`inRows`).
  RowChoice(mlir::Block &block, int64_t ranks, const RowBoundaries &called, const ArgumentKinds &kinds = {},
            llvm::ArrayRef<bool> inRows = {});

  bool isInRows(mlir::Value value) const { return rows.contains(value); }
  /// Whether a value depends on a trained parameter.
  bool isReached(mlir::Value value) const { return reached.contains(value); }
  /// The ops, in program order, and how each reads its operands.
  const llvm::MapVector<mlir::Operation *, SplitWay> &ops() const { return ways; }

private:
  void visit(mlir::Operation *op);
  bool isWholeOp(mlir::Operation *op) const;
  void pullProducers();
  bool mayPull(mlir::Operation *producer) const;

  int64_t ranks;
  const RowBoundaries *called;
  llvm::DenseSet<mlir::Value> rows, whole, reached;
  llvm::MapVector<mlir::Operation *, SplitWay> ways;
};

} // namespace windlass::graph
