// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- GraphScalarAdjoints.h - derivatives inside a body =====================//
//
// Duty: reverse differentiation of one scalar body of arith and math ops.
// Threads, ownership: as MLIR's. Errors: an op without a rule fails with a
// diagnostic that names it.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "dialects/Graph/IR/GraphBuilders.h"

namespace windlass::graph {

/// The adjoints of scalars so far; a scalar without an entry has adjoint 0.
class ScalarAdjoints {
public:
  explicit ScalarAdjoints(Scalars scalars) : s(scalars) {}

  /// Adds `gradient` to the adjoint of `scalar`.
  void add(mlir::Value scalar, mlir::Value gradient);
  /// The adjoint of `scalar`, null if 0.
  mlir::Value of(mlir::Value scalar) const { return adjoints.lookup(scalar); }
  /// Propagates the adjoints of the results of `ops`, in program order, to the operands. The new ops are
  /// built at the place of the Scalars, which `ops` dominate.
  mlir::LogicalResult propagate(llvm::ArrayRef<mlir::Operation *> ops);

private:
  bool propagateArith(mlir::Operation *op, mlir::Value g);
  bool propagateSelection(mlir::Operation *op, mlir::Value g);
  bool propagateMath(mlir::Operation *op, mlir::Value g);
  void propagatePower(mlir::math::PowFOp op, mlir::Value g);

  Scalars s;
  llvm::DenseMap<mlir::Value, mlir::Value> adjoints;
};

} // namespace windlass::graph
