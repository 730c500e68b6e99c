// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Uses.h - the readers of each value ====================================//
//
// Duty: lists the inputs of nodes that read each value, in the order of the nodes.
// Ownership: refers to the nodes, and is invalid once they are replaced.
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
