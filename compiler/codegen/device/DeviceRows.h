// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- DeviceRows.h - the loops over rows become blocks of threads ===========//
//
// Duty: finds the loops over rows of a function that lowerKernel() made, assigns rows and the tasks of each
// row to the threads of a launch, and removes the loops. The function then does the work of one thread on one
// row.
// Errors: diagnostics on the function, if its loops have another form.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/codegen/device/DeviceGrid.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace windlass::codegen {

/// An error on `function` whose text the caller ends: "kernel 'NAME': no device code is made of ".
mlir::InFlightDiagnostic deviceError(mlir::func::FuncOp function);
/// The begin and the end of the range of a launch: the last two arguments of `function`.
mlir::Value rangeBegin(mlir::func::FuncOp function);
mlir::Value rangeEnd(mlir::func::FuncOp function);

/// The tasks of a block, and the threads that do each of them together.
struct BlockTasks {
  int64_t tasks, threadsEach;
};

/// The part of the work of one thread, as values in the function.
struct Share {
  DeviceGrid grid;
  mlir::Value isActive;                ///< i1; false: the thread has no task
  llvm::SmallVector<mlir::Value> rows; ///< by loop: the index of the row
  mlir::Value task;                    ///< number of the task within the row
};

/// A nest of loops over rows. Each loop is the only loop in its block; the outermost runs over the range of
/// the launch. Some kernels have branches, parts or bands in place of these loops.
struct RowNest {
  /// The nest of `function`. A loop with another step than 1 runs over strips of a dimension, ends the nest,
  /// and is no loop over rows.
  static mlir::FailureOr<RowNest> find(mlir::func::FuncOp function);

  /// Whether there are no loops over rows: the range is part of the innermost dimension. `bands` may then
  /// stand around the work.
  bool isCut() const { return loops.empty() && !single && parts.empty() && !strips; }
  /// Rows per index of the range: the product of the extents of the inner loops.
  int64_t innerRows() const;

  /// Assigns the `rowTasks` tasks of every row to threads, neighbouring tasks to neighbouring threads.
  /// `builder` stands at the function's beginning.
  Share deal(mlir::OpBuilder &builder, int64_t rowTasks, BlockTasks block);
  /// Removes the loops: their bodies move to where the loops stood, and `rows` replace their indices, or the
  /// index of `bands`. A loop of `parts` becomes a branch that is taken if the row is in its part.
  void takeApart(mlir::ValueRange rows);

  mlir::func::FuncOp function;
  llvm::SmallVector<mlir::scf::ForOp> loops;
  llvm::SmallVector<int64_t> extents;        ///< of the loops; 0 for the outermost, whose extent is the range
  mlir::scf::IfOp single;                    ///< in place of loops: the kernel has one row in all
  llvm::SmallVector<mlir::scf::ForOp> parts; ///< in place of loops: each over a part of the range
  mlir::scf::ForOp bands;                    ///< around all work, if isCut(); in any order
  mlir::scf::ForOp strips;                   ///< over strips of a dimension, inside the innermost loop
};

} // namespace windlass::codegen
