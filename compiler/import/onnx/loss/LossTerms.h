// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- LossTerms.h - a weighted sum of losses ================================//
//
// Duty: builds the sum of the terms of a loss. A training step sums losses over the whole batch and divides
// the sum once, by the number of labels that count, or of examples (the divisor). A term that is a mean over
// the same number is the sum of its rows. Any other term is multiplied by a factor that the step is fed: the
// divisor over the number that the term is a mean over (LossShares.h). So every term is its mean over the
// whole batch, however the batch is cut into micro-batches. Threads: one graph, one thread.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/import/onnx/rewrite/Rewrite.h"

namespace windlass::onnx {

/// `weight` times the mean (or sum) of `rows`, or times `number`.
struct LossTerm {
  double weight = 1;
  ValueId rows = kAbsent;   ///< a loss for every label, or example
  ValueId labels = kAbsent; ///< of a mean: the input with the labels; kAbsent: rows are of examples
  std::vector<double> classWeights = {}; ///< by class; empty: all 1
  ValueId number = kAbsent;              ///< a number of the micro-batch
  Counting counting = {};                ///< the labels that count
  bool isSum = false;                    ///< a sum over the whole batch, no mean
  double perRow = 1;        ///< of a sum: elements of which a row is the mean; they are part of `weight`
  ValueId origin = kAbsent; ///< the value of the file that it is; kAbsent: a loss that the user names
};

struct CrossEntropy {
  ValueId scores = kAbsent; ///< classes are dimension 1
  ValueId labels = kAbsent;
  int64_t ignoredLabel = -100;
  double smoothing = 0;
  ValueId classWeights = kAbsent; ///< known before the run
};

/// The term of a cross-entropy. A sum, or a mean over labels that are an input, has rows; a mean over other
/// labels is a number.
LossTerm crossEntropyTerm(NodeMaker &maker, const CrossEntropy &loss, bool isSum);

/// The sum of all losses of a micro-batch, of shape {1}.
ValueId sumOfRows(NodeMaker &maker, ValueId rows);

/// The mean over the labels of a micro-batch that are not ignored, of shape {1}.
ValueId meanCrossEntropy(NodeMaker &maker, const CrossEntropy &loss);

/// The examples of a micro-batch: the first dimension of every input.
int64_t examplesOf(const Graph &graph);

/// The losses of the whole sum, for the graph's output. Sets `countedLabels` of the graph.
ValueId sumOfTerms(NodeMaker &maker, const std::vector<LossTerm> &terms);

} // namespace windlass::onnx
