// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- GraphIndexing.h - what an indexing map says =========================//
//
// Duty: reads the indices of an indexing map as sums of loops times constants
// plus a constant, which is all that maps and reductions may have.
// Threads, ownership: as MLIR's. Errors: none; an index of another form is no
// LinearIndex, and the verifier refuses it.
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
  /// The loop itself.
  bool isPlain() const { return terms.size() == 1 && terms[0].factor == 1 && constant == 0; }
  /// The least and the largest value over loops of these extents.
  std::pair<int64_t, int64_t> range(llvm::ArrayRef<int64_t> extents) const;
};

std::optional<LinearIndex> linearIndex(mlir::AffineExpr index);

/// The loops an indexing map uses, in the order of the dimensions they index.
llvm::SmallVector<unsigned> loopsOf(mlir::AffineMap map);

/// True if the map reads every element of a tensor of `shape` as it is: the loops of `extents` are its
/// dimensions.
bool readsWhole(mlir::AffineMap map, llvm::ArrayRef<int64_t> extents, llvm::ArrayRef<int64_t> shape);

/// The value of an index, given those of the loops.
mlir::Value buildIndex(mlir::OpBuilder &builder, mlir::Location loc, mlir::AffineExpr index,
                       llvm::function_ref<mlir::Value(unsigned loop)> loopValue);

} // namespace windlass::graph
