// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- SplitShapes.h - a split, seen at a shape and at loops ===============//
//
// Duty: what a split of a tensor's elements means for one of its dimensions, and which loop of an op walks
// through it. A split is of elements, row by row, so that a reshape does not change it; a dimension has it
// where its indices are whole. Threads, ownership: values. Errors: none; what cannot be said is no split.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "dialects/Graph/IR/GraphDialect.h"
#include "planning/Split/SplitProblem.h"

namespace windlass::graph {

using planning::SplitForm;

/// Of every `period` indices of a dimension, or iterations of a loop, each rank has `width`.
struct PeriodicPart {
  unsigned of = 0; ///< the dimension or the loop
  int64_t period = 0, width = 0;
};

/// An even split over `ranks`; a rank's width is rounded up, and the last then has less.
SplitForm evenSplit(int64_t period, int64_t ranks);

/// The dimension of a tensor of this (whole) shape that a split form splits.
std::optional<PeriodicPart> splitDimension(llvm::ArrayRef<int64_t> shape, const SplitForm &form);
/// The form of a tensor of this (whole) shape of which a dimension is split.
SplitForm formOf(llvm::ArrayRef<int64_t> shape, const PeriodicPart &dimension);
/// What a rank has of a tensor of this (whole) shape: all of it, if it is not split.
llvm::SmallVector<int64_t> localShape(llvm::ArrayRef<int64_t> shape, const SplitForm &form);

/// The loop that alone walks through a dimension; nothing where the index is another.
std::optional<unsigned> plainLoop(mlir::AffineMap map, unsigned dimension);
/// The dimension that a loop alone walks through. `isElsewhere`: the loop is part of another index, too.
std::optional<unsigned> plainDimension(mlir::AffineMap map, unsigned loop, bool &isElsewhere);

} // namespace windlass::graph
