// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- ClassifyWeights.h - parameters, buffers and constants ===============//
//
// Duty: what each initializer is, by the exporter's marks where it has them and by
// rules over its name and its readers where not; and the module's names for
// weights that the exporter folded, renamed and transposed.
// Threads: one graph, one thread.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/import/onnx/repair/Parameters.h"

namespace windlass::onnx {

/// One row per initializer that a node reads.
std::vector<Parameter> classifyWeights(const Graph &graph);

/// A trained weight with a made-up name gets its module's, a table that a product shares its embedding's; one
/// that was folded into a product gets its own orientation back, and a Transpose in front of the product.
Status restoreNames(Graph &graph, std::vector<Parameter> &rows);

} // namespace windlass::onnx
