// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Repeats.h - whether a tensor repeats along a dimension ==============//
//
// Duty: tells tensors that were spread along a dimension from those that have other numbers there.
// Threads, ownership: as MLIR's. Errors: none.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/Value.h"

namespace windlass::graph {

/// Whether the elements along a dimension are one number over and over: a map made them of operands without
/// it.
bool repeatsAlong(mlir::Value tensor, unsigned dim);

} // namespace windlass::graph
