//===- Storage.h - how elements lie in memory and how they are computed on ====//
//
// Duty: the two types behind an element type. bf16 is stored as 16-bit integers
// and computed on as an f32 whose low half is zero, rounded to nearest even with
// integer operations: the compiler's own conversion calls a library function, and
// hardware flushes denormals. i1 is stored as bytes. All else is itself.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"

namespace windlass::codegen {

mlir::Type storageType(mlir::Type element);
mlir::Type computeType(mlir::Type element);
mlir::MemRefType storageType(mlir::RankedTensorType tensor);

mlir::Value fromStorage(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value stored, mlir::Type element);
mlir::Value toStorage(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value computed, mlir::Type element);

/// The nearest bf16 of an f32, as an f32; a NaN stays one.
mlir::Value roundToBf16(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value value);

} // namespace windlass::codegen
