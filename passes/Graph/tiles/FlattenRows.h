// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- FlattenRows.h - what follows a linear layer, as a matrix ============//
//
// Duty: a linear layer on more than two dimensions is a product of matrices between two reshapes, and the
// maps behind it work on more dimensions again. Here they, and a cross-entropy at their end, work on the rows
// of the matrix, so that chains (TileChains.h) are seen whatever a model's dimensions are called. No element
// changes. Threads, ownership: as MLIR's.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/BuiltinOps.h"

namespace windlass::graph {

void flattenRows(mlir::ModuleOp module);

} // namespace windlass::graph
