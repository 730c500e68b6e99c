// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- OwnRows.h - a whole value, cut into the rows of each rank ===========//
//
// Duty: the form of a value of which each rank has its own rows (the first rank the first ones), which ops
// can be run on such rows, and the exchanges between a whole value and those. An op can be where it computes
// every row by itself: then it makes on a rank's rows what it would make of them on all. Threads, ownership:
// as MLIR's. Errors: none; what cannot be cut has no form.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "passes/Graph/splits/SplitWays.h"

namespace windlass::graph {

/// The form in which each rank has its rows of a tensor of this shape; nothing where ranks do not divide
/// them, or would have one each, whose elements could as well be columns.
std::optional<SplitForm> rowForm(mlir::Value whole, int64_t ranks);

/// Whether the rows of a sum are cut, or what is made of them row by row.
enum class RowUse { RowByRow, Sum };
/// The way in which an op, other than a product, reads these rows of operand `operand`: other operands have
/// their own rows too, or are parameters and the like, that no row is part of.
std::optional<SplitWay> rowWay(mlir::Operation *op, unsigned operand, int64_t ranks, RowUse use);

struct RowExchange {
  mlir::OpBuilder &builder;
  mlir::Location loc;
  int64_t ranks;

  /// A rank's rows of a whole value; moves nothing.
  mlir::Value own(mlir::Value whole) const;
  /// All rows, on every rank, for ops that all ranks run alike.
  mlir::Value gather(mlir::Value rows, mlir::RankedTensorType whole) const;
  /// All rows, for ops that each rank runs a part of. The backward pass gathers them again, unless they are
  /// kept.
  mlir::Value gatherForParts(mlir::Value rows, mlir::RankedTensorType whole, bool areKept) const;
  /// A rank's rows of the sum of all ranks' terms.
  mlir::Value scatter(mlir::Value terms) const;
};

/// The type of a rank's rows.
mlir::RankedTensorType rowsType(mlir::RankedTensorType whole, int64_t ranks);

} // namespace windlass::graph
