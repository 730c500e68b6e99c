// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- RankSet.h - the ranks that one process runs ===========================//
//
// Duty: which of a plan's ranks have their arenas, lanes and states in this process, and where in a list of
// these a rank stands. Whoever touches the bytes of ranks walks over a RankSet; what is said of the whole
// plan counts `Plan::ranks()`.
// Threads: a value.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/plan/Plan.h"
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <ranges>

namespace windlass::plan {

/// The ranks [first, first + count).
class RankSet {
public:
  RankSet() = default;
  RankSet(int64_t first, int64_t count) : firstRank(first), count(count) {}
  static RankSet allOf(const Plan &plan) { return {0, plan.ranks()}; }
  static RankSet of(const Program &program) { return {program.firstRank, program.ranks}; }

  auto begin() const { return ranks().begin(); }
  auto end() const { return ranks().end(); }
  size_t size() const { return static_cast<size_t>(count); }
  bool isEmpty() const { return count == 0; }
  bool contains(int64_t rank) const { return firstRank <= rank && rank < firstRank + count; }
  int64_t front() const { return firstRank; }
  /// A held rank's place in the set, from 0.
  size_t placeOf(int64_t rank) const { return static_cast<size_t>(rank - firstRank); }

  /// The ranks that are in both sets.
  RankSet in(const RankSet &other) const {
    const int64_t first = std::max(firstRank, other.firstRank);
    return {first, std::max<int64_t>(0, std::min(firstRank + count, other.firstRank + other.count) - first)};
  }

private:
  std::ranges::iota_view<int64_t, int64_t> ranks() const { return {firstRank, firstRank + count}; }

  int64_t firstRank = 0, count = 0;
};

} // namespace windlass::plan
