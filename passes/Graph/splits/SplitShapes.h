// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- SplitShapes.h - splits of elements as splits of dimensions ============//
//
// Duty: converts between a split of a tensor's elements and a split of one of its dimensions, and finds the
// loop of an op that walks through that dimension. A split is of elements in row-major order, so that a
// reshape does not change it. It is a split of a dimension if no index of the dimension is cut. Threads,
// ownership: values. Errors: none; nothing is returned where no dimension is split.
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

/// An even split over `ranks`. The width of a rank is rounded up; the last rank may have fewer elements.
SplitForm evenSplit(int64_t period, int64_t ranks);

/// The dimension of a tensor of this (whole) shape that a split form splits.
std::optional<PeriodicPart> splitDimension(llvm::ArrayRef<int64_t> shape, const SplitForm &form);
/// The form of a tensor of this (whole) shape of which a dimension is split.
SplitForm formOf(llvm::ArrayRef<int64_t> shape, const PeriodicPart &dimension);
/// The shape of a rank's part of a tensor of this (whole) shape; the whole shape if the form is no split.
llvm::SmallVector<int64_t> localShape(llvm::ArrayRef<int64_t> shape, const SplitForm &form);

/// The loop that alone is the index of a dimension; nothing if the index has another form.
std::optional<unsigned> plainLoop(mlir::AffineMap map, unsigned dimension);
/// The dimension whose index is this loop alone. `isElsewhere`: set if the loop is part of another index,
/// too.
std::optional<unsigned> plainDimension(mlir::AffineMap map, unsigned loop, bool &isElsewhere);

} // namespace windlass::graph
