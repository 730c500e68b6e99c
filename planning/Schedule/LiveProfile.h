// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- LiveProfile.h - live bytes of the remaining program order ===========//
//
// Duty: a segment tree with range addition and a global maximum, in O(log n). It holds the live bytes at
// every position if the remaining tasks ran in program order, and so answers whether they fit after a task is
// issued early.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace windlass::planning {

class LiveProfile {
public:
  explicit LiveProfile(size_t positions);

  /// Adds to every position in [begin, end).
  void add(size_t begin, size_t end, int64_t bytes);
  /// The position no longer counts.
  void retire(size_t position);
  int64_t largest() const { return most.empty() ? 0 : most[1]; }
  /// Whether it has no positions.
  bool isEmpty() const { return most.empty(); }

private:
  void update(size_t node);

  size_t leaves = 1;
  std::vector<int64_t> most;  ///< largest value below a node, with the node's own addend
  std::vector<int64_t> added; ///< to every position below a node
};

} // namespace windlass::planning
