// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- ByteRanges.h - who touched which bytes last ===========================//
//
// Duty: the history of accesses to one range of bytes (a buffer, or an arena), and the earlier accesses a new
// one conflicts with: read after write, write after read or write.
// Ownership: a value. Threads: none.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "dialects/Flow/IR/FlowDialect.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <map>
#include <vector>

namespace windlass::flow {

class AccessHistory {
public:
  using OnConflict = llvm::function_ref<void(uint32_t earlier)>;

  /// Adds an access of `who` to [begin, end), and reports the earlier accesses that it conflicts with.
  void access(int64_t begin, int64_t end, bool writes, uint32_t who, OnConflict onConflict);

  /// Adds an access to a range of a buffer. A range that differs by rank counts as all bytes behind its
  /// offset.
  void access(const BufferRange &range, bool writes, uint32_t who, OnConflict onConflict) {
    access(range.offset, range.strides.empty() ? range.offset + range.bytes : kEnd, writes, who, onConflict);
  }

private:
  static constexpr int64_t kEnd = INT64_MAX;
  struct Segment {
    int64_t end = 0;
    int64_t writer = -1;
    std::vector<uint32_t> readers; ///< since the last write
  };
  void splitAt(int64_t position);

  std::map<int64_t, Segment> segments; ///< by begin; disjoint
};

} // namespace windlass::flow
