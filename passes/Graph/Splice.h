// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Splice.h - one map's body inside another's ============================//
//
// Duty: the rewriting of fusion, whose decisions FuseMaps.cpp makes. Bodies are copied op by op, so that no
// bit changes. Threads, ownership: as MLIR's.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "dialects/Graph/IR/GraphDialect.h"

namespace windlass::graph {

/// The indexing maps of a map or a reduction.
llvm::SmallVector<mlir::AffineMap> indexingMaps(mlir::Operation *op);

/// Makes `consumer`, a map or a reduction, compute the elements that it reads of `producer`. The inputs of
/// `producer` replace its results as inputs of `consumer`; a tensor that is then read twice at the same index
/// becomes one input.
void spliceInto(mlir::Operation *consumer, MapOp producer);

/// Replaces two maps of equal loops, of which `consumer` reads `producer` at the identity, by one map in the
/// place of `consumer`. Its results are those of `producer`, then those of `consumer`.
MapOp joinMaps(MapOp producer, MapOp consumer);

} // namespace windlass::graph
