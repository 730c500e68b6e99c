// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Philox.h - random numbers in generated code ===========================//
//
// Duty: writes graph.random, scalar or many lanes at once, as integer operations
// whose bits are those of RandomStream (runtime/base/Random.h). One block of the
// generator has the numbers of four neighbouring elements of a row; where the
// lanes are such neighbours, each block is computed once.
// Threads, ownership: as MLIR's. Errors: none.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/Builders.h"

namespace windlass::codegen {

/// The key and place of random numbers: scalars, or vectors with a lane per number.
struct RandomPlace {
  mlir::Value key0, key1;  ///< i32, scalars
  mlir::Value row, column; ///< index
};

constexpr int64_t kBlockElements = 4; ///< numbers of one block of the generator

/// The numbers of `width` places, in f32.
mlir::Value buildRandom(mlir::OpBuilder &builder, mlir::Location loc, const RandomPlace &place,
                        int64_t width);
/// The numbers of `width` columns of one row from `place.column` on; both are multiples of kBlockElements.
mlir::Value buildConsecutiveRandom(mlir::OpBuilder &builder, mlir::Location loc, const RandomPlace &place,
                                   int64_t width);

} // namespace windlass::codegen
