// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- LiveProfile.h - live bytes of the remaining program order =============//
//
// Duty: a tree with range addition and a global maximum, in O(log n). It holds the live bytes at every
// position if the remaining tasks ran in program order, and so answers whether they fit after a task is
// issued early. Most ranges begin at the first position. The tree therefore holds differences: the bytes at a
// position are the sum of the differences from that position on.
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
  int64_t largest() const { return nodes.empty() ? 0 : nodes[1].largest; }
  /// Whether it has no positions.
  bool isEmpty() const { return nodes.empty(); }

private:
  struct Node {
    int64_t sum = 0;     ///< of the differences below the node
    int64_t largest = 0; ///< of the sums from a position below the node to the last one below it
  };

  Node joined(size_t node) const;
  void addUpTo(size_t end, int64_t bytes);

  size_t leaves = 1;
  std::vector<Node> nodes; ///< the root is 1, the parts of n are 2 n and 2 n + 1
};

} // namespace windlass::planning
