// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- AdjointCases.h - functions whose adjoints are tested ==================//
//
// Duty: the functions @f under test: one for each differentiable op and each way to use it.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <ostream>
#include <string>
#include <vector>

namespace windlass::interpreter {

struct AdjointCase {
  std::string name;
  std::string function;      ///< MLIR text of @f
  double low = -1, high = 1; ///< bounds of random floats
  int bound = 4;             ///< exclusive, of random integers
};

inline void PrintTo(const AdjointCase &tested, std::ostream *out) { *out << tested.name; }

/// A map of two inputs, whose body computes %c from %a and %b by scalar ops.
AdjointCase scalarCase(const std::string &name, const std::string &ops, double low = -1, double high = 1);

std::vector<AdjointCase> scalarCases();
std::vector<AdjointCase> loopCases();
/// Functions that read and write parts of tensors.
std::vector<AdjointCase> partCases();
/// The coarse ops on tensors of `element`, with auxiliary tensors in f32.
std::vector<AdjointCase> coarseCases(const std::string &element);

} // namespace windlass::interpreter
