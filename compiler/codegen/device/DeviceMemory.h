// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- DeviceMemory.h - memory spaces and alignment of device code ===========//
//
// Duty: places buffers and literals in the memory that all threads of a device share, and partial results in
// the shared memory of a block; and sets the alignment of vector accesses.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace windlass::codegen {

/// LLVM's numbers of the memory spaces of a device and of a block.
inline constexpr unsigned kGlobalMemory = 1, kBlockMemory = 3;
/// The most bytes that a thread loads or stores at once.
inline constexpr int64_t kAccessBytes = 16;

/// Gives every buffer of the module's functions, and every table, the memory space of the device; buffers of
/// blocks keep theirs.
mlir::LogicalResult moveToDevice(mlir::ModuleOp module);

/// The buffer that a slice is a part of.
mlir::Value bufferOf(mlir::Value slice);
/// Whether a buffer is a table of literals, whose alignment is not known where it is read.
bool isTable(mlir::Value buffer);
/// The bytes of one access to a vector of this type: its size, at most kAccessBytes.
int64_t accessBytes(mlir::VectorType type);
/// Sets the alignment of all vector loads and stores to what is known of their addresses.
void alignVectors(mlir::func::FuncOp function);

/// A buffer in the shared memory of each block of a function, uninitialised; the same buffer for equal names
/// and types.
mlir::Value blockBuffer(mlir::OpBuilder &builder, mlir::func::FuncOp function, llvm::ArrayRef<int64_t> shape,
                        mlir::Type element, unsigned number);

} // namespace windlass::codegen
