// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- GraphReadAdjoints.h - the adjoint of reading at an indexing map =======//
//
// Duty: builds the adjoint of a read. A map reads its inputs at fixed indices, in slices and through windows;
// the adjoint puts the gradients of the elements that were read back at the places of these elements.
// Threads, ownership: as MLIR's. Errors: a window of more than two loops, a window that goes backwards, and a
// diagonal fail with a diagnostic on the reading op.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "dialects/Graph/IR/GraphBuilders.h"

namespace windlass::graph {

/// Fails with a diagnostic if there is no adjoint of reading at `map` over loops of `extents`.
mlir::LogicalResult checkRead(mlir::Operation *reader, mlir::AffineMap map, llvm::ArrayRef<int64_t> extents,
                              mlir::RankedTensorType type);

/// The gradient of a tensor of `type` that was read at `map` over loops of `extents`. `gradient`: the
/// gradient of the elements read; its dimensions are the loops of the map, in the order of loopsOf. Elements
/// that were not read get 0.
mlir::Value placeRead(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value gradient, mlir::AffineMap map,
                      llvm::ArrayRef<int64_t> extents, mlir::RankedTensorType type);

} // namespace windlass::graph
