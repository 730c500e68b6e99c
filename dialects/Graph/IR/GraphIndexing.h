// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- GraphIndexing.h - indices as linear functions of loops ================//
//
// Duty: reads an index of an indexing map as a constant plus a sum of loops times constants. Maps and
// reductions may have no other indices: for others there is no LinearIndex, and the verifier refuses them.
// Threads, ownership: as MLIR's. Errors: none.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/AffineMap.h"
#include "mlir/IR/Builders.h"

#include <optional>

namespace windlass::graph {

/// constant + the sum of factor * loop.
struct LinearIndex {
  struct Term {
    unsigned loop;
    int64_t factor; ///< not 0
  };
  llvm::SmallVector<Term, 2> terms;
  int64_t constant = 0;

  bool isFixed() const { return terms.empty(); }
  /// Whether the index is one loop: factor 1, and no constant.
  bool isPlain() const { return terms.size() == 1 && terms[0].factor == 1 && constant == 0; }
  /// The least and the largest value over loops of these extents.
  std::pair<int64_t, int64_t> range(llvm::ArrayRef<int64_t> extents) const;
};

std::optional<LinearIndex> linearIndex(mlir::AffineExpr index);

/// The loops that an indexing map uses, in the order of the dimensions that they index.
llvm::SmallVector<unsigned> loopsOf(mlir::AffineMap map);

/// True if the map is the identity on a whole tensor: the loops, of extents `extents`, are the dimensions of
/// `shape`.
bool readsWhole(mlir::AffineMap map, llvm::ArrayRef<int64_t> extents, llvm::ArrayRef<int64_t> shape);

/// Builds the value of `index` from the values of the loops.
mlir::Value buildIndex(mlir::OpBuilder &builder, mlir::Location loc, mlir::AffineExpr index,
                       llvm::function_ref<mlir::Value(unsigned loop)> loopValue);

} // namespace windlass::graph
