// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Detach.h - where a module stops gradients ===========================//
//
// Duty: x.detach() is nothing in ONNX. Without its optimiser the newer exporter leaves
// an Identity, with it only the name "detach" among the arguments of the calls that it
// notes. Both become the operator Detach of our own, through which no gradient flows.
// Errors: BadInput: a note says that a value was detached, and not which.
// Threads: one graph, one thread.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/import/onnx/repair/Parameters.h"

namespace windlass::onnx {

/// Before parameters are decided, while values have the names that the exporter gave them.
Status settleDetached(Graph &graph);

/// Once types and what is known before the run are known: what has no gradient anyway is not detached, so
/// that labels, masks and places stay what they are.
void dropIdleDetaches(Graph &graph);

/// Once the loss is known: parameters that it reads through detached values alone are not trained.
void fixDetached(const Graph &graph, ParameterTable &parameters);

} // namespace windlass::onnx
