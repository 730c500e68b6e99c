// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- FoldConstants.h - types, shapes and constant folding ==================//
//
// Duty: walks the graph once, gives every value its type and shape, and replaces
// nodes whose results are known (shape arithmetic, masks, tables of angles) by
// those results. Trainable weights are never folded.
// Errors: BadInput with the node, the rule and the value found.
// Threads: one graph, one thread.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/import/onnx/graph/Model.h"

namespace windlass::onnx {

/// Refuses unsupported operators, and nodes without required operands; the error lists all with counts, nodes
/// and scopes.
Status checkOperators(const Graph &graph);

Status foldConstants(Graph &graph);

/// Infers the results of one node that a rewrite has made.
Status inferNode(Graph &graph, Node &node);

} // namespace windlass::onnx
