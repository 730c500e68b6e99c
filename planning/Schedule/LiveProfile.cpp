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
  most.assign(2 * leaves, 0);
  added.assign(leaves, 0);
}

void LiveProfile::update(size_t node) {
  for (node /= 2; node >= 1; node /= 2)
    most[node] = std::max(most[2 * node], most[2 * node + 1]) + added[node];
}

void LiveProfile::add(size_t begin, size_t end, int64_t bytes) {
  if (begin >= end || bytes == 0)
    return;
  auto apply = [&](size_t node) {
    most[node] += bytes;
    if (node < leaves)
      added[node] += bytes;
  };
  size_t left = begin + leaves, right = end + leaves;
  for (size_t l = left, r = right; l < r; l /= 2, r /= 2) {
    if (l % 2 == 1)
      apply(l++);
    if (r % 2 == 1)
      apply(--r);
  }
  update(left);
  update(right - 1);
}

void LiveProfile::retire(size_t position) { add(position, position + 1, -kNever); }

} // namespace windlass::planning
