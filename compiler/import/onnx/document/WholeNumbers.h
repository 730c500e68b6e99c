// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- WholeNumbers.h - integers that a plan can hold ========================//
//
// Duty: finds computed integers that do not fit the integers of a plan, which have 32 bits: sums and products
// of 64-bit ones, conversions to and arithmetic in uint8, and what is computed in f32. They would wrap
// around, or fail to. It follows the least and the greatest element of each value, from the bounds of inputs
// on. Errors: BadInput: all nodes with too large results, or with too small ones. Threads: one graph, one
// thread.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/import/onnx/graph/Model.h"

namespace windlass::onnx {

/// Checks a graph whose loss is attached. Adds a warning for each product whose factors have no known bounds.
Status checkWholeNumbers(const Graph &graph, std::vector<std::string> &warnings);

} // namespace windlass::onnx
