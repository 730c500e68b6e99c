// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- TilePlan.h - which parameters are cut, where and into how many =======//
//
// Duty: what the limits on tiles ask of a module: of every parameter that is cut the dimension and the tiles,
// and the chains (TileChains.h) whose matrices are cut with them. Parameters that must be cut alike (those of
// one argument of a layer function, those of a chain) are a group, with tiles of one width.
// Units: bytes. Threads, ownership: as MLIR's; the plan refers to the module, which must not change.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/Graph/TileMatmuls.h"
#include "passes/Graph/tiles/TileChains.h"
#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/MapVector.h"
#include <algorithm>

namespace windlass::graph {

/// Tiles of `width` along a dimension; the last may be narrower.
struct Cut {
  unsigned dim = 0;
  int64_t extent = 1, width = 1;

  int64_t count() const { return (extent + width - 1) / width; }
  int64_t begin(int64_t tile) const { return tile * width; }
  int64_t widthOf(int64_t tile) const { return std::min(width, extent - begin(tile)); }
};

class TilePlan {
public:
  TilePlan(mlir::ModuleOp module, const TileLimits &limits);

  /// What no number of tiles can do, if there is such.
  std::optional<LeastTile> leastTile() const { return tooSmall; }
  /// Of what can be cut, the most bytes.
  int64_t largest() const { return mostBytes; }

  /// By state, in program order; only those that are cut.
  llvm::MapVector<mlir::Operation *, Cut> cuts;
  /// Those that are cut, each along its columns, and whether its matrices are too large to be kept.
  struct TiledChain {
    Chain chain;
    Cut cut;
    bool repeats;
  };
  llvm::SmallVector<TiledChain> chains;
  llvm::MapVector<mlir::Operation *, llvm::SmallVector<ReadOp>> reads;             ///< by state
  llvm::MapVector<mlir::Operation *, llvm::SmallVector<mlir::func::CallOp>> calls; ///< by function

private:
  using States = llvm::SmallSetVector<mlir::Operation *, 4>;

  void collect();
  void follow(mlir::Value value, mlir::Operation *state);
  void dropUntileable();
  bool canTile(mlir::Operation *state);
  bool isTileable(mlir::OpOperand &use);
  void findChains();
  bool cutVector(const Chain &chain, mlir::Value vector) const;
  bool settleDimensions();
  std::optional<unsigned> dimensionOf(mlir::OpOperand &use) const;
  void joinGroups();
  struct Group {
    llvm::SmallVector<mlir::Operation *> states;
    llvm::SmallVector<Chain *> chains;
    int64_t extent = 0;
  };
  llvm::MapVector<mlir::Operation *, Group> listGroups();
  bool fits(const Group &group, int64_t width) const;
  void noteLeast(const Group &group);
  void chooseTiles();

  mlir::ModuleOp module;
  TileLimits limits;
  llvm::MapVector<mlir::Value, States> statesOf; ///< by the value that holds them: a read or an argument
  llvm::MapVector<mlir::Operation *, llvm::SmallVector<mlir::Value>> valuesOf; ///< by state
  llvm::SetVector<mlir::Operation *> tileable;
  llvm::SmallVector<Chain> found;
  llvm::MapVector<mlir::Operation *, unsigned> dims; ///< by state
  llvm::EquivalenceClasses<mlir::Operation *> groups;
  std::optional<LeastTile> tooSmall;
  int64_t mostBytes = 0;
};

} // namespace windlass::graph
