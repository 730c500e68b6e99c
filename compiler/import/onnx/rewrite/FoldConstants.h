// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- FoldConstants.h - shapes, types, and what is known before the run ===//
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

/// Operators that Windlass does not have, and nodes that lack operands of theirs, all at once, with counts,
/// nodes and scopes; ok if there are none.
Status checkOperators(const Graph &graph);

Status foldConstants(Graph &graph);

/// Infers one node's results; used for nodes that a rewrite makes.
Status inferNode(Graph &graph, Node &node);

} // namespace windlass::onnx
