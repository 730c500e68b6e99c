// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- BindDimensions.h - every input gets its sizes =======================//
//
// Duty: dimensions that the file leaves open become numbers: the first of every
// input is the micro-batch, the second of an integer input the training file's
// sequence, others are named by --dim.
// Errors: BadInput; dimensions that nothing binds are listed at once.
// Threads: one graph, one thread.
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

/// The examples of a micro-batch, where the file has a number of them; else 1.
int64_t batchOf(const Graph &graph);

} // namespace windlass::onnx
