// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- CheckFolding.h - parameters that an exporter computed away ==========//
//
// Duty: the newer exporter's optimiser computes all that depends on parameters
// alone. Where that turned or repeated a parameter, it can be found again; of its
// exponential, of rows in another order, or of two parameters, nothing is left to
// train, and of a part of it, or of it in another shape, not what the module has.
// Errors: BadInput; what is lost is listed at once.
// Threads: one graph, one thread.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/import/onnx/graph/Model.h"
#include <optional>

namespace windlass::onnx {

Status checkFolding(const Graph &graph);

/// What was computed of a parameter whose rows were looked up, or of the places in it: the names cannot tell.
/// Empty: nothing but sums, which places are.
std::string doubtOf(const Value &value);

/// Whether an operation of PyTorch leaves elements as they are, or picks some.
bool isMove(std::string_view operation);
/// Whether it makes a tensor of sizes and numbers alone.
bool isMade(std::string_view operation);
/// Whether the newer exporter may have called a value so after what it is the result of: "embedding",
/// "add_1".
bool isOperation(const std::string &name);

/// Whether an optimiser made a value of rows that it looked up in a parameter.
bool isLookedUp(const Value &value);
/// Whether an optimiser made copies of a parameter.
bool isRepeated(const Value &value);
/// Whether an optimiser made a matrix of a parameter by transposing it, and by nothing else.
bool isTurned(const Value &value);
/// The shape of a parameter to which an optimiser added dimensions of 1, and did nothing else. Nothing: it
/// did not, or the parameter may have had some of them itself.
std::optional<Shape> shapeBeforeUnsqueeze(const Value &value);

} // namespace windlass::onnx
