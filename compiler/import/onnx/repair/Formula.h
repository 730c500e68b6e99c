// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Formula.h - tells computed tables from learned ones ===================//
//
// Duty: decides whether a tensor without metadata is a mask or a table of positions or angles, or a
// parameter. Masks and tables follow a rule along some dimension; parameters, fresh or trained, do not.
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

/// The origin of a tensor, by its numbers without those that hide scores (an infinity, -1e9).
Origin originOf(const Literal &literal);

} // namespace windlass::onnx
