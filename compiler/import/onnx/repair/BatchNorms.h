// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- BatchNorms.h - what batch norms normalise with ======================//
//
// Duty: settles for every BatchNormalization whether it normalises with the batch
// and updates its running statistics, or with these as they stand; older operator
// sets say so by the number of results, PyTorch's newer exporter by the node's name.
// Finds the layers that an exporter folded batch norms into.
// Errors: BadInput where batch norms were folded, unless the options accept that; where a
// flag speaks of batch norms and there are none.
// Threads: one graph, one thread.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/import/onnx/Options.h"
#include "compiler/import/onnx/graph/Model.h"

namespace windlass::onnx {

/// How many there are, and what the user should know of them.
struct BatchNorms {
  int64_t training = 0, frozen = 0;
  std::vector<std::string> folded; ///< layers that hold one that is no more

  /// Lines for the report; empty where there is nothing to say.
  std::string describe() const;
};

Result<BatchNorms> settleBatchNorms(Graph &graph, const OnnxOptions &options);

/// Whether a node normalises with its batch.
bool isTrainingNorm(const Node &node);

/// On such a node: PyTorch's running variance (unbiased) is wanted, not ONNX's.
inline constexpr const char *kUnbiased = "unbiased";

} // namespace windlass::onnx
