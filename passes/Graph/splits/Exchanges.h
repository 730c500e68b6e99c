// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Exchanges.h - exchanges between the forms of a value ==================//
//
// Duty: builds the ops that convert a value over ranks from one form to another. Exchanges move blocks of
// dimension 0; for other dimensions, reshapes and a map are built around them. Threads, ownership: as MLIR's.
// Errors: none.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "passes/Graph/splits/SplitShapes.h"

namespace windlass::graph {

struct ExchangeBuilder {
  mlir::OpBuilder &builder;
  mlir::Location loc;
  int64_t ranks;

  /// The sum of terms, on every rank.
  mlir::Value reduce(mlir::Value terms) const;
  /// A whole value, for ops of which each rank runs a part.
  mlir::Value vary(mlir::Value whole) const;
  /// The whole tensor, of shape `shape`, from each rank's part; `form`: the split of the tensor.
  mlir::Value gather(mlir::Value part, const SplitForm &form, llvm::ArrayRef<int64_t> shape) const;
  /// Each rank's part of a whole value; the padding of the last rank is 0.
  mlir::Value cut(mlir::Value whole, const SplitForm &form) const;
  /// The own values of all ranks, stacked along a new leading dimension: ranks x the shape.
  mlir::Value stack(mlir::Value own) const;
};

} // namespace windlass::graph
