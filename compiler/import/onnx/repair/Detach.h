// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Detach.h - detach() of PyTorch modules ================================//
//
// Duty: restores x.detach(), which ONNX lacks. Without its optimiser the newer exporter writes an Identity;
// with it, only the name "detach" among the arguments of the calls that it notes. Both become our own
// operator Detach, through which no gradient flows. Errors: BadInput: a value was detached, and the file does
// not say which. Threads: one graph, one thread.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/import/onnx/repair/Parameters.h"

namespace windlass::onnx {

/// Inserts the Detach nodes. To be called before parameters are decided, while values have the exporter's
/// names.
Status settleDetached(Graph &graph);

/// Removes Detach nodes of values that have no gradient anyway, so that labels, masks and indices are
/// recognised. To be called after constants are folded.
void dropIdleDetaches(Graph &graph);

/// Makes parameters untrained that the loss reads through detached values alone. To be called after the loss
/// is attached.
void fixDetached(const Graph &graph, ParameterTable &parameters);

} // namespace windlass::onnx
