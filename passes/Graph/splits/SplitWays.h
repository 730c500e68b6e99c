// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- SplitWays.h - the ways in which ranks can share out an op =============//
//
// Duty: the ways in which tensor-parallel ranks can share out an op on whole tensors. Own ways: the loops of
// a matmul, the heads of an attention, the rows of a table, the columns of a cross-entropy. Other ways follow
// from a split of a tensor that the op reads or makes. For most ops, loops and maps alone decide: a parallel
// loop that is a plain index wherever it occurs splits the tensors that it indexes, a sum loop makes terms,
// and a loop of kind Whole cannot be shared out. Threads, ownership: values. Errors: none; an op that cannot
// be shared out has no way.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "passes/Graph/splits/SplitShapes.h"

namespace windlass::graph {

using planning::SplitWay;

/// The ranks, and the kind of block. Only a step can compute embeddings and losses in parts: these need the
/// rank's coordinate, which only steps are fed.
struct SplitScope {
  int64_t ranks = 1;
  bool isStep = false;
};

/// All ranks run the op on whole tensors.
SplitWay wholeWay(mlir::Operation *op);
/// The own ways of an op, which no split of a neighbour's tensor asks for.
llvm::SmallVector<SplitWay> ownWays(mlir::Operation *op, const SplitScope &scope);
/// The way in which an op reads operand `operand`, or makes result `result`, in this form; nothing if it
/// cannot.
std::optional<SplitWay> wayThatReads(mlir::Operation *op, unsigned operand, const SplitForm &form,
                                     const SplitScope &scope);
std::optional<SplitWay> wayThatMakes(mlir::Operation *op, unsigned result, const SplitForm &form,
                                     const SplitScope &scope);

/// Floating-point operations of an op on whole tensors.
double flopsOf(mlir::Operation *op);

} // namespace windlass::graph
