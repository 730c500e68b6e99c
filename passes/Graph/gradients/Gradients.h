// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Gradients.h - walking backwards over a block ========================//
//
// Duty: what a layer function and a step share when they are differentiated: which
// values the sources reach, which reach the loss, and the gradients found so far.
// Order: a gradient of several uses is the last use's, plus the one before it, and so on:
// the order in which the backward pass produces them. Products with tiles are a use together: each adds its
// gradient to that of the one before it, in f32, and the sum is rounded once.
// Threads, ownership: as MLIR's; one object per block that is differentiated.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "dialects/Graph/IR/GraphDialect.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

namespace windlass::graph {

using ValueSet = llvm::DenseSet<mlir::Value>;

/// True for tensors that can have a gradient.
bool isFloatTensor(mlir::Value value);

/// The float values of `block` to which a gradient of `sources` flows, the sources among them.
ValueSet findReached(mlir::Block &block, mlir::ValueRange sources);

/// The values of `block` from which a gradient flows to `targets`, the targets among them.
ValueSet findReaching(mlir::Block &block, mlir::ValueRange targets);

class Gradients {
public:
  /// `reached`: the values that get gradients.
  explicit Gradients(ValueSet reached) : reached(std::move(reached)) {}

  bool needs(mlir::Value value) const { return reached.contains(value); }

  /// Keeps the gradients of the uses of `value` apart, instead of adding them.
  void keepApart(mlir::Value value) { apart[value]; }
  /// The gradients of the uses of `value`, in program order of the uses.
  llvm::SmallVector<mlir::Value> takeUses(mlir::Value value);

  /// One more use of `value` has this gradient; nothing if it is null or not needed.
  void add(mlir::OpBuilder &builder, mlir::Value value, mlir::Value gradient);
  /// The gradient, null if none, once all uses have been seen.
  mlir::Value take(mlir::OpBuilder &builder, mlir::Value value);

  /// Builds the adjoint of one op, if a gradient reaches its results and it has one to give.
  mlir::LogicalResult differentiate(mlir::OpBuilder &builder, mlir::Operation *op);

private:
  bool addProduct(mlir::Value value, mlir::Value gradient);

  ValueSet reached;
  llvm::DenseMap<mlir::Value, mlir::Value> sums;
  llvm::DenseMap<mlir::Value, mlir::Value> products; ///< sums over tiles
  llvm::DenseMap<mlir::Value, llvm::SmallVector<mlir::Value>> apart;
};

} // namespace windlass::graph
