// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- OwnRows.h - a whole value, cut into the rows of each rank =============//
//
// Duty: the form of a value of which each rank has its own rows (the first rank the first rows), the ops that
// can run on such rows, and the exchanges between whole values and rows. An op can run on rows if it computes
// every row from that row alone: on a rank's rows it then makes the same rows as on all of them. Threads,
// ownership: as MLIR's. Errors: none; a value that cannot be cut has no form.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "passes/Graph/splits/SplitWays.h"

namespace windlass::graph {

/// The form in which each rank has its rows of the tensor `whole`. Nothing if the ranks do not divide the
/// number of rows, or if a rank would have a single row, whose elements could as well be columns.
std::optional<SplitForm> rowForm(mlir::Value whole, int64_t ranks);

/// How an op uses rows: row by row, or as the terms of a sum over rows.
enum class RowUse { RowByRow, Sum };
/// The way in which an op, other than a product, reads a rank's rows of operand `operand`. Other operands are
/// a rank's rows, too, or have no rows, as parameters.
std::optional<SplitWay> rowWay(mlir::Operation *op, unsigned operand, int64_t ranks, RowUse use);

struct RowExchange {
  mlir::OpBuilder &builder;
  mlir::Location loc;
  int64_t ranks;

  /// A rank's rows of a whole value; no bytes move between ranks.
  mlir::Value own(mlir::Value whole) const;
  /// All rows, on every rank, for ops that all ranks run alike on whole values.
  mlir::Value gather(mlir::Value rows, mlir::RankedTensorType whole) const;
  /// All rows, for ops of which each rank runs a part. The backward pass gathers the rows again, unless
  /// `areKept`.
  mlir::Value gatherForParts(mlir::Value rows, mlir::RankedTensorType whole, bool areKept) const;
  /// A rank's rows of the sum of all ranks' terms.
  mlir::Value scatter(mlir::Value terms) const;
};

/// The type of a rank's rows.
mlir::RankedTensorType rowsType(mlir::RankedTensorType whole, int64_t ranks);

} // namespace windlass::graph
