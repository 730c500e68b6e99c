// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- TileValues.h - ops on tiles of parameters =============================//
//
// Duty: replaces ops that read cut parameters by ops that read their tiles. A chain (TileChains.h) runs all
// its ops on one tile, then on the next. A product outside of a chain becomes products whose results stand
// side by side. A look-up becomes a sum of look-ups, one per part of the table. Sums over tiles are of f32,
// the first tile first.
// Threads, ownership: as MLIR's.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "passes/Graph/tiles/TilePlan.h"

namespace windlass::graph {

/// The tiles of every value that holds a cut parameter.
using TilesOf = llvm::MapVector<mlir::Value, llvm::SmallVector<mlir::Value>>;

/// Replaces the ops of a chain.
void tileChain(const TilePlan::TiledChain &chain, const TilesOf &tilesOf);
/// Replaces `matmul`, whose second operand is cut along its output.
void tileProduct(MatmulOp matmul, llvm::ArrayRef<mlir::Value> tiles);
/// Replaces `embedding`, whose table is cut along its rows.
void tileLookup(EmbeddingOp embedding, llvm::ArrayRef<mlir::Value> tiles);

} // namespace windlass::graph
