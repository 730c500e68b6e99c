// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Splice.h - one map's body inside another's ==========================//
//
// Duty: the rewriting half of fusion; FuseMaps decides, this does. Bodies are copied op by op, so
// that no bit changes.
// Threads, ownership: as MLIR's.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "dialects/Graph/IR/GraphDialect.h"

namespace windlass::graph {

/// The indexing maps of a map or a reduction.
llvm::SmallVector<mlir::AffineMap> indexingMaps(mlir::Operation *op);

/// Computes inside `consumer` (a map or a reduction) what it reads of `producer`, whose inputs take the place
/// of its results; a tensor read twice at one place becomes one input.
void spliceInto(mlir::Operation *consumer, MapOp producer);

/// Replaces two maps of equal loops, of which `consumer` reads `producer` at the identity, by one that
/// stands at `consumer` and has the results of `producer`, then those of `consumer`.
MapOp joinMaps(MapOp producer, MapOp consumer);

} // namespace windlass::graph
