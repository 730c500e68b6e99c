// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- SampleRow.h - logits of the one token that is sampled ===============//
//
// Duty: a sample step needs the logits behind the last token only. Where logits are too large to exist whole,
// the step takes the feed "position", computes that row and reports nothing else.
// Threads, ownership: as MLIR's.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "dialects/Graph/IR/GraphDialect.h"

namespace windlass::graph {

/// Rewrites the step if it reports rows of a product, perhaps changed element by element, with a weight for
/// which `isCut` holds.
void reportOneRow(StepOp sample, llvm::function_ref<bool(mlir::Value)> isCut);

} // namespace windlass::graph
