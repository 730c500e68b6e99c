// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- BatchNorms.h - training mode of batch norms ===========================//
//
// Duty: decides for every BatchNormalization whether it normalises with the batch and updates its running
// statistics, or normalises with constant running statistics. In older operator sets the number of results
// says so, with PyTorch's newer exporter the node's name. Finds the layers that an exporter folded batch
// norms into. Errors: BadInput: batch norms were folded and the options do not accept that; a flag for batch
// norms, but no batch norm. Threads: one graph, one thread.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/import/onnx/Options.h"
#include "compiler/import/onnx/graph/Model.h"

namespace windlass::onnx {

/// The batch norms of a graph, by kind, for the report.
struct BatchNorms {
  int64_t training = 0, frozen = 0;
  std::vector<std::string> folded; ///< layers that a batch norm was folded into

  /// Lines for the report; empty without batch norms.
  std::string describe() const;
};

Result<BatchNorms> settleBatchNorms(Graph &graph, const OnnxOptions &options);

/// Whether a node normalises with its batch.
bool isTrainingNorm(const Node &node);

/// Attribute of such a node: the running variance is PyTorch's (unbiased), not ONNX's.
inline constexpr const char *kUnbiased = "unbiased";

} // namespace windlass::onnx
