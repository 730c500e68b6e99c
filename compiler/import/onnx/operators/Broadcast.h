// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Broadcast.h - operators that work element by element ==================//
//
// Duty: infers, evaluates and writes operators that work element by element on inputs that broadcast against
// each other. Errors: noted at the OpView. Threads: pure functions.
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

/// The result for one element of each operand.
using RealFunction = std::function<double(std::span<const double>)>;
using IntegerFunction = std::function<int64_t(std::span<const int64_t>)>;

/// Evaluates with `real` for float operands, else with `integer`.
std::vector<Literal> evaluateEach(OpView &op, const RealFunction &real, const IntegerFunction &integer);

/// Writes `operation` over the operands, in a shape for which few of them need a reshape.
void writeEach(OpView &op, Writer &writer, nlohmann::json operation);

} // namespace windlass::onnx
