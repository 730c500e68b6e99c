// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- TileBounds.h - limits of tiles that a model allows ====================//
//
// Duty: answers, for an imported model, which limits of tiles (tile.limit, tile.activation, tile.attention of
// a training file) it allows, which of those given cut nothing, and which smaller ones there are to try.
// Units: bytes, of the types and parts that a rank computes with. Errors: BadInput for limits below the
// smallest tile. Ownership: refers to levels and training options.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/driver/candidates/Levels.h"
#include "passes/Graph/BlockAttention.h"

namespace windlass {

class TileBounds {
public:
  TileBounds(Levels &levels, const TrainingOptions &training) : levels(levels), training(training) {}

  /// Refuses tile.limit and tile.activation where some tensor has no tile so small, and a tile.attention that
  /// is less than the smallest block of some attention.
  Status check(mlir::ModuleOp imported, const std::string &trainingFile) const;
  /// The keys of limits that are given though the model has no tensor that they could cut.
  Result<std::vector<std::string>> ineffectiveKeys(mlir::ModuleOp imported) const;
  /// Parameters over tile.limit, by name, which tiles cut on one rank, while tensor ranks have parts of them
  /// that no tile lies in.
  Result<std::vector<std::string>> wholeBesideRanks(mlir::ModuleOp imported) const;
  /// Limits of tiles below those of the training file, the largest first: halves of the largest thing that
  /// can be cut. A limit that cuts parameters into more than `mostTiles` is left out.
  Result<std::vector<int64_t>> smallerLimits(mlir::ModuleOp imported, int64_t mostTiles) const;
  /// Limits of blocks of scores below that of the training file, the largest first.
  Result<std::vector<int64_t>> smallerAttentionLimits(mlir::ModuleOp imported) const;

private:
  Status checkTiles(mlir::ModuleOp imported, const std::string &trainingFile) const;
  Status checkAttention(mlir::ModuleOp imported, const std::string &trainingFile) const;
  Result<graph::AttentionLimits> attentionOf(mlir::ModuleOp imported) const;

  Levels &levels;
  const TrainingOptions &training;
};

} // namespace windlass
