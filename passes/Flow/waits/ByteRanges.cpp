// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Flow/waits/ByteRanges.h"

namespace windlass::flow {

void AccessHistory::splitAt(int64_t position) {
  auto after = segments.upper_bound(position);
  if (after == segments.begin())
    return;
  auto at = std::prev(after);
  if (at->first == position || at->second.end <= position)
    return;
  Segment tail = at->second;
  at->second.end = position;
  segments.emplace(position, std::move(tail));
}

void AccessHistory::access(int64_t begin, int64_t end, bool writes, uint32_t who, OnConflict onConflict) {
  splitAt(begin);
  splitAt(end);
  int64_t at = begin;
  auto next = segments.lower_bound(begin);
  while (at < end) {
    if (next == segments.end() || next->first > at) { // bytes nobody touched yet
      int64_t gap = next == segments.end() ? end : std::min(end, next->first);
      next = std::next(segments.emplace(at, Segment{gap, -1, {}}).first);
      at = gap;
      continue;
    }
    at = next->second.end;
    ++next;
  }
  for (auto it = segments.lower_bound(begin); it != segments.end() && it->first < end; ++it) {
    Segment &segment = it->second;
    if (segment.writer >= 0)
      onConflict(static_cast<uint32_t>(segment.writer));
    if (writes) {
      for (uint32_t reader : segment.readers)
        onConflict(reader);
      segment.writer = who;
      segment.readers.clear();
    } else if (segment.readers.empty() || segment.readers.back() != who) {
      segment.readers.push_back(who);
    }
  }
}

} // namespace windlass::flow
