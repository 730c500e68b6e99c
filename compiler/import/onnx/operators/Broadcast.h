// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Broadcast.h - operators that work element by element ================//
//
// Duty: types, values and graph-JSON operations of operators whose inputs are
// broadcast against each other.
// Errors: noted at the OpView.
// Threads: pure functions.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/import/onnx/operators/Operator.h"
#include "compiler/import/onnx/operators/Writer.h"
#include <functional>

namespace windlass::onnx {

/// The common shape of all inputs, of the first one's type.
std::vector<Type> inferSame(OpView &op);
/// The same, of booleans.
std::vector<Type> inferBool(OpView &op);

/// The operands at one place, as numbers, to the result there.
using RealFunction = std::function<double(std::span<const double>)>;
using IntegerFunction = std::function<int64_t(std::span<const int64_t>)>;

/// Evaluates with one function or the other, by the type of the operands.
std::vector<Literal> evaluateEach(OpView &op, const RealFunction &real, const IntegerFunction &integer);

/// Writes `op` over the operands `first` and after, in a shape in which as few as possible are reshaped.
void writeEach(OpView &op, Writer &writer, nlohmann::json operation);

} // namespace windlass::onnx
