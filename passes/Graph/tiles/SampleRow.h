// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- SampleRow.h - logits of the one token that is sampled =================//
//
// Duty: rewrites a sample step whose logits are large. Sampling needs the logits of one token alone: the step
// takes the number of the token as the feed "position", and computes and reports that row.
// Threads, ownership: as MLIR's.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "dialects/Graph/IR/GraphDialect.h"

namespace windlass::graph {

/// Rewrites the step if it reports several rows of a product, perhaps changed element by element, for which
/// `isLarge` holds.
void reportOneRow(StepOp sample, llvm::function_ref<bool(MatmulOp)> isLarge);

} // namespace windlass::graph
