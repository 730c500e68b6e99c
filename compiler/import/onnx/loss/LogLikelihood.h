// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- LogLikelihood.h - cross-entropies that are spelt out ================//
//
// Duty: the negative log-likelihood of a log-softmax becomes the one operator that
// computes both, and is stable; means over labels that are not the loss itself are
// written as sums and counts.
// Threads: one graph, one thread.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/import/onnx/graph/Model.h"

namespace windlass::onnx {

/// NegativeLogLikelihoodLoss(LogSoftmax(x), y), and the mean of -LogSoftmax(x)[y] that GatherElements takes.
Status recognizeLogLikelihoods(Graph &graph);

/// Every SoftmaxCrossEntropyLoss that is a mean becomes the quotient of a sum and a count.
Status spellOutMeans(Graph &graph);

} // namespace windlass::onnx
