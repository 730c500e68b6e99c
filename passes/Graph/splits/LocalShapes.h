// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- LocalShapes.h - rewrites a block to what one rank runs ================//
//
// Duty: applies a SplitChoice to its block. Tensors get the shapes of a rank's parts, exchanges are built
// where forms differ, and embeddings and losses that are shared out work on the rank's rows and columns.
// Threads, ownership: as MLIR's. Errors: none; the verifiers check the result.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "passes/Graph/splits/SplitChoice.h"

namespace windlass::graph {

/// `choice` must have been made for this block, which must not have changed since.
void makeLocal(mlir::Block &block, const SplitChoice &choice, int64_t ranks);

} // namespace windlass::graph
