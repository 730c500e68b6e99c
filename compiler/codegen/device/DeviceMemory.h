// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- DeviceMemory.h - where a device's code finds its bytes ================//
//
// Duty: buffers and literals lie in the memory that all threads of a device share; partial
// results lie in the memory of a block; what is moved at once lies on a multiple of its size.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace windlass::codegen {

/// LLVM's numbers of the memory that all threads of a device, and those of a block, share.
inline constexpr unsigned kGlobalMemory = 1, kBlockMemory = 3;
/// Bytes that a thread loads or stores at once, where it can.
inline constexpr int64_t kAccessBytes = 16;

/// Every buffer of the module's functions and tables is one of the device, but for a block's.
mlir::LogicalResult moveToDevice(mlir::ModuleOp module);

/// The buffer that a slice is a part of.
mlir::Value bufferOf(mlir::Value slice);
/// Literals have no alignment that is known where they are read.
bool isTable(mlir::Value buffer);
/// Of what is moved at once: its size, if that is no more than a thread moves.
int64_t accessBytes(mlir::VectorType type);
/// Sets the alignment of all vector loads and stores to what is known of their addresses.
void alignVectors(mlir::func::FuncOp function);

/// A buffer of the blocks of a function, without first values; the same one for equal names and types.
mlir::Value blockBuffer(mlir::OpBuilder &builder, mlir::func::FuncOp function, llvm::ArrayRef<int64_t> shape,
                        mlir::Type element, unsigned number);

} // namespace windlass::codegen
