// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- PartialLosses.h - look-ups and losses on a rank's part ================//
//
// Duty: builds the look-up of a rank in its rows of a table, and the loss of a rank in its columns of logits,
// with the exchange that joins the losses of all ranks. Collectives only sum and copy, so the log-sum-exps of
// all ranks are gathered, and joined in rank order, as those of tiles are. Labels and columns are those of
// the whole table; columns behind its end are padding, and do not count. Threads, ownership: as MLIR's.
// Errors: none.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "dialects/Graph/IR/GraphDialect.h"

namespace windlass::graph {

/// The indices of a dimension that a rank has: `width` from coordinate * width on. The whole dimension has
/// `extent`.
struct RankColumns {
  mlir::Value coordinate; ///< rank 0, i32
  int64_t ranks, width, extent;
};

/// Converts indices of the whole dimension to indices of a rank's part. Indices of other ranks' parts become
/// indices outside of the part.
mlir::Value shiftToRank(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value indices,
                        const RankColumns &columns);

/// A copy of `rows` through which no gradient flows for rows whose entry of `indices` is `index`.
mlir::Value detachRow(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value rows, mlir::Value indices,
                      int64_t index);

/// The losses and log-sum-exps over all columns. `loss`: a cross-entropy whose logits are a rank's columns,
/// and whose labels are columns of the whole table. New ops are built before it.
mlir::ResultRange joinLosses(CrossEntropyOp loss, const RankColumns &columns);

} // namespace windlass::graph
