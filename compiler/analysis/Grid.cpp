// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/analysis/Grid.h"

#include <algorithm>

namespace windlass::analysis {

constexpr size_t kGap = 2;

std::string Grid::text() const {
  std::vector<Column> wide = columns;
  for (const std::vector<std::string> &line : lines)
    for (size_t i = 0; i < line.size(); ++i)
      wide[i].width = std::max(wide[i].width, line[i].size() + (wide[i].align == Align::Right ? kGap : 0));
  std::string text;
  for (const std::vector<std::string> &line : lines) {
    std::string shown;
    for (size_t i = 0; i < line.size(); ++i) {
      const std::string blanks(wide[i].width - std::min(wide[i].width, line[i].size()), ' ');
      shown += wide[i].align == Align::Right ? blanks + line[i] : line[i] + blanks;
    }
    text += shown.substr(0, shown.find_last_not_of(' ') + 1) + "\n";
  }
  return text;
}

} // namespace windlass::analysis
