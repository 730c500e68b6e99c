// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- DeviceThreads.h - operations of one thread of a device ================//
//
// Duty: builds the operations of one thread: its numbers, arithmetic on them, the barrier of its block, and
// the exchange of values with other threads of its warp.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace windlass::codegen {

/// Threads of a warp, which can exchange values.
inline constexpr int64_t kWarpThreads = 32;

/// Tells the assembler that a multiprocessor needs to hold only so many blocks of `threads` threads that each
/// thread can have 128 registers. Otherwise assemblers prefer more threads, and move loads back to the uses
/// of their values.
void askForRegisters(mlir::func::FuncOp function, int64_t threads);

/// Builds at the insertion point of its builder.
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
  /// The number, bounded by `least` and `most`.
  mlir::Value between(mlir::Value least, mlir::Value number, mlir::Value most);
  mlir::Value both(mlir::Value a, mlir::Value b);
  mlir::Value choose(mlir::Value condition, mlir::Value a, mlir::Value b);

  /// A barrier: all threads of the block must reach it, and then see what the others wrote before.
  void barrier();
  /// The value of the thread whose number differs in the bit `distance`. Every thread of the warp must take
  /// part. Vectors are exchanged element by element.
  mlir::Value exchange(mlir::Value value, int64_t distance);

private:
  mlir::Value exchangeWord(mlir::Value word, int64_t distance);
  mlir::Value exchangeElement(mlir::Value value, int64_t distance);

  mlir::OpBuilder &builder;
  mlir::Location loc;
};

} // namespace windlass::codegen
