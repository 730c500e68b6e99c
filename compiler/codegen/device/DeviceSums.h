// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- DeviceSums.h - kernels with reductions, for threads ===================//
//
// Duty: replaces every linalg.generic of a function with reductions by one thread's share of it, with the
// order of sums of Vectorize. Temporaries of a row are in registers of all threads of its team
// (DeviceTeam.h). Errors: diagnostics on the function, if its work is not rows of reductions and maps.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/codegen/device/DeviceTeam.h"

namespace windlass::codegen {

/// Whether the function has a reduction.
bool hasSums(mlir::func::FuncOp function);

/// Rewrites the function. In the phases Pieces and Total the function gets parameters for the sums of pieces
/// of its only reduction, after the results; their bytes: graph::partialBytes.
mlir::FailureOr<DeviceGrid> spreadSums(RowNest &nest, SumPhase phase = SumPhase::Whole);

} // namespace windlass::codegen
