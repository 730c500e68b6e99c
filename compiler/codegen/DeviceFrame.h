// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- DeviceFrame.h - the loops over rows become blocks of threads ==========//
//
// Duty: takes a function as LowerKernel leaves it, loops over rows around linalg.generic on
// slices, and gives every iteration to a thread: the loops go, their indices are computed
// of the block's and the thread's number, and what is left is what one thread does. The
// innermost dimension stays with the generics; a thread has a strip of it. Buffers come
// to lie in the device's memory.
// Errors: diagnostics on the function, for kernels whose work is not of this form.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/codegen/DeviceGrid.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace windlass::codegen {

/// LLVM's number of the memory that all threads of a device share.
inline constexpr unsigned kGlobalMemory = 1;
/// The most that a thread loads or stores at once.
inline constexpr int64_t kAccessBytes = 16;

/// What one thread does of a map.
struct DeviceFrame {
  DeviceGrid grid;
  llvm::SmallVector<mlir::linalg::GenericOp> generics;
  /// Elements of the innermost dimension that a thread does; they are all there but where `isCut`.
  int64_t width = 1;
  mlir::Value first; ///< of them, counted along the innermost loop; null where the generics have no loop
  /// A range over the innermost dimension itself: its end may come before the strip's, and the strip begins
  /// on no multiple of `width` where the range does not.
  bool isCut = false;
  mlir::Value begin, size; ///< of that range
};

/// Rewrites the function.
mlir::FailureOr<DeviceFrame> spreadOverThreads(mlir::func::FuncOp function);

/// Every buffer of the module's functions and tables is one of the device.
mlir::LogicalResult moveToDevice(mlir::ModuleOp module);

} // namespace windlass::codegen
