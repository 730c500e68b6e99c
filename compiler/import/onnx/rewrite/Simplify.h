// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Simplify.h - nodes that change nothing go ===========================//
//
// Duty: after folding, drops identities, conversions between float types, dropout
// that drops nothing, transposes that undo each other, and choices that are known, so
// that recognition sees what is computed and not how an exporter spelt it.
// Errors: BadInput: dropout whose share is not known.
// Threads: one graph, one thread.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/import/onnx/graph/Model.h"

namespace windlass::onnx {

/// `dropoutIsOff`: training drops nothing, whatever the file says.
Status simplify(Graph &graph, bool dropoutIsOff);

} // namespace windlass::onnx
