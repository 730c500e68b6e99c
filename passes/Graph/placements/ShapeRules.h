// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- ShapeRules.h - placements of results of reshapes and pads =============//
//
// Duty: the rules of ops that change the shape of a rank's part. A split is of elements, so that a shape may
// leave open which of its dimensions is split; `parallelise` notes on such ops which one it is.
// Threads, ownership: values. Errors: none; no way where the operand does not meet the rule.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "passes/Graph/placements/Placements.h"

namespace windlass::graph {

/// Whether dimension `dim` of a rank's part may be the one that ranks share out, where the part consists of
/// runs of `width` elements: a run has whole indices of the dimension, and the dimension has whole runs.
bool maySplit(llvm::ArrayRef<int64_t> shape, unsigned dim, int64_t width);

/// The elements stay in order, and so does their split. If a dimension goes of which a rank has one row, it
/// may be that of ranks, so that the result is each rank's own.
Ways placeReshape(ReshapeOp op, const Placement &operand);

/// Padding along a dimension that is not split is the same for each part; along the split dimension it must
/// add whole runs to each part. The split dimension is the one that the pad says, unless its operand's is
/// another. Of a pad that does not say, candidates are the likely dimension, and those of which a rank has
/// one run or, if there are none, those of which it has several.
Ways placePad(PadOp op, const Placement &operand, int64_t ranks);

} // namespace windlass::graph
