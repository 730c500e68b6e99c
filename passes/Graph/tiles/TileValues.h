// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- TileValues.h - what is computed with a parameter, tile by tile =======//
//
// Duty: replaces ops that read cut parameters by sequences of ops that read their tiles: a chain
// (TileChains.h) goes through all its ops with one tile, then with the next; a product outside of one is
// products side by side; a look-up adds up what each part of the table has. Sums: over tiles in f32, first
// tile first. Threads, ownership: as MLIR's.
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
