// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- SmallestGrowth.h - how much larger a machine must be ==================//
//
// Duty: finds the smallest machine, larger than a given one, that some candidate fits: for each tier the
// least growth of that tier alone; or, where no tier helps alone, one growth of all tiers together. Bounds
// are asked before plans, so that few plans are made.
// Units: steps of bytes, of one rank. Errors: those of the oracle. Threads: as the oracle's.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "model/Machine.h"
#include <array>
#include <functional>
#include <vector>

namespace windlass {

/// Bytes of a page: searches of capacities tell no finer differences.
inline constexpr int64_t kCapacityGranule = 4096;

/// The steps by which each tier of a rank grows.
using Growth = std::array<int64_t, 3>;

/// The capacity of a tier as the hardware file has it: of a rank's device, of a node's host and NVMe.
int64_t &givenCapacity(model::Machine &machine, plan::Tier tier);

/// A machine, and the larger machines that are searched.
struct GrowingMachine {
  const model::Machine &machine;
  int64_t step = 0; ///< bytes
  int64_t most = 0; ///< steps: an upper bound of the growth of any tier

  /// `everything`: an upper bound of the bytes on any tier.
  static GrowingMachine of(const model::Machine &machine, int64_t everything);
  model::Machine by(const Growth &growth) const;
};

/// Answers whether a candidate fits a machine. Candidates that need less memory come first. A candidate that
/// fits a machine fits every larger machine.
struct FitOracle {
  using Question = std::function<Result<bool>(const model::Machine &, size_t candidate)>;

  size_t candidates = 0;
  Question mayFit; ///< a bound: false is certain
  Question fits;
};

struct SmallestGrowth {
  Growth growth{};
  size_t candidate = 0; ///< that fits the grown machine
};

/// The smallest growth of each tier that helps alone. If none does, the one smallest growth of all tiers
/// together: least of the device, then of the host, then of NVMe. Empty: no growth helps. No candidate fits
/// the machine as it is, which is not asked.
Result<std::vector<SmallestGrowth>> smallestGrowths(const GrowingMachine &machine, const FitOracle &oracle);

} // namespace windlass
