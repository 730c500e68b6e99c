// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Grid.h - cells of a table under each other ==========================//
//
// Duty: lines of cells in columns that never run together: a column is as wide as it is meant to be or as
// its longest cell asks for, with a gap before figures.
// Units: characters. Errors: none. Threads: one.
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

  /// As many cells as there are columns, or fewer.
  void add(std::vector<std::string> line) { lines.push_back(std::move(line)); }
  std::string text() const;

private:
  std::vector<Column> columns;
  std::vector<std::vector<std::string>> lines;
};

} // namespace windlass::analysis
