// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- OccupiedBytes.h - which bytes are taken over a span of the order ===//
//
// Duty: remembers the bytes of buffers already packed, and says which are taken at any position of a span.
// A segment tree over positions; its nodes hold bytes as joined ranges. A close packing joins into few of
// them, so that a question costs about O(log n), however many buffers lived through the span.
// Units: bytes; positions 0 ... positions - 1. Ownership: a value. Threads: none.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace windlass::planning {

struct ByteRange {
  int64_t begin = 0, end = 0;
  bool operator==(const ByteRange &) const = default;
};

/// Ranges in order, none of which touches another.
class JoinedRanges {
public:
  void add(ByteRange range);
  void clear() { ranges.clear(); }
  auto begin() const { return ranges.begin(); }
  auto end() const { return ranges.end(); }

private:
  std::vector<ByteRange> ranges;
};

class OccupiedBytes {
public:
  explicit OccupiedBytes(size_t positions);

  void clear();
  /// `bytes` are taken at positions [begin, end), which are not empty.
  void take(size_t begin, size_t end, ByteRange bytes);
  /// All that is taken at some position of [begin, end); valid until the next call.
  const std::vector<ByteRange> &takenDuring(size_t begin, size_t end);

private:
  template <typename Visit> void forCover(size_t begin, size_t end, Visit visit) const;
  template <typename Visit> void forPaths(size_t begin, size_t end, Visit visit) const;

  size_t leaves = 1;
  std::vector<JoinedRanges> within; ///< per node: what is taken at some position below it
  std::vector<JoinedRanges> across; ///< per node: what was taken at all positions below it, in one piece
  std::vector<ByteRange> taken;     ///< the last answer
};

} // namespace windlass::planning
