// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- RowRewrite.h - a block that computes its own rows ===================//
//
// Duty: applies a choice of rows to its block: tensors get the size of a rank's rows, sums of terms are
// scattered, and who needs all rows gathers them. Or, where values shall stay whole, only says of the
// parameters that these ops read that sums over rows are each rank's terms, so that gradients are the same
// sums either way. Threads, ownership: as MLIR's. Errors: none; `verify-splits` judges what is built.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "passes/Graph/rows/RowChoice.h"

namespace windlass::graph {

/// Exchanges stand at each reader, so that gradients of a value are added in the order that they have when it
/// is whole. The block's own boundary is `boundary`. `keepInputs`: what is gathered for an op of which each
/// rank runs a part stays for the backward pass.
void cutRows(mlir::Block &block, const RowChoice &choice, const RowBoundary &boundary,
             const RowBoundaries &called, int64_t ranks, bool keepInputs);
/// Values stay whole.
void varyParameters(mlir::Block &block, const RowChoice &choice, int64_t ranks);

} // namespace windlass::graph
