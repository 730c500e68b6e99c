// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Grid.h - text tables with aligned columns =============================//
//
// Duty: writes lines of cells in columns that never run together. A column has its given width, or that of
// its longest cell if larger, with a gap before figures. Units: characters. Errors: none. Threads: one.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <string>
#include <vector>

namespace windlass::analysis {

class Grid {
public:
  enum class Align { Left, Right };
  struct Column {
    size_t width = 0; ///< at least
    Align align = Align::Right;
  };

  explicit Grid(std::vector<Column> columns) : columns(std::move(columns)) {}

  /// Adds a line with at most as many cells as there are columns.
  void add(std::vector<std::string> line) { lines.push_back(std::move(line)); }
  std::string text() const;

private:
  std::vector<Column> columns;
  std::vector<std::vector<std::string>> lines;
};

} // namespace windlass::analysis
