// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- DeviceThreads.h - operations of one thread of a device ================//
//
// Duty: what a thread asks about itself, arithmetic on such numbers, and what it does with
// others: wait for all of its block, and take a value from a neighbour.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace windlass::codegen {

/// Threads of a warp, which can hand each other values.
inline constexpr int64_t kWarpThreads = 32;

/// An assembler would rather have more threads at work than loads under way, and put these back to where
/// their values are used. So it is told how few blocks of so many threads are to fit a multiprocessor.
void askForRegisters(mlir::func::FuncOp function, int64_t threads);

/// Builds where its builder stands.
class ThreadBuilder {
public:
  ThreadBuilder(mlir::OpBuilder &builder, mlir::Location loc) : builder(builder), loc(loc) {}

  /// Numbers of this thread in its block, and of its block.
  mlir::Value thread();
  mlir::Value block();

  mlir::Value constant(int64_t value);
  mlir::Value plus(mlir::Value a, mlir::Value b);
  mlir::Value minus(mlir::Value a, mlir::Value b);
  mlir::Value times(mlir::Value a, int64_t factor);
  mlir::Value quotient(mlir::Value a, int64_t by);
  mlir::Value remainder(mlir::Value a, int64_t by);
  mlir::Value isLess(mlir::Value a, mlir::Value b);
  mlir::Value isEqual(mlir::Value a, int64_t b);
  /// The number, but at least `least` and at most `most`.
  mlir::Value between(mlir::Value least, mlir::Value number, mlir::Value most);
  mlir::Value both(mlir::Value a, mlir::Value b);
  mlir::Value choose(mlir::Value condition, mlir::Value a, mlir::Value b);

  /// Every thread of the block comes here, and sees then what others wrote.
  void barrier();
  /// The value of the thread whose number differs in the bit `distance`; every thread of the warp gives one.
  /// Vectors are exchanged element by element.
  mlir::Value exchange(mlir::Value value, int64_t distance);

private:
  mlir::Value exchangeWord(mlir::Value word, int64_t distance);
  mlir::Value exchangeElement(mlir::Value value, int64_t distance);

  mlir::OpBuilder &builder;
  mlir::Location loc;
};

} // namespace windlass::codegen
