// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- GraphReadAdjoints.h - the opposite of reading at an index map =======//
//
// Duty: a map reads its inputs at fixed indices, in slices and through windows;
// here gradients of what was read are put back where it was read from.
// Threads, ownership: as MLIR's. Errors: a window of more than two loops, one
// that goes backwards, or a diagonal fails with a diagnostic on the reading op.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "dialects/Graph/IR/GraphBuilders.h"

namespace windlass::graph {

/// Fails with a diagnostic if there is no adjoint of reading at `map` over loops of `extents`.
mlir::LogicalResult checkRead(mlir::Operation *reader, mlir::AffineMap map, llvm::ArrayRef<int64_t> extents,
                              mlir::RankedTensorType type);

/// The gradient of a tensor of `type` that was read at `map` over loops of `extents`. `gradient` is that
/// of what was read: its dimensions are the loops of the map, as loopsOf lists them. What was not read gets
/// 0.
mlir::Value placeRead(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value gradient, mlir::AffineMap map,
                      llvm::ArrayRef<int64_t> extents, mlir::RankedTensorType type);

} // namespace windlass::graph
