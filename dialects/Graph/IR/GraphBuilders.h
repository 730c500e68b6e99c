// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- GraphBuilders.h - short ways to write maps and reductions =============//
//
// Duty: builders that adjoints, decompositions, passes and import share: maps and reductions whose body is
// given as a function, tensor types, indexing maps, and scalar arithmetic inside bodies. Threads, ownership:
// as MLIR's. Errors: none; the verifiers of the ops find mistakes.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "dialects/Graph/IR/GraphDialect.h"

#include "dialects/Graph/IR/GraphIndexing.h"

namespace windlass::graph {

/// `type` with another shape or element type.
mlir::RankedTensorType tensorType(llvm::ArrayRef<int64_t> shape, mlir::Type element);
mlir::RankedTensorType withElement(mlir::Type type, mlir::Type element);
mlir::RankedTensorType typeOf(mlir::Value tensor);
/// Whether the elements of a tensor are floating-point numbers: only such a tensor has a gradient.
bool hasFloatElements(mlir::Value tensor);

/// The map from `loops` loops to the loops listed: (d0, ..) -> (d<dims[0]>, ..).
mlir::AffineMap loopsMap(mlir::MLIRContext *context, unsigned loops, llvm::ArrayRef<unsigned> dims);
/// (d0, .., d<loops-1>) -> (d0, .., d<count-1>): the leading loops, as a per-row operand reads them.
mlir::AffineMap leadingMap(mlir::MLIRContext *context, unsigned loops, unsigned count);
/// The identity map of `loops` loops.
mlir::AffineMap identityMap(mlir::MLIRContext *context, unsigned loops);

/// The type a body computes in: f32 for narrower floats, otherwise `element` itself.
mlir::Type computeType(mlir::Type element);

/// Scalar arithmetic inside a body, at one place of the IR.
struct Scalars {
  mlir::OpBuilder &builder;
  mlir::Location loc;

  mlir::Value constant(mlir::Type type, double value) const;
  mlir::Value like(mlir::Value scalar, double value) const { return constant(scalar.getType(), value); }
  mlir::Value add(mlir::Value a, mlir::Value b) const;
  mlir::Value sub(mlir::Value a, mlir::Value b) const;
  mlir::Value mul(mlir::Value a, mlir::Value b) const;
  mlir::Value div(mlir::Value a, mlir::Value b) const;
  mlir::Value neg(mlir::Value a) const;
  mlir::Value exp(mlir::Value a) const;
  mlir::Value log(mlir::Value a) const;
  mlir::Value select(mlir::Value condition, mlir::Value a, mlir::Value b) const;
  mlir::Value compare(mlir::arith::CmpIPredicate predicate, mlir::Value a, mlir::Value b) const;
  mlir::Value compare(mlir::arith::CmpFPredicate predicate, mlir::Value a, mlir::Value b) const;
  /// The value of a loop, as an index.
  mlir::Value index(unsigned loop) const;
  /// The value of a loop in an integer type.
  mlir::Value index(unsigned loop, mlir::Type integer) const;
  /// `a` in another float type: widened, rounded or as it is.
  mlir::Value cast(mlir::Value a, mlir::Type type) const;
  /// `a` in the type bodies compute in.
  mlir::Value widen(mlir::Value a) const { return cast(a, computeType(a.getType())); }
};

/// Writes a body: gets the scalars of the inputs, returns what is yielded. Results are cast to the
/// element types of the op's results (between float types), so that a body need not.
using BodyFn = llvm::function_ref<llvm::SmallVector<mlir::Value>(const Scalars &, mlir::ValueRange)>;
/// The same for a body of one result.
using ScalarFn = llvm::function_ref<mlir::Value(const Scalars &, mlir::ValueRange)>;

MapOp buildMap(mlir::OpBuilder &builder, mlir::Location loc, mlir::ValueRange inputs,
               llvm::ArrayRef<mlir::AffineMap> maps, mlir::TypeRange results, BodyFn body);
mlir::Value buildMap(mlir::OpBuilder &builder, mlir::Location loc, mlir::ValueRange inputs,
                     llvm::ArrayRef<mlir::AffineMap> maps, mlir::RankedTensorType result, ScalarFn body);
/// A map whose inputs all have the result's shape.
mlir::Value buildElementwise(mlir::OpBuilder &builder, mlir::Location loc, mlir::ValueRange inputs,
                             mlir::RankedTensorType result, ScalarFn body);

ReduceOp buildReduce(mlir::OpBuilder &builder, mlir::Location loc, Combine combine,
                     llvm::ArrayRef<int64_t> dims, mlir::ValueRange inputs,
                     llvm::ArrayRef<mlir::AffineMap> maps, mlir::TypeRange results, BodyFn body);
mlir::Value buildReduce(mlir::OpBuilder &builder, mlir::Location loc, Combine combine,
                        llvm::ArrayRef<int64_t> dims, mlir::ValueRange inputs,
                        llvm::ArrayRef<mlir::AffineMap> maps, mlir::RankedTensorType result, ScalarFn body);

/// a + b, of equal types: the sum of the gradients of two uses.
mlir::Value buildAdd(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value a, mlir::Value b);
/// `tensor` cast to another float type; `tensor` itself if it has that type.
mlir::Value buildCast(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value tensor, mlir::Type element);
/// A tensor full of one value.
mlir::Value buildFull(mlir::OpBuilder &builder, mlir::Location loc, mlir::RankedTensorType type,
                      double value);
/// A constant tensor of these numbers, in row-major order.
mlir::Value buildLiterals(mlir::OpBuilder &builder, mlir::Location loc, mlir::RankedTensorType type,
                          llvm::ArrayRef<double> numbers);
/// `tensor` reshaped; `tensor` itself if it has that shape.
mlir::Value buildReshape(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value tensor,
                         llvm::ArrayRef<int64_t> shape);

/// Erases the ops in the body of `op` whose results are unused. `op`: a map or a reduction.
void eraseDeadBodyOps(mlir::Operation *op);
/// Drops inputs that the body does not use. A reduction keeps an input from which alone the extent of a loop
/// follows. True if any was dropped.
bool dropUnusedInputs(MapOp op);
bool dropUnusedInputs(ReduceOp op);

/// The extent of every loop in program order (d0, d1, ..).
llvm::SmallVector<int64_t> loopExtents(MapOp op);
llvm::SmallVector<int64_t> loopExtents(ReduceOp op);

/// Whether the body of an op reads the value of `loop`, which differs between ranks that share out the loop.
/// For a reduction, reads of any loop count, since it numbers its loops in another order than the interface.
bool readsLoopValue(mlir::Operation *op, unsigned loop);

} // namespace windlass::graph
