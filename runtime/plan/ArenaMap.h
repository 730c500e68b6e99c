//===- ArenaMap.h - who touched each byte of an arena last =================//
//
// Duty: an interval map of an arena; a cell is a range with one history. Cells
// are split where accesses end and merged by writes, so their number follows the
// live operands, not the accesses.
// Units: bytes; events are indices into a Timeline plus one, 0 is none.
// Threads: one replay, one thread.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/plan/Layout.h"
#include <algorithm>
#include <map>

namespace windlass::plan {

/// Whose value a cell holds.
struct Content {
  static constexpr int64_t kNothing = -1;
  int64_t buffer = kNothing;
  uint32_t run = 0; ///< section run that wrote it
};

struct Cell {
  int64_t end = 0;
  Content content;
  uint32_t writer = 0;  ///< newest write
  LaneCounts readers{}; ///< newest read of each lane since that write
};

class ArenaMap {
public:
  /// Calls visit(begin, cell) for each cell of [begin, end); bytes nobody touched are a cell, too.
  template <typename Visit> void visit(int64_t begin, int64_t end, Visit visit) {
    split(end);
    for (auto at = split(begin); begin < end;) {
      if (at == cells.end() || at->first > begin) { // a gap
        Cell untouched;
        untouched.end = at == cells.end() ? end : std::min(end, at->first);
        at = cells.emplace_hint(at, begin, untouched);
      }
      visit(begin, at->second);
      begin = at->second.end;
      ++at;
    }
  }

  /// Makes [begin, end) one cell.
  void replace(int64_t begin, int64_t end, const Content &content, uint32_t writer) {
    split(end);
    auto at = cells.erase(split(begin), cells.lower_bound(end));
    Cell cell;
    cell.end = end;
    cell.content = content;
    cell.writer = writer;
    cells.emplace_hint(at, begin, cell);
  }

private:
  using Cells = std::map<int64_t, Cell>;

  /// No cell crosses `offset` afterwards; returns the first at or behind it.
  Cells::iterator split(int64_t offset) {
    auto behind = cells.lower_bound(offset);
    if (behind == cells.begin())
      return behind;
    auto before = std::prev(behind);
    if (before->second.end <= offset)
      return behind;
    Cell rest = before->second;
    before->second.end = offset;
    return cells.emplace_hint(behind, offset, rest);
  }

  Cells cells;
};

} // namespace windlass::plan
