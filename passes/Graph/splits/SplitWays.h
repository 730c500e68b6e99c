// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- SplitWays.h - the ways in which ranks can share out an op ===========//
//
// Duty: for one op on whole tensors, the ways that begin with it (the loops of a matmul, the heads of an
// attention, the rows of a table, the columns of a cross-entropy) and the way that a split of one of its
// tensors asks for. Most ops are known by their loops and maps alone: a parallel loop that is a plain index
// wherever it occurs splits what it indexes, a sum makes terms, and a whole one is shared out by nobody.
// Threads, ownership: values. Errors: none; what cannot be shared out has no way.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "passes/Graph/splits/SplitShapes.h"

namespace windlass::graph {

using planning::SplitWay;

/// Whether an op can be run on parts of its tensors. A function computes no embedding and no loss in parts,
/// for those need to know the rank, which the step alone is fed.
struct SplitScope {
  int64_t ranks = 1;
  bool isStep = false;
};

/// All ranks run the op on whole tensors.
SplitWay wholeWay(mlir::Operation *op);
/// The ways that an op can be shared out in for its own sake.
llvm::SmallVector<SplitWay> ownWays(mlir::Operation *op, const SplitScope &scope);
/// The way in which an op reads operand `operand`, or makes result `result`, in this form.
std::optional<SplitWay> wayThatReads(mlir::Operation *op, unsigned operand, const SplitForm &form,
                                     const SplitScope &scope);
std::optional<SplitWay> wayThatMakes(mlir::Operation *op, unsigned result, const SplitForm &form,
                                     const SplitScope &scope);

/// Floating-point operations of an op on whole tensors.
double flopsOf(mlir::Operation *op);

} // namespace windlass::graph
