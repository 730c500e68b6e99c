// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- LinearProgram.h - a small dense linear program ========================//
//
// Duty: minimises cost * x under rows * x <= right and x >= 0, for costs that are zero or more, by the dual
// simplex method on a dense tableau (a few hundred rows). Deterministic. Entries should be scaled to about
// one.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cstddef>
#include <vector>

namespace windlass::planning {

struct LinearProgram {
  std::vector<double> cost;
  std::vector<std::vector<double>> rows;
  std::vector<double> right;
};

struct LinearSolution {
  bool feasible = true;
  std::vector<double> x;
  std::vector<double> price; ///< per row: the dual value, by which the cost falls per unit of `right`
};

LinearSolution solveLinear(LinearProgram program);

} // namespace windlass::planning
