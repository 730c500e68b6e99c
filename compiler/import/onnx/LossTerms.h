//===- LossTerms.h - a weighted sum of losses ==============================//
//
// Duty: a training step sums losses over the whole batch and divides them once: by
// the number of labels that count, or of examples. A term that is a mean over just
// those is the sum of its rows. Any other is a number of each micro-batch, which
// counts as often as the micro-batch has labels (examples) that count.
// Threads: one graph, one thread.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/import/onnx/Rewrite.h"

namespace windlass::onnx {

/// weight times the mean of `rows`, or times `number`.
struct LossTerm {
  double weight = 1;
  ValueId rows = kAbsent;   ///< a loss for every label, or example
  ValueId labels = kAbsent; ///< the input that holds the labels; kAbsent: rows are of examples
  ValueId number = kAbsent; ///< a number of the micro-batch
  int64_t ignored = -100;   ///< the label that counts for nothing
};

struct CrossEntropy {
  ValueId scores = kAbsent; ///< classes are dimension 1
  ValueId labels = kAbsent;
  int64_t ignoredLabel = -100;
  double smoothing = 0;
};

/// A mean over labels that are an input is one of rows. A sum, or a mean over other labels, is a number.
LossTerm crossEntropyTerm(NodeMaker &maker, const CrossEntropy &loss, bool isSum);

/// The mean over the labels of a micro-batch that are not ignored, of shape {1}.
ValueId meanCrossEntropy(NodeMaker &maker, const CrossEntropy &loss);

/// How many examples a micro-batch has: every input begins with them.
int64_t examplesOf(const Graph &graph);

/// The losses of the whole sum, as the graph's output shall be; notes in the graph whose labels are counted.
ValueId sumOfTerms(NodeMaker &maker, const std::vector<LossTerm> &terms);

} // namespace windlass::onnx
