// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- PlanOracle.h - decides whether a plan can go wrong ====================//
//
// Duty: decides whether a plan may go wrong, by slower means than the checker's: the transitive closure of a
// graph of starts and completions, every pair of accesses to every byte, and values as hashes along the total
// order. Threads: pure functions.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/plan/Plan.h"
#include <cstdint>
#include <set>
#include <string>
#include <vector>

namespace windlass::test {

/// Two unordered instructions, by their names in messages. Both access a byte, and at least one writes it.
struct Race {
  std::string earlier, later;
  std::string earlierSection, laterSection;

  auto operator<=>(const Race &) const = default;
};

struct Verdict {
  std::string harm;     ///< empty: no run of the lanes can go wrong
  std::set<Race> races; ///< all races
  uint64_t result = 0;  ///< hash of what the states hold and what is reported at the end
};

/// Judges runs of sections in these `orders` (indices into Plan::sections). Each begins with the states
/// alone.
Verdict judge(const plan::Plan &plan, const std::vector<std::vector<uint32_t>> &orders);

} // namespace windlass::test
