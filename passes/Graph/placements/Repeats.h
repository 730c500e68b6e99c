// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Repeats.h - tensors that repeat one number along a dimension ==========//
//
// Duty: decides whether a tensor repeats along a dimension.
// Threads, ownership: as MLIR's. Errors: none.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/Value.h"

namespace windlass::graph {

/// Whether all elements along a dimension are equal because a map made them from operands without this
/// dimension. False if unknown.
bool repeatsAlong(mlir::Value tensor, unsigned dim);

} // namespace windlass::graph
