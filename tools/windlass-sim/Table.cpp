// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/windlass-sim/Table.h"

#include <algorithm>
#include <cstdio>

namespace windlass::sim {

std::string Table::text() const {
  if (rows.size() < 2)
    return "";
  const size_t columns = rows.front().size();
  const auto inColumns = [&](const Row &row) { return row.size() < columns ? row.size() - 1 : columns; };
  std::vector<size_t> widths(columns);
  for (const Row &row : rows)
    for (size_t column = 0; column < inColumns(row); ++column)
      widths[column] = std::max(widths[column], row[column].size());
  std::string text;
  for (const Row &row : rows) {
    std::string line;
    for (size_t column = 0; column < row.size(); ++column) {
      const std::string space(column < inColumns(row) ? widths[column] - row[column].size() : 0, ' ');
      line += column == 0 ? row[column] + space : "  " + space + row[column];
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

std::string percent(double share) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f %%", 100 * share);
  return text;
}

} // namespace windlass::sim
