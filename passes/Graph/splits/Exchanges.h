// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Exchanges.h - from one form of a value to another ===================//
//
// Duty: builds what brings a value that lies over ranks in one form into another. Exchanges move blocks of
// dimension 0; who has or wants other dimensions gathered has reshapes and a map around them.
// Threads, ownership: as MLIR's. Errors: none.
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
  /// A whole value, for ops that each rank runs a part of.
  mlir::Value vary(mlir::Value whole) const;
  /// All of a tensor of this shape, of which each rank has the part that the form says.
  mlir::Value gather(mlir::Value part, const SplitForm &form, llvm::ArrayRef<int64_t> shape) const;
  /// Each rank's part of a whole value; zero behind its end.
  mlir::Value cut(mlir::Value whole, const SplitForm &form) const;
  /// The own values of all ranks, stacked along a new leading dimension: ranks x the shape.
  mlir::Value stack(mlir::Value own) const;
};

} // namespace windlass::graph
