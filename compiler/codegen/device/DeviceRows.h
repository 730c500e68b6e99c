// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- DeviceRows.h - the loops over rows become blocks of threads ===========//
//
// Duty: finds the loops over rows of a function as LowerKernel leaves it, deals rows and
// what is to be done of each out to the threads of a launch, and takes the loops away: what
// is left is what one thread does of one row.
// Errors: diagnostics on the function, for work that is not of this form.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/codegen/device/DeviceGrid.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace windlass::codegen {

mlir::InFlightDiagnostic deviceError(mlir::func::FuncOp function);
/// The range that a launch runs.
mlir::Value rangeBegin(mlir::func::FuncOp function);
mlir::Value rangeEnd(mlir::func::FuncOp function);

/// What the threads of a block do: tasks, each by so many of them.
struct BlockTasks {
  int64_t tasks, threadsEach;
};

/// What one thread is given.
struct Share {
  DeviceGrid grid;
  mlir::Value isActive;                ///< false: nothing
  llvm::SmallVector<mlir::Value> rows; ///< indices of the loops
  mlir::Value task;                    ///< of the row
};

/// Loops that stand one in the other, each alone among the loops of its block, the outermost over the range.
struct RowNest {
  /// An outermost loop over strips is the last, and no loop over rows.
  static mlir::FailureOr<RowNest> find(mlir::func::FuncOp function);

  /// The range is one of the innermost dimension itself. What is done of it may be cut into bands besides.
  bool isCut() const { return loops.empty() && !single && parts.empty() && !strips; }
  /// Rows for each index of the range.
  int64_t innerRows() const;

  /// Deals out `rowTasks` tasks of every row, neighbours to neighbours. The builder stands at the function's
  /// beginning.
  Share deal(mlir::OpBuilder &builder, int64_t rowTasks, BlockTasks block);
  /// Moves the bodies of the loops to where they stood; `rows` become the loops' indices, or that of the
  /// bands.
  void takeApart(mlir::ValueRange rows);

  mlir::func::FuncOp function;
  llvm::SmallVector<mlir::scf::ForOp> loops;
  llvm::SmallVector<int64_t> extents;        ///< of the loops; 0 for the outermost, which has the range
  mlir::scf::IfOp single;                    ///< one row in all
  llvm::SmallVector<mlir::scf::ForOp> parts; ///< in place of loops: each over a part of the range
  mlir::scf::ForOp bands;                    ///< around all where the range is cut; nothing orders them
  mlir::scf::ForOp strips;                   ///< over strips of a dimension, in the innermost of the loops
};

} // namespace windlass::codegen
