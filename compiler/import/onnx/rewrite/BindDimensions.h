// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- BindDimensions.h - binds the dimensions of inputs =====================//
//
// Duty: binds the dimensions of inputs that the file leaves open: the first dimension of every input to the
// micro-batch, the second of an integer input to the training file's sequence, others by --dim. Errors:
// BadInput that lists all dimensions left open. Threads: one graph, one thread.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/import/onnx/graph/Model.h"

namespace windlass::onnx {

struct Sizes {
  int64_t batch = 0;
  int64_t sequence = 0; ///< 0: not given
  std::map<std::string, int64_t> dims;
};

Status bindDimensions(Graph &graph, const Sizes &sizes);

/// The examples of a micro-batch, if the file fixes their number; else 1.
int64_t batchOf(const Graph &graph);

} // namespace windlass::onnx
