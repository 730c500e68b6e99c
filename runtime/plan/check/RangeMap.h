// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- RangeMap.h - a value for every byte ===================================//
//
// Duty: an interval map of an arena or a buffer; a cell is a range of bytes with
// one value. Cells are split where visits end and merged by writes, so their
// number follows the live operands, not the accesses.
// Units: bytes. Threads: one replay, one thread.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>

namespace windlass::plan {

template <typename Value> class RangeMap {
public:
  /// Calls visit(begin, end, value) for each cell of [begin, end); bytes nobody touched are a cell of
  /// Value().
  template <typename Visit> void visit(int64_t begin, int64_t end, Visit visit) {
    split(end);
    for (auto at = split(begin); begin < end;) {
      if (at == cells.end() || at->first > begin) { // a gap
        const int64_t behind = at == cells.end() ? end : std::min(end, at->first);
        at = cells.emplace_hint(at, begin, Cell{behind, Value()});
      }
      ++visits;
      visit(begin, at->second.end, at->second.value);
      begin = at->second.end;
      ++at;
    }
  }

  /// Makes [begin, end) one cell.
  void replace(int64_t begin, int64_t end, const Value &value) {
    split(end);
    auto at = cells.erase(split(begin), cells.lower_bound(end));
    cells.emplace_hint(at, begin, Cell{end, value});
  }

  /// Cells visited so far.
  int64_t visited() const { return visits; }

private:
  struct Cell {
    int64_t end;
    Value value;
  };
  using Cells = std::map<int64_t, Cell>;

  /// No cell crosses `offset` afterwards; returns the first at or behind it.
  typename Cells::iterator split(int64_t offset) {
    auto behind = cells.lower_bound(offset);
    if (behind == cells.begin())
      return behind;
    auto before = std::prev(behind);
    if (before->second.end <= offset)
      return behind;
    const Cell rest = before->second;
    before->second.end = offset;
    return cells.emplace_hint(behind, offset, rest);
  }

  Cells cells;
  int64_t visits = 0;
};

} // namespace windlass::plan
