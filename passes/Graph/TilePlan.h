//===- TilePlan.h - which parameters are cut, where and into how many =======//
//
// Duty: what the limits on tiles ask of a module: of every parameter that is cut the dimension and the number
// of tiles, and the chains (TileChains.h) whose matrices are cut with them. Parameters that must be cut alike
// (those of one argument of a layer function, those of a chain) are a group, with one number of tiles.
// Units: bytes. Threads, ownership: as MLIR's; the plan refers to the module, which must not change.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/Graph/TileChains.h"
#include "passes/Graph/TileMatmuls.h"
#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/MapVector.h"

namespace windlass::graph {

struct Cut {
  unsigned dim = 0;
  int64_t count = 1;
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
  /// Those that are cut, each with its number of tiles and whether its matrices are too large to be kept.
  struct TiledChain {
    Chain chain;
    int64_t count;
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
  void countTiles();

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
