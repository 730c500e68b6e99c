// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- RowRewrite.h - rewrites a block to a rank's own rows ==================//
//
// Duty: applies a choice of rows to its block. cutRows(): tensors get the size of a rank's rows, sums of
// terms are scattered, and rows are gathered for ops that need all of them. varyParameters(): values stay
// whole, and only the parameters that the chosen ops read become varied, so that their gradients are sums of
// each rank's terms. Gradients are the same sums either way. Threads, ownership: as MLIR's. Errors: none;
// `verify-splits` checks the result.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "passes/Graph/rows/RowChoice.h"

namespace windlass::graph {

/// Builds an exchange at each reader, so that the gradients of a value are added in the same order as for a
/// whole value. `boundary`: the arguments and results of the block itself. `keepInputs`: values that are
/// gathered for ops of which each rank runs a part are kept for the backward pass.
void cutRows(mlir::Block &block, const RowChoice &choice, const RowBoundary &boundary,
             const RowBoundaries &called, int64_t ranks, bool keepInputs);
/// Varies the parameters of the chosen ops; all values stay whole.
void varyParameters(mlir::Block &block, const RowChoice &choice, int64_t ranks);

} // namespace windlass::graph
