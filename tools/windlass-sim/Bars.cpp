// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/windlass-sim/Bars.h"

#include <algorithm>
#include <cmath>

namespace windlass::sim {

/// The characters of the longest bar.
constexpr double kLongest = 40;

std::string bars(const std::string &title, const std::vector<Bar> &values) {
  double largest = 0;
  size_t width = 0;
  for (const Bar &bar : values) {
    largest = std::max(largest, bar.value);
    width = std::max(width, bar.name.size());
  }
  if (!(largest > 0))
    return "";
  std::string text = title + "\n";
  for (const Bar &bar : values) {
    const auto length = static_cast<size_t>(std::lround(kLongest * bar.value / largest));
    std::string line = bar.name + std::string(width - bar.name.size() + 2, ' ') + std::string(length, '#');
    line += (length > 0 ? " " : "") + bar.text;
    text += line + "\n";
  }
  return text;
}

} // namespace windlass::sim
