//===- Simplify.h - nodes that change nothing go ===========================//
//
// Duty: after folding, drops identities, conversions between float types, dropout
// that is off, transposes that undo each other, and choices that are known, so
// that recognition sees what is computed and not how an exporter spelt it.
// Errors: BadInput: dropout that is asked for and not switched off.
// Threads: one graph, one thread.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/import/onnx/Model.h"

namespace windlass::onnx {

Status simplify(Graph &graph, bool dropoutIsOff);

} // namespace windlass::onnx
