// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "planning/Schedule/LiveProfile.h"

#include <algorithm>

namespace windlass::planning {

/// Far below any sum of bytes, and far from overflow.
static constexpr int64_t kNever = int64_t(1) << 61;

LiveProfile::LiveProfile(size_t positions) {
  if (positions == 0)
    return;
  while (leaves < positions)
    leaves *= 2;
  nodes.resize(2 * leaves);
}

LiveProfile::Node LiveProfile::joined(size_t node) const {
  const Node &left = nodes[2 * node], &right = nodes[2 * node + 1];
  return {left.sum + right.sum, std::max(left.largest + right.sum, right.largest)};
}

void LiveProfile::addUpTo(size_t end, int64_t bytes) {
  if (end == 0)
    return;
  size_t node = end - 1 + leaves;
  nodes[node].sum += bytes;
  nodes[node].largest += bytes;
  while ((node /= 2) >= 1)
    nodes[node] = joined(node);
}

void LiveProfile::add(size_t begin, size_t end, int64_t bytes) {
  if (begin >= end || bytes == 0)
    return;
  addUpTo(end, bytes);
  addUpTo(begin, -bytes);
}

void LiveProfile::retire(size_t position) {
  size_t node = position + leaves;
  nodes[node].largest -= kNever;
  while ((node /= 2) >= 1) {
    const int64_t before = nodes[node].largest;
    nodes[node] = joined(node);
    if (nodes[node].largest == before) // as are all above
      return;
  }
}

} // namespace windlass::planning
