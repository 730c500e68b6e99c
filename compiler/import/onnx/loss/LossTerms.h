// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- LossTerms.h - a weighted sum of losses ==============================//
//
// Duty: a training step sums losses over the whole batch and divides them once: by
// the number of labels that count, or of examples. A term that is a mean over just
// those is the sum of its rows. Any other is multiplied by how many of them there are
// for each of those that it is a mean over, which a step is fed: so every term is the
// mean over the whole batch, however that is dealt to micro-batches.
// Threads: one graph, one thread.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/import/onnx/rewrite/Rewrite.h"

namespace windlass::onnx {

/// weight times the mean (the sum) of `rows`, or times `number`.
struct LossTerm {
  double weight = 1;
  ValueId rows = kAbsent;   ///< a loss for every label, or example
  ValueId labels = kAbsent; ///< of a mean, the input that holds the labels; kAbsent: rows are of examples
  std::vector<double> classWeights = {}; ///< how much the label of each class counts; empty: 1
  ValueId number = kAbsent;              ///< a number of the micro-batch
  Counting counting = {};                ///< which of the labels count
  bool isSum = false;                    ///< over the whole batch
};

struct CrossEntropy {
  ValueId scores = kAbsent; ///< classes are dimension 1
  ValueId labels = kAbsent;
  int64_t ignoredLabel = -100;
  double smoothing = 0;
  ValueId classWeights = kAbsent; ///< known before the run
};

/// A sum, or a mean over labels that are an input, is one of rows. A mean over other labels is a number.
LossTerm crossEntropyTerm(NodeMaker &maker, const CrossEntropy &loss, bool isSum);

/// The mean over the labels of a micro-batch that are not ignored, of shape {1}.
ValueId meanCrossEntropy(NodeMaker &maker, const CrossEntropy &loss);

/// How many examples a micro-batch has: every input begins with them.
int64_t examplesOf(const Graph &graph);

/// The losses of the whole sum, as the graph's output shall be; notes in the graph whose labels are counted.
ValueId sumOfTerms(NodeMaker &maker, const std::vector<LossTerm> &terms);

} // namespace windlass::onnx
