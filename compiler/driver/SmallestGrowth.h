// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- SmallestGrowth.h - how much larger a machine must be ================//
//
// Duty: of a machine that something does not fit, the least that one tier must grow for it to fit, tier by
// tier; or, where no tier helps alone, the least of several together. Asks for few plans: bounds are asked
// first. Units: bytes and steps, of one rank. Errors: those of what is asked. Threads: as the callbacks'.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "model/Machine.h"
#include <array>
#include <functional>
#include <vector>

namespace windlass {

/// Steps that each tier of a rank grows by.
using Growth = std::array<int64_t, 3>;

/// A tier's, as the hardware file has it.
int64_t &givenCapacity(model::Machine &machine, plan::Tier tier);

/// A machine, and larger ones.
struct GrowingMachine {
  const model::Machine &machine;
  int64_t step = 0; ///< bytes
  int64_t most = 0; ///< steps that no tier ever needs more of

  /// `everything`: bytes that no tier ever needs more of.
  static GrowingMachine of(const model::Machine &machine, int64_t everything);
  model::Machine by(const Growth &growth) const;
};

/// Whether something fits a machine, in one of some ways. What fits a machine fits larger ones.
struct WaysToFit {
  using Question = std::function<Result<bool>(const model::Machine &, size_t way)>;

  size_t count = 0; ///< those that need least first
  Question mayFit;  ///< soon said; "no" is certain
  Question fits;
};

struct SmallestGrowth {
  Growth growth{};
  size_t way = 0; ///< in which it fits then
};

/// Of each tier that helps alone; else of all together: as little as possible of the fastest, then of the
/// next. Empty where no growth helps. The machine as it is is known to be too small.
Result<std::vector<SmallestGrowth>> smallestGrowths(const GrowingMachine &machine, const WaysToFit &ways);

} // namespace windlass
