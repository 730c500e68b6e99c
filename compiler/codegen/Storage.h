// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Storage.h - types of elements in memory and in computations ===========//
//
// Duty: the storage type and the compute type of each element type. bf16 is stored as 16-bit integers and
// computed with as an f32 whose low half is zero. It is rounded to nearest even by integer operations: LLVM's
// conversion calls a library function, and that of the hardware flushes denormals. f16 is stored and computed
// with in the same way; the hardware's conversions (F16C, which every target has) are exact. i1 is stored as
// bytes. For all other types both are the type itself.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"

namespace windlass::codegen {

/// bf16 or f16.
bool isHalf(mlir::Type element);
mlir::Type storageType(mlir::Type element);
mlir::Type computeType(mlir::Type element);
mlir::MemRefType storageType(mlir::RankedTensorType tensor);

mlir::Value fromStorage(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value stored, mlir::Type element);
mlir::Value toStorage(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value computed, mlir::Type element);

/// An f32 rounded to bf16 or f16, as an f32; unchanged for other types.
mlir::Value roundTo(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value value, mlir::Type element);

} // namespace windlass::codegen
