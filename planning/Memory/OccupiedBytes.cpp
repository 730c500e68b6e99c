// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "planning/Memory/OccupiedBytes.h"

#include <algorithm>

namespace windlass::planning {

void JoinedRanges::add(ByteRange range) {
  auto first = std::lower_bound(ranges.begin(), ranges.end(), range.begin,
                                [](const ByteRange &other, int64_t at) { return other.end < at; });
  auto last = first;
  for (; last != ranges.end() && last->begin <= range.end; ++last)
    range = {std::min(range.begin, last->begin), std::max(range.end, last->end)};
  if (first == last) {
    ranges.insert(first, range);
    return;
  }
  *first = range;
  ranges.erase(first + 1, last);
}

void TakenList::clear() {
  buffers.clear();
  begins.clear();
  ends.clear();
}

void TakenList::take(size_t begin, size_t end, ByteRange bytes) {
  auto after = std::upper_bound(buffers.begin(), buffers.end(), bytes.begin,
                                [](int64_t at, const ByteRange &other) { return at < other.begin; });
  const auto index = after - buffers.begin();
  buffers.insert(after, bytes);
  begins.insert(begins.begin() + index, static_cast<int32_t>(begin));
  ends.insert(ends.begin() + index, static_cast<int32_t>(end));
}

/// Without a branch, so that compilers compare many buffers at once.
void TakenList::markLive(size_t begin, size_t end) {
  const auto first = static_cast<int32_t>(begin), last = static_cast<int32_t>(end);
  const size_t count = buffers.size();
  isLive.assign(count + sizeof(uint64_t), 0);
  const int32_t *beginOf = begins.data(), *endOf = ends.data();
  uint8_t *live = isLive.data();
  for (size_t i = 0; i < count; ++i)
    live[i] = static_cast<uint8_t>(static_cast<int>(beginOf[i] < last) & static_cast<int>(first < endOf[i]));
}

TakenTree::TakenTree(size_t positions) {
  while (leaves < positions)
    leaves *= 2;
  within.resize(2 * leaves);
  across.resize(2 * leaves);
}

void TakenTree::clear() {
  for (std::vector<JoinedRanges> *nodes : {&within, &across})
    for (JoinedRanges &node : *nodes)
      node.clear();
}

/// The largest nodes that make up [begin, end) together.
template <typename Visit> void TakenTree::forCover(size_t begin, size_t end, Visit visit) const {
  for (size_t left = begin + leaves, right = end + leaves; left < right; left /= 2, right /= 2) {
    if (left % 2 == 1)
      visit(left++);
    if (right % 2 == 1)
      visit(--right);
  }
}

/// The first and the last position of [begin, end) and all nodes above them: every node that [begin, end)
/// meets, but for those inside its cover.
template <typename Visit> void TakenTree::forPaths(size_t begin, size_t end, Visit visit) const {
  for (size_t left = begin + leaves, right = end - 1 + leaves; left >= 1; left /= 2, right /= 2) {
    visit(left);
    if (left != right)
      visit(right);
  }
}

void TakenTree::take(size_t begin, size_t end, ByteRange bytes) {
  forCover(begin, end, [&](size_t node) {
    within[node].add(bytes);
    across[node].add(bytes);
  });
  forPaths(begin, end, [&](size_t node) { within[node].add(bytes); });
}

void TakenTree::takenDuring(size_t begin, size_t end, std::vector<ByteRange> &taken) const {
  forCover(begin, end,
           [&](size_t node) { taken.insert(taken.end(), within[node].begin(), within[node].end()); });
  forPaths(begin, end,
           [&](size_t node) { taken.insert(taken.end(), across[node].begin(), across[node].end()); });
  std::sort(taken.begin(), taken.end(),
            [](const ByteRange &a, const ByteRange &b) { return a.begin < b.begin; });
  size_t joined = 0;
  for (const ByteRange &range : taken)
    if (joined > 0 && range.begin <= taken[joined - 1].end)
      taken[joined - 1].end = std::max(taken[joined - 1].end, range.end);
    else
      taken[joined++] = range;
  taken.resize(joined);
}

} // namespace windlass::planning
