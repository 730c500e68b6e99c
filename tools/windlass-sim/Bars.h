// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Bars.h - a bar chart of values ========================================//
//
// Duty: draws a line for each value, with a bar in proportion to the largest value. Threads: pure.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <string>
#include <vector>

namespace windlass::sim {

struct Bar {
  std::string name;
  double value = 0; ///< zero or more
  std::string text; ///< behind the bar
};

/// The chart; empty if no value is above zero.
std::string bars(const std::string &title, const std::vector<Bar> &values);

} // namespace windlass::sim
