// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- FlattenRows.h - maps behind a linear layer, on matrices ===============//
//
// Duty: rewrites the maps behind a linear layer, and a cross-entropy at their end, to work on the rows of a
// matrix. A linear layer on more than two dimensions is a product of matrices between two reshapes, and the
// maps behind it work on all dimensions: 4 x 8 x 16 elements become 32 x 16. Chains (TileChains.h) are then
// found whatever the dimensions of a model are. No element changes.
// Threads, ownership: as MLIR's.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/BuiltinOps.h"

namespace windlass::graph {

void flattenRows(mlir::ModuleOp module);

} // namespace windlass::graph
