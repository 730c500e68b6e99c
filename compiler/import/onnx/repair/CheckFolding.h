// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- CheckFolding.h - parameters that an exporter folded away ==============//
//
// Duty: refuses files in which folding lost a parameter. The newer exporter's optimiser computes all that
// depends on parameters alone. A parameter that it transposed or repeated can be restored. The exponential of
// a parameter, its rows in another order, or a combination of two parameters cannot; nor can a part of a
// parameter, or a parameter in another shape. Errors: BadInput that lists all lost parameters. Threads: one
// graph, one thread.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/import/onnx/graph/Model.h"
#include <optional>

namespace windlass::onnx {

Status checkFolding(const Graph &graph);

/// The operation that was applied to a table whose rows were looked up, or to the indices: the names do not
/// tell which. Empty: only sums, as for indices.
std::string doubtOf(const Value &value);

/// Whether an operation of PyTorch only moves or selects elements.
bool isMove(std::string_view operation);
/// Whether an operation of PyTorch makes a tensor from sizes and numbers alone.
bool isMade(std::string_view operation);
/// Whether a name may be one that the newer exporter gave after the operation that made the value:
/// "embedding", "add_1".
bool isOperation(const std::string &name);

/// Whether an optimiser computed a value by a look-up in a parameter.
bool isLookedUp(const Value &value);
/// Whether an optimiser computed a value by repeating a parameter.
bool isRepeated(const Value &value);
/// Whether an optimiser computed a matrix by transposing a parameter, and nothing else.
bool isTurned(const Value &value);
/// The original shape of a parameter to which an optimiser only added dimensions of 1. Nothing if it did
/// anything else, or if the parameter may have had some of these dimensions.
std::optional<Shape> shapeBeforeUnsqueeze(const Value &value);

} // namespace windlass::onnx
