// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Table.h - rows of text in columns =====================================//
//
// Duty: lines up cells: the first column at its left, the others at their right, two spaces between them at
// least, so that columns never run together. A row of fewer cells than the first ends with a remark, which
// takes the rest of the line.
// Threads: a value.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <string>
#include <vector>

namespace windlass::sim {

class Table {
public:
  using Row = std::vector<std::string>;

  explicit Table(Row titles) : rows{std::move(titles)} {}
  void add(Row row) { rows.push_back(std::move(row)); }
  /// A line per row; nothing where no row was added.
  std::string text() const;

private:
  std::vector<Row> rows;
};

/// "12.3 %"
std::string percent(double share);

} // namespace windlass::sim
