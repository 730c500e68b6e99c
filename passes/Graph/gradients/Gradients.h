// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Gradients.h - walking backwards over a block ==========================//
//
// Duty: the reverse differentiation of a block, for layer functions and steps: the values that depend on the
// sources, the values on which the loss depends, and the gradients so far. Order: the gradient of a value
// with several uses is that of the last use, plus that of the use before it, and so on: the order in which
// the backward pass makes them. Products with the tiles of one parameter count as one use: each adds its
// gradient to the sum of those before it, in f32, and the sum is rounded once. Threads, ownership: as MLIR's;
// one object per block that is differentiated.
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

  /// Adds the gradient of one more use of `value`; does nothing if `gradient` is null or not needed.
  void add(mlir::OpBuilder &builder, mlir::Value value, mlir::Value gradient);
  /// The gradient of `value`, null if none. All its uses must have been added.
  mlir::Value take(mlir::OpBuilder &builder, mlir::Value value);

  /// Builds the adjoint of one op, if its results have gradients and some operand needs one.
  mlir::LogicalResult differentiate(mlir::OpBuilder &builder, mlir::Operation *op);

private:
  bool addProduct(mlir::Value value, mlir::Value gradient);

  ValueSet reached;
  llvm::DenseMap<mlir::Value, mlir::Value> sums;
  llvm::DenseMap<mlir::Value, mlir::Value> products; ///< sums over tiles
  llvm::DenseMap<mlir::Value, llvm::SmallVector<mlir::Value>> apart;
};

} // namespace windlass::graph
