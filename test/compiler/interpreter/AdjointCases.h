// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- AdjointCases.h - functions whose adjoints are tested ================//
//
// Duty: one function @f per differentiable op and way of using it.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <ostream>
#include <string>
#include <vector>

namespace windlass::interpreter {

struct AdjointCase {
  std::string name;
  std::string function; ///< of the shape of @f
  double low = -1, high = 1;
  int bound = 4;
};

inline void PrintTo(const AdjointCase &tested, std::ostream *out) { *out << tested.name; }

/// A map of two inputs through scalar ops, which compute %c from %a and %b.
AdjointCase scalarCase(const std::string &name, const std::string &ops, double low = -1, double high = 1);

std::vector<AdjointCase> scalarCases();
std::vector<AdjointCase> loopCases();
/// Reading and writing parts of tensors.
std::vector<AdjointCase> partCases();
/// The coarse ops on tensors of `element`; their auxiliaries are f32.
std::vector<AdjointCase> coarseCases(const std::string &element);

} // namespace windlass::interpreter
