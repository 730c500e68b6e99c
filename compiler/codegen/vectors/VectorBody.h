// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- VectorBody.h - the body of a linalg.generic on vectors ================//
//
// Duty: builds the operations of a linalg.generic for `width` consecutive values of its innermost loop:
// loads, the body, stores, and the combiners of a reduction. Width 1 means scalars. Values that are equal in
// all lanes stay scalar.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "dialects/Graph/IR/GraphDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/IRMapping.h"

namespace windlass::codegen {

class VectorBody {
public:
  explicit VectorBody(mlir::linalg::GenericOp generic);

  /// Sets the current value of a loop; null: it has none yet.
  void setLoop(unsigned loop, mlir::Value iv) { ivs[loop] = iv; }
  void setInnermost(mlir::Value iv) { ivs.back() = iv; }

  /// Sets the value of an input that is not in memory; null: the body does not use the input.
  void bind(mlir::OpOperand &input, mlir::Value value) { bound[&input] = value; }

  /// Sets the value of a condition of the body from now on.
  void assume(mlir::arith::CmpIOp condition, bool value) { assumed[condition] = value; }

  /// Loads every input whose index uses only loops with a value; emit() then uses the loaded value.
  void hoistInvariants(mlir::OpBuilder &builder);
  void forgetInvariants() { hoisted.clear(); }

  /// The yielded values; of a reduction, the values that the combiners take.
  llvm::SmallVector<mlir::Value> emit(mlir::OpBuilder &builder, int64_t width);
  /// For a reduction: the values that the combiners take, in the first `count` of `width` lanes; other lanes
  /// are neutral.
  llvm::SmallVector<mlir::Value> emitFirst(mlir::OpBuilder &builder, int64_t count, int64_t width);

  llvm::SmallVector<mlir::Value> loadOutputs(mlir::OpBuilder &builder, int64_t width);
  void storeOutputs(mlir::OpBuilder &builder, mlir::ValueRange values, int64_t width);

  /// One combiner per output: combiner(accumulator, value).
  llvm::SmallVector<mlir::Value> combine(mlir::OpBuilder &builder, mlir::ValueRange accumulators,
                                         mlir::ValueRange values, int64_t width);
  llvm::SmallVector<mlir::Value> neutral(mlir::OpBuilder &builder, int64_t width);
  /// The same constants in all lanes, one value for each output.
  llvm::SmallVector<mlir::Value> constants(mlir::OpBuilder &builder, llvm::ArrayRef<mlir::TypedAttr> elements,
                                           int64_t width);
  /// Halves the vectors until one element is left: lane l with lane l + width / 2. One lane is left as it is.
  llvm::SmallVector<mlir::Value> combineLanes(mlir::OpBuilder &builder, mlir::ValueRange accumulators,
                                              int64_t width);

private:
  mlir::Value load(mlir::OpBuilder &builder, mlir::OpOperand &operand, int64_t width);
  mlir::Value loadLanes(mlir::OpBuilder &builder, mlir::OpOperand &operand, int64_t width);
  void storeLanes(mlir::OpBuilder &builder, mlir::OpOperand &output, mlir::Value value, int64_t width);
  mlir::Value placeLanes(mlir::OpBuilder &builder, mlir::Value part, mlir::Value all, int64_t lane);
  /// The value of the innermost loop in a lane.
  mlir::Value indexOfLane(mlir::OpBuilder &builder, int64_t lane);
  mlir::Value loopIndex(mlir::OpBuilder &builder, unsigned loop, int64_t width);
  bool isConsecutive(mlir::Value index, const mlir::IRMapping &lanes);
  mlir::Value emitLookup(mlir::OpBuilder &builder, mlir::memref::LoadOp op, const mlir::IRMapping &lanes,
                         int64_t width);
  std::optional<int64_t> blocksBehindInnermost(mlir::Value column);
  mlir::Value emitRandom(mlir::OpBuilder &builder, graph::RandomOp op, const mlir::IRMapping &lanes,
                         int64_t width);
  mlir::Value emitOp(mlir::OpBuilder &builder, mlir::Operation &op, llvm::ArrayRef<mlir::Value> operands,
                     int64_t width);
  llvm::SmallVector<mlir::Value> indices(mlir::OpBuilder &builder, mlir::AffineMap map,
                                         mlir::Value innermost);
  unsigned innermost() const { return ivs.size() - 1; }

  mlir::linalg::GenericOp generic;
  mlir::Location loc;
  llvm::SmallVector<mlir::Value> ivs;
  llvm::SmallVector<mlir::Operation *> combiners; ///< empty if nothing is reduced
  llvm::DenseMap<mlir::OpOperand *, mlir::Value> hoisted, bound;
  llvm::DenseMap<mlir::Operation *, bool> assumed;
};

} // namespace windlass::codegen
