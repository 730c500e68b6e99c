// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- PlanOracle.h - what running a plan can do, the slow way =============//
//
// Duty: decides whether a plan may go wrong, by means the checker does not use:
// a graph of starts and completions closed transitively, every pair of accesses
// to every byte, and values followed as hashes through the total order.
// Threads: pure functions.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/plan/Plan.h"
#include <cstdint>
#include <set>
#include <string>
#include <vector>

namespace windlass::test {

/// Two instructions that touch a byte, one writing it, in no order; as messages call them.
struct Race {
  std::string earlier, later;
  std::string earlierSection, laterSection;

  auto operator<=>(const Race &) const = default;
};

struct Verdict {
  std::string harm;     ///< empty: no run of the lanes can go wrong
  std::set<Race> races; ///< all of them
  uint64_t result = 0;  ///< hash of what the states hold and what is reported at the end
};

/// Runs `orders` of sections (indices into Plan::sections), each from the states alone.
Verdict judge(const plan::Plan &plan, const std::vector<std::vector<uint32_t>> &orders);

} // namespace windlass::test
