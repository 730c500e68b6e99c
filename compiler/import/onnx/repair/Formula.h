// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Formula.h - whether numbers were computed, or may be learned ========//
//
// Duty: a table that a file holds without a word about it is a mask, a table of
// positions or angles, or a parameter. The first ones follow a rule along some
// dimension; parameters, as they start and as they were trained, do not.
// Threads: pure functions.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/import/onnx/graph/Literal.h"

namespace windlass::onnx {

enum class Origin : uint8_t {
  Formula, ///< two numbers; or steps, distances, sines, exponentials or windows along a dimension
  Learned, ///< no such rule along any dimension
  Unknown  ///< too few numbers to tell, or one throughout: a fresh parameter, or a mask that hides nothing
};

/// What hides a score (an infinity, -1e9) is no number of the table.
Origin originOf(const Literal &literal);

} // namespace windlass::onnx
