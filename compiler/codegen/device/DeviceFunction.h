// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- DeviceFunction.h - builds a device function from single operations ====//
//
// Duty: builders for device functions that are not lowered from kernels: parameters of 64 bits, numbers of
// threads, elements in the device's memory, arithmetic. All integers other than loaded elements have 64 bits.
// Threads: one.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace windlass::codegen {

class DeviceFunction {
public:
  /// Adds a function to the module, whose parameters are addresses or integers.
  DeviceFunction(mlir::ModuleOp into, llvm::StringRef name, llvm::ArrayRef<bool> isAddress);

  mlir::Value parameter(unsigned number) { return function.getArgument(number); }
  mlir::Value constant(int64_t value);
  mlir::Value zero(mlir::Type floating);
  mlir::Value thread();
  mlir::Value block();

  mlir::Value plus(mlir::Value a, mlir::Value b);
  mlir::Value plus(mlir::Value a, int64_t b) { return plus(a, constant(b)); }
  mlir::Value times(mlir::Value a, int64_t b);
  mlir::Value quotient(mlir::Value a, int64_t b);
  mlir::Value remainder(mlir::Value a, int64_t b);
  mlir::Value isLess(mlir::Value a, mlir::Value b);

  /// Loads an element of a type that kernels may have, as its compute type (Storage.h).
  mlir::Value load(mlir::Value address, mlir::Value index, mlir::Type element);
  void store(mlir::Value value, mlir::Value address, mlir::Value index, mlir::Type element);

  /// Only threads for which `condition` is true run the code that is built next.
  void onlyIf(mlir::Value condition);

  mlir::OpBuilder builder; ///< at the end of the function so far
  mlir::Location loc;
  mlir::func::FuncOp function;

private:
  mlir::Value place(mlir::Value address, mlir::Value index, mlir::Type stored);
};

} // namespace windlass::codegen
