// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- PartialLosses.h - tables and losses of one rank's rows and columns ==//
//
// Duty: what a rank looks up in its rows of a table, and what it loses in its columns of logits, which all
// ranks then join: collectives only sum and copy, so the log-sum-exps of all ranks are gathered and added
// first rank first, as those of tiles are. Labels and columns are counted in the whole table: what stands
// behind its end is padding and counts for nothing. Threads, ownership: as MLIR's. Errors: none.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "dialects/Graph/IR/GraphDialect.h"

namespace windlass::graph {

/// Which indices of a dimension a rank has: `width` from coordinate * width on, of `extent` in all.
struct RankColumns {
  mlir::Value coordinate; ///< rank 0, i32
  int64_t ranks, width, extent;
};

/// Indices into the whole dimension as indices into a rank's part; those of other ranks lie outside of it.
mlir::Value shiftToRank(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value indices,
                        const RankColumns &columns);

/// `rows`; no gradient flows through rows whose entry of `indices` is `index`.
mlir::Value detachRow(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value rows, mlir::Value indices,
                      int64_t index);

/// The losses and log-sum-exps of all columns, from `loss`, whose logits are a rank's columns and whose
/// labels are those of all. Built before it.
mlir::ResultRange joinLosses(CrossEntropyOp loss, const RankColumns &columns);

} // namespace windlass::graph
