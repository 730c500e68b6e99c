// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Storage.h - how elements lie in memory and how they are computed on ====//
//
// Duty: the two types behind an element type. bf16 is stored as 16-bit integers
// and computed on as an f32 whose low half is zero, rounded to nearest even with
// integer operations: the compiler's own conversion calls a library function, and
// hardware flushes denormals. f16 is stored and computed on likewise; there the
// hardware's conversions (F16C, which every target has) are exact. i1 is stored as bytes. All else is itself.
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

/// The nearest value that `element` holds to an f32, as an f32; of other types than bf16 and f16 itself.
mlir::Value roundTo(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value value, mlir::Type element);

} // namespace windlass::codegen
