// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Uses.h - who reads a value ==========================================//
//
// Duty: the inputs of nodes at which each value is read, in the order of the nodes.
// Ownership: refers to the nodes; no longer true once these are replaced.
// Threads: one graph, one thread.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/import/onnx/graph/Model.h"

namespace windlass::onnx {

struct Use {
  Node *node;
  size_t input;
};
using Uses = std::map<ValueId, std::vector<Use>>;

Uses usesOf(const Graph &graph);

} // namespace windlass::onnx
