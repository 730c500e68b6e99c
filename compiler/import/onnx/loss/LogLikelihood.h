// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- LogLikelihood.h - cross-entropies of several operators ================//
//
// Duty: replaces the negative log-likelihood of a log-softmax by the operator that computes both in a stable
// way, and means over labels that are not the loss itself by a sum over a count. Threads: one graph, one
// thread.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/import/onnx/graph/Model.h"

namespace windlass::onnx {

/// Recognises NegativeLogLikelihoodLoss(LogSoftmax(x), y), and the mean of -LogSoftmax(x)[y] by
/// GatherElements.
Status recognizeLogLikelihoods(Graph &graph);

/// Replaces every SoftmaxCrossEntropyLoss that is a mean by the quotient of a sum and a count.
Status spellOutMeans(Graph &graph);

} // namespace windlass::onnx
