// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Terms.h - products and sums of several operators ======================//
//
// Duty: flattens nested products to a number and factors, and nested sums to a number and terms, so that 0.5
// * x * (1 + t), (x * 0.5) * (t + 1) and x * (1 + t) / 2 are the same. Threads: pure functions.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/import/onnx/graph/Model.h"
#include <optional>

namespace windlass::onnx {

struct Product {
  double coefficient = 1;
  std::vector<ValueId> factors;
};

struct Sum {
  double constant = 0;
  std::vector<ValueId> terms;
};

/// A value that is no product is one factor.
Product productOf(const Graph &graph, ValueId id);
/// A value that is no sum is one term.
Sum sumOf(const Graph &graph, ValueId id);

/// The number that all elements of a known value are.
std::optional<double> numberOf(const Graph &graph, ValueId id);
/// Whether two numbers are equal up to the rounding of f32.
bool isClose(double x, double y);
/// The operand of a node of this operator with one input; kAbsent if the value comes from another.
ValueId operandOf(const Graph &graph, ValueId id, std::string_view op);
/// The operands of the node of this operator that makes the value; none if another does.
std::vector<ValueId> operandsOf(const Graph &graph, ValueId id, std::string_view op);
/// Whether a value has as many elements as the last dimension of another, and no other dimension.
bool isRowOf(const Graph &graph, ValueId row, ValueId whole);
/// The operand of a mean over the last dimension.
ValueId meanOperand(const Graph &graph, ValueId id);

} // namespace windlass::onnx
