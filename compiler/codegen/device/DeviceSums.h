// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- DeviceSums.h - kernels with reductions, for threads ===================//
//
// Duty: what Vectorize does for one processor: replaces every linalg.generic of a function by
// what a thread does of it, with the same order of sums. What lives for a row is in registers
// of all threads that make the row (DeviceTeam.h).
// Errors: diagnostics on the function, for work that is not rows of reductions and maps.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/codegen/device/DeviceTeam.h"

namespace windlass::codegen {

/// Whether anything is reduced.
bool hasSums(mlir::func::FuncOp function);

/// Rewrites the function. In phases other than the whole, its one reduction's sums of pieces are further
/// parameters of it, behind the results, of as many bytes as graph::partialBytes says.
mlir::FailureOr<DeviceGrid> spreadSums(RowNest &nest, SumPhase phase = SumPhase::Whole);

} // namespace windlass::codegen
