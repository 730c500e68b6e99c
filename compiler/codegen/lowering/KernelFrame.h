// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- KernelFrame.h - builds the function of a kernel, and its loops ========//
//
// Duty: builds the function on buffers, (arguments, results, begin, end); its row loops, the outermost over
// [begin, end); the slices of buffers that one row touches; and linalg.generic ops on these.
//
// The loops of a kernel are the dimensions of its results. Some are opened as row
// loops, one may be cut to a part; the others, and the reduced loops of a
// reduction, are left whole to the linalg.generic.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Utils/StructuredOpsUtils.h"
#include "mlir/IR/Builders.h"

namespace windlass::codegen {

/// A part of a buffer, and the map from inner loops to its indices.
struct Slice {
  mlir::Value buffer;
  mlir::AffineMap map;
};

class KernelFrame {
public:
  using Body = llvm::function_ref<llvm::SmallVector<mlir::Value>(mlir::OpBuilder &, mlir::ValueRange)>;

  /// Declares the function in the module `into` and stands at the start of its body.
  KernelFrame(mlir::func::FuncOp kernel, mlir::ModuleOp into);

  mlir::ModuleOp module() { return function->getParentOfType<mlir::ModuleOp>(); }
  mlir::Value argument(mlir::Value tensor);
  mlir::Value result(unsigned number);

  /// Opens a loop over one dimension of the results; later operations are built inside of it.
  void openRows(unsigned loop, int64_t extent);
  /// Opens a loop over strips of one dimension, which stays a loop of the generics.
  void openStrips(unsigned loop, int64_t extent, int64_t width);
  /// The generics run one dimension over [begin, end).
  void cutToRange(unsigned loop);
  /// Opens a sequential loop that is no dimension of the results, and names it `loop`.
  void openSequential(unsigned loop, int64_t extent);
  /// Opens a loop over bands of equally many rows of a dimension (the last may have fewer), and in it a loop
  /// over the rows of a band, as `loop`. Returns the first row of a band and its number of rows.
  std::pair<mlir::Value, mlir::Value> openBands(unsigned loop, int64_t extent, int64_t bands);
  /// Closes the innermost loop: later operations are built behind it.
  void closeLoop();
  /// Opens a loop over the part of [begin, end) that lies in [from, to); the row counts from `from`.
  void openRowsWithin(unsigned loop, int64_t from, int64_t to);
  /// Fixes a loop to a value that is computed.
  void bindRow(unsigned loop, mlir::Value value) { rows[loop] = value; }
  /// Leaves a loop to the generics again.
  void releaseRow(unsigned loop) { rows.erase(loop); }
  mlir::Value row(unsigned loop) const { return rows.lookup(loop); }
  /// A kernel of one row in all: runs it if [begin, end) has it.
  void openSingleRow();

  /// Sets the loops of the next slices and generics: dimensions of the results, or reduced.
  void enter(llvm::ArrayRef<std::optional<unsigned>> loops, llvm::ArrayRef<int64_t> extents);
  /// The dimensions of the results.
  void enter(llvm::ArrayRef<int64_t> extents);

  /// The part of `buffer` that the current row touches. `map`: from loops to indices, each a constant plus a
  /// sum of loops times constants.
  Slice slice(mlir::Value buffer, mlir::AffineMap map);
  /// A slice that is not read. Its shape gives linalg the extents of reduced loops that only windows use.
  Slice shapeOfReduced();
  /// A temporary of one row: a scalar, or a strip of scalars.
  mlir::Value rowTemporary(mlir::Type type);
  Slice temporarySlice(mlir::Value temporary);
  /// The value of a loop, inside the body of a generic.
  mlir::Value loopIndex(mlir::OpBuilder &inside, unsigned loop);

  /// outputs = body(inputs) over the inner loops; the body also gets the outputs, last.
  void generic(llvm::ArrayRef<Slice> inputs, llvm::ArrayRef<Slice> outputs, Body body);
  /// Every element of each output = value(its type).
  void fill(llvm::ArrayRef<Slice> outputs,
            llvm::function_ref<mlir::Value(mlir::OpBuilder &, mlir::Type)> value);

  mlir::OpBuilder builder;
  mlir::Location loc;
  mlir::func::FuncOp function;
  mlir::Value begin, end;

private:
  struct Cut {
    unsigned loop;
    mlir::Value offset, size;
    int64_t width; ///< upper bound of the size; 0 if unknown
  };

  struct DimensionSlice;
  DimensionSlice sliceDimension(mlir::AffineExpr index);
  mlir::OpFoldResult offsetOf(mlir::AffineExpr known);
  mlir::OpFoldResult extentOf(unsigned loop) const;

  std::pair<mlir::Value, mlir::Value> nextRange(int64_t extent);
  bool isRow(std::optional<unsigned> loop) const { return loop && rows.contains(*loop); }
  bool isCut(std::optional<unsigned> loop) const { return loop && cut && cut->loop == *loop; }
  /// The position of a loop among those left to the generics.
  unsigned innerLoop(unsigned loop) const;

  mlir::func::FuncOp kernel;
  llvm::DenseMap<unsigned, mlir::Value> rows;
  std::optional<Cut> cut;
  llvm::SmallVector<std::optional<unsigned>> current;
  llvm::SmallVector<int64_t> extents; ///< of the current loops
};

} // namespace windlass::codegen
