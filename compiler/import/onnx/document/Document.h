// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Document.h - a graph becomes a graph-JSON document ====================//
//
// Duty: writes a graph as a "windlass.model/1" document: inputs with their roles, parameters, operations, the
// loss. Errors: BadInput with the node that cannot be written. Threads: one graph, one thread.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/import/onnx/repair/Parameters.h"
#include <nlohmann/json.hpp>

namespace windlass::onnx {

/// The shape of values of three or more dimensions that norms read, or sums that norms read.
enum class HiddenStates {
  AsMade, ///< that in which the operation makes them: the first layer takes another than the later layers
  AsRows, ///< rows x features from the start: equal layers have the same operations
};

/// Whether some value would be written in another shape as rows.
bool hasHiddenStates(const Graph &graph);

Result<nlohmann::json> writeDocument(const Graph &graph, const ParameterTable &parameters,
                                     HiddenStates hidden = HiddenStates::AsMade);

} // namespace windlass::onnx
