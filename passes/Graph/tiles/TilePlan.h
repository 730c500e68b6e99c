// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- TilePlan.h - which parameters are cut, where and into how many ========//
//
// Duty: plans the tiles that keep a module under its limits: for every parameter that is cut the dimension
// and the width of tiles, and the chains (TileChains.h) whose matrices are cut along with parameters.
// Parameters that must be cut alike are a group, with tiles of one width: those of one argument of a layer
// function, and those of one chain.
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

  /// The smallest tile that is over its limit; nothing if all limits can be kept.
  std::optional<LeastTile> leastTile() const { return tooSmall; }
  /// The most bytes of a parameter or matrix that can be cut.
  int64_t largest() const { return mostBytes; }

  /// The parameters that are cut, by state, in program order.
  llvm::MapVector<mlir::Operation *, Cut> cuts;
  /// A chain that is cut along its columns.
  struct TiledChain {
    Chain chain;
    Cut cut;
    bool repeats; ///< its matrices are too large to be kept: the backward pass repeats them tile by tile
  };
  llvm::SmallVector<TiledChain> chains;
  llvm::MapVector<mlir::Operation *, llvm::SmallVector<ReadOp>> reads;             ///< by state
  llvm::MapVector<mlir::Operation *, llvm::SmallVector<mlir::func::CallOp>> calls; ///< by function

private:
  using States = llvm::SmallSetVector<mlir::Operation *, 4>;

  mlir::func::FuncOp calleeOf(mlir::func::CallOp call) const;
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
  mlir::SymbolTable symbols;
  TileLimits limits;
  llvm::MapVector<mlir::Value, States>
      statesOf; ///< the parameters that a value (a read or an argument) may hold
  llvm::MapVector<mlir::Operation *, llvm::SmallVector<mlir::Value>> valuesOf; ///< by state
  llvm::SetVector<mlir::Operation *> tileable;
  llvm::SmallVector<Chain> found;
  llvm::MapVector<mlir::Operation *, unsigned> dims; ///< by state
  llvm::EquivalenceClasses<mlir::Operation *> groups;
  std::optional<LeastTile> tooSmall;
  int64_t mostBytes = 0;
};

} // namespace windlass::graph
