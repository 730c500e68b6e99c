// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- LocalShapes.h - a block as one rank runs it =========================//
//
// Duty: rewrites a block whose choice is made: its tensors have the shapes of what one rank has, exchanges
// stand where forms differ, and embeddings and losses that are shared out look at their rank's rows and
// columns. Threads, ownership: as MLIR's. Errors: none; the verifiers judge what is built.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "passes/Graph/splits/SplitChoice.h"

namespace windlass::graph {

/// `choice` must be of this block, as it is now.
void makeLocal(mlir::Block &block, const SplitChoice &choice, int64_t ranks);

} // namespace windlass::graph
