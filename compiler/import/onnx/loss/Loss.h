// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Loss.h - the loss of an ONNX model ====================================//
//
// Duty: finds the loss in the graph, or appends the one that the user names, and brings it into the form of
// graph JSON: losses of rows, which are summed and divided by the number of labels of the whole batch.
// Errors: BadInput: no output that could be the loss, or several.
// Threads: one graph, one thread.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/import/onnx/Options.h"
#include "compiler/import/onnx/graph/Model.h"
#include <optional>

namespace windlass::onnx {

/// What the importer found of a loss.
struct LossAccount {
  std::string text;                  ///< one line that describes the loss
  std::vector<double> weights;       ///< of its terms
  std::vector<double> factors;       ///< the numbers that terms are multiplied by; parts of the weights
  std::vector<std::string> warnings; ///< where it may be another number than that of the whole batch
};

/// The weights of the terms if a micro-batch has another number of examples. A weight that changes with it
/// was computed from a size of the batch.
struct OtherBatch {
  int64_t examples = 0;
  std::vector<double> weights;
};

/// Whether a known number multiplies or divides an output of one number, or a term of it. The number may be a
/// size of the batch. To be called after constants are folded and before factors of 1 are dropped: a size may
/// be 1.
bool multipliesLoss(const Graph &graph);

/// Makes the losses the only output of the graph, and removes nodes that no output needs. `other`: none if
/// the file is not known for another micro-batch; weights then count as constants.
Status attachLoss(Graph &graph, const OnnxOptions &options, const std::optional<OtherBatch> &other,
                  LossAccount &account);

} // namespace windlass::onnx
