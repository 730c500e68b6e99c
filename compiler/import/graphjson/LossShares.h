// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- LossShares.h - terms of the loss with different denominators ==========//
//
// Duty: scales terms of the loss that are means over other numbers than the whole loss. A training step sums
// its losses over the whole batch and divides the sum once, by a number of labels or examples (the divisor).
// A term that is a mean over another number is multiplied by a factor that the training loop feeds: the
// divisor over that number. The attribute "windlass.loss_share" of the feed says what the term is a mean
// over. Threads, ownership: as MLIR's.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "dialects/Graph/IR/GraphDialect.h"
#include <string>
#include <vector>

namespace windlass {

/// The labels or examples that a term is a mean over.
struct LossShare {
  std::string of;                   ///< labels, examples, micro_batches or batches
  std::string input;                ///< the input with the labels
  int64_t ignored = 0;              ///< the label that does not count
  std::vector<double> classWeights; ///< by class; empty: all 1
  int64_t first = 0;                ///< the first label of an example that counts
  std::string item;                 ///< name of the feed
};

/// Adds the feed of the factor of a term to the step around the builder, and returns its value. This function
/// chooses the `item` of the share.
mlir::Value feedLossShare(mlir::OpBuilder &builder, mlir::Location loc, const LossShare &share);

/// The loss shares that a step is fed.
std::vector<LossShare> lossShares(graph::StepOp step);

} // namespace windlass
