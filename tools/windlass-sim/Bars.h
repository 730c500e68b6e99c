// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Bars.h - a picture of how values compare ============================//
//
// Duty: a line for each value, with a bar as long as its share of the largest: what grows, and what falls
// off, is seen without reading digits. Threads: pure.
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

/// Empty where no value is above zero.
std::string bars(const std::string &title, const std::vector<Bar> &values);

} // namespace windlass::sim
