// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- ClassifyWeights.h - parameters, buffers and constants =================//
//
// Duty: decides whether each initializer is a parameter, a buffer or a constant, by the exporter's marks or,
// without marks, by rules on its name and readers; and restores the module's names and orientations of
// weights that the exporter renamed and transposed. Threads: one graph, one thread.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/import/onnx/graph/Uses.h"
#include "compiler/import/onnx/repair/Parameters.h"

namespace windlass::onnx {

/// One row per initializer that a node reads.
std::vector<Parameter> classifyWeights(const Graph &graph);

/// "weight" or "bias" for the scale or shift of a group norm that is written as an instance norm; else empty.
std::string leafOfGroupNorm(const Graph &graph, const Use &use);

/// Gives trained weights with made-up names the names of their modules, and a table that is also the weight
/// of a product the name of its embedding. A weight that the exporter transposed for a product gets its
/// original orientation, and a Transpose before the product.
Status restoreNames(Graph &graph, std::vector<Parameter> &rows);

} // namespace windlass::onnx
