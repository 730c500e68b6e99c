// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- OccupiedBytes.h - bytes that are taken during a span of positions =====//
//
// Duty: holds the bytes of buffers that are packed already, and answers which bytes are taken at some
// position of a span. Of few buffers, all are asked in the order of their bytes. Of many, the answer comes
// from a segment tree over positions, whose nodes hold taken bytes as joined ranges. The ranges of a packing
// with few gaps join into few, so that an answer costs about O(log n), whatever the number of buffers that
// live in the span. Both ways visit the same bytes. Units: bytes; positions 0 ... positions - 1. Ownership: a
// value. Threads: none.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

namespace windlass::planning {

struct ByteRange {
  int64_t begin = 0, end = 0;
  bool operator==(const ByteRange &) const = default;
};

/// Ranges in order; no two touch.
class JoinedRanges {
public:
  void add(ByteRange range);
  void clear() { ranges.clear(); }
  auto begin() const { return ranges.begin(); }
  auto end() const { return ranges.end(); }

private:
  std::vector<ByteRange> ranges;
};

/// Bytes taken by one buffer each, in the order of the bytes.
class TakenList {
public:
  void clear();
  void take(size_t begin, size_t end, ByteRange bytes);
  template <typename Visit> void forTaken(size_t begin, size_t end, Visit visit);

private:
  void markLive(size_t begin, size_t end);

  // One of each a buffer; positions by themselves, for all are compared and few buffers are live.
  std::vector<ByteRange> buffers;
  std::vector<int32_t> begins, ends;
  std::vector<uint8_t> isLive; ///< 1 for each buffer of the last question that is; then a word of zeros
};

template <typename Visit> void TakenList::forTaken(size_t begin, size_t end, Visit visit) {
  markLive(begin, end);
  for (size_t i = 0; i < buffers.size(); ++i) {
    uint64_t eight = 0; // buffers from `i` on, the next one in the lowest byte
    std::memcpy(&eight, &isLive[i], sizeof eight);
    if (eight == 0) {
      i += sizeof eight - 1;
      continue;
    }
    i += static_cast<size_t>(std::countr_zero(eight)) / 8;
    if (!visit(buffers[i]))
      return;
  }
}

/// Bytes taken in each node of a segment tree over positions.
class TakenTree {
public:
  explicit TakenTree(size_t positions);
  void clear();
  void take(size_t begin, size_t end, ByteRange bytes);
  void takenDuring(size_t begin, size_t end, std::vector<ByteRange> &taken) const;

private:
  template <typename Visit> void forCover(size_t begin, size_t end, Visit visit) const;
  template <typename Visit> void forPaths(size_t begin, size_t end, Visit visit) const;

  size_t leaves = 1;
  std::vector<JoinedRanges> within; ///< per node: bytes taken at some position below it
  std::vector<JoinedRanges> across; ///< per node: bytes taken by one take() at all positions below it
};

class OccupiedBytes {
public:
  /// `buffers`: how many are taken at most, about.
  OccupiedBytes(size_t positions, size_t buffers)
      : isFew(buffers <= kFewBuffers), tree(isFew ? 0 : positions) {}

  void clear() { isFew ? list.clear() : tree.clear(); }
  /// `bytes` are taken at positions [begin, end), which are not empty.
  void take(size_t begin, size_t end, ByteRange bytes) {
    isFew ? list.take(begin, end, bytes) : tree.take(begin, end, bytes);
  }
  /// Visits the bytes that are taken at some position of [begin, end), by where they begin, until `visit`
  /// returns false. Ranges may share bytes.
  template <typename Visit> void forTaken(size_t begin, size_t end, Visit visit) {
    if (isFew)
      return list.forTaken(begin, end, visit);
    taken.clear();
    tree.takenDuring(begin, end, taken);
    for (const ByteRange &range : taken)
      if (!visit(range))
        return;
  }

  /// Up to so many buffers, asking all of them is quicker than the tree.
  static constexpr size_t kFewBuffers = 8192;

private:
  bool isFew;
  TakenList list;
  TakenTree tree;
  std::vector<ByteRange> taken; ///< the last answer of the tree
};

} // namespace windlass::planning
