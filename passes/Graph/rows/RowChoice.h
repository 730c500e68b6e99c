// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- RowChoice.h - what a rank computes for its own rows alone ===========//
//
// Duty: says of a block, as `parallelise` leaves it, which ops each rank can run on its own rows of values
// that lie whole: sums of terms come in rows as well as whole, and from there on go all ops that compute
// every row by itself, up to those that need all rows. Parameters that they read vary: each rank has the
// terms of their gradients that its rows make. Threads, ownership: refers to the block, which must not change
// before the choice was applied (RowRewrite.h).
//
//===----------------------------------------------------------------------===//
#pragma once

#include "dialects/Graph/IR/GraphCalls.h"
#include "passes/Graph/rows/OwnRows.h"
#include "llvm/ADT/MapVector.h"

namespace windlass::graph {

/// What calls give to a function and take from it: which arguments and results come in rows.
struct RowBoundary {
  llvm::SmallVector<bool> arguments, results;
};
using RowBoundaries = llvm::DenseMap<mlir::Operation *, RowBoundary>; ///< by function

/// Of a function: what its arguments are.
struct ArgumentKinds {
  llvm::SmallVector<bool> areWhole;   ///< on every rank alike
  llvm::SmallVector<bool> areReached; ///< something trained lies behind them
  llvm::SmallVector<bool> areParameters;
};

class RowChoice {
public:
  /// Of a function with arguments of these kinds, of which those that `inRows` says come in rows.
  RowChoice(mlir::Block &block, int64_t ranks, const RowBoundaries &called, const ArgumentKinds &kinds = {},
            llvm::ArrayRef<bool> inRows = {});

  bool isInRows(mlir::Value value) const { return rows.contains(value); }
  /// Values with something trained behind them.
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
