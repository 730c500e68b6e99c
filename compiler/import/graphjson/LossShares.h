// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- LossShares.h - terms of the loss with means of their own ============//
//
// Duty: a training step sums what it reports as the loss over the whole batch, and
// divides it once. A term that is a mean over something else is multiplied by a
// number that the training loop feeds: how many of the labels (examples) that the
// loss is divided by there are for each of those that the term is a mean over. The
// attribute "windlass.loss_share" of the feed says what these are.
// Threads, ownership: as MLIR's.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "dialects/Graph/IR/GraphDialect.h"
#include <string>
#include <vector>

namespace windlass {

/// What a term is a mean over.
struct LossShare {
  std::string of;                   ///< labels, examples, micro_batches or batches
  std::string input;                ///< whose labels
  int64_t ignored = 0;              ///< the label that counts for nothing
  std::vector<double> classWeights; ///< how much each class counts; empty: 1
  int64_t first = 0;                ///< the labels of an example before it count for nothing
  std::string item;                 ///< under which it is fed
};

/// The number that makes the sum of a term its mean, in the step that the builder stands in; `item` is chosen
/// here.
mlir::Value feedLossShare(mlir::OpBuilder &builder, mlir::Location loc, const LossShare &share);

/// Those that a step is fed.
std::vector<LossShare> lossShares(graph::StepOp step);

} // namespace windlass
