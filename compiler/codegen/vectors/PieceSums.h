// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- PieceSums.h - a kernel's sums in two functions ========================//
//
// Duty: the buffers of sums in two phases (docs/codegen.md, "Two phases"): the first function makes the sums
// of pieces, on many threads at once, and the second adds them up. The order of additions, and so all bits,
// stay the same.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace windlass::codegen {

/// The phase of a function. Whole: computes its sums in one launch. Pieces: computes the sums of pieces,
/// which are blocks of a row's elements, or blocks of the rows of each result. Total: adds up the sums of
/// pieces.
enum class SumPhase { Whole, Pieces, Total };

/// The buffers of the sums of pieces between the two phases; as arguments they follow the kernel's results.
struct PieceSums {
  SumPhase phase = SumPhase::Whole;
  int64_t count = 1;
  llvm::SmallVector<mlir::Value> buffers = {}; ///< by output; indexed by piece, then by result

  /// Gives a function the buffers of `count` pieces of a reduction for each of so many results, before its
  /// range.
  mlir::LogicalResult addBuffers(mlir::func::FuncOp function, mlir::linalg::GenericOp reduction,
                                 int64_t results);
  void store(mlir::OpBuilder &builder, mlir::Location loc, mlir::ValueRange sums, mlir::Value piece,
             mlir::Value result) const;
  llvm::SmallVector<mlir::Value> load(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value piece,
                                      mlir::Value result) const;
};

} // namespace windlass::codegen
