// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- LiveProfile.h - live bytes if the rest ran in program order ========//
//
// Duty: range add and largest value over positions, in O(log n): a segment tree
// that answers "would everything still fit" after a task is taken out of turn.
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

private:
  void update(size_t node);

  size_t leaves = 1;
  std::vector<int64_t> most;  ///< largest value below a node, with the node's own addend
  std::vector<int64_t> added; ///< to every position below a node
};

} // namespace windlass::planning
