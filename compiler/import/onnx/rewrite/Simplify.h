// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Simplify.h - removes nodes without effect =============================//
//
// Duty: removes, after folding, identities, conversions between float types, dropout of rate 0, transposes
// that undo each other, and Where nodes with a known condition, so that recognition finds composites however
// an exporter wrote them. Errors: BadInput: dropout whose rate is not known. Threads: one graph, one thread.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/import/onnx/graph/Model.h"

namespace windlass::onnx {

/// `dropoutIsOff`: training has no dropout, even if the file has.
Status simplify(Graph &graph, bool dropoutIsOff);

} // namespace windlass::onnx
