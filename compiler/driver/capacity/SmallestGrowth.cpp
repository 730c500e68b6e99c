// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/driver/capacity/SmallestGrowth.h"

#include "llvm/Support/ErrorHandling.h"
#include <algorithm>
#include <optional>

namespace windlass {
namespace {

using plan::Tier;

/// A step is one granule, or one of so many parts of the bytes of everything.
constexpr int64_t kParts = 2048;
constexpr std::array<Tier, 3> kTiers = {Tier::Device, Tier::Host, Tier::Nvme};

Growth growTo(Growth growth, Tier tier, int64_t steps) {
  growth[static_cast<size_t>(tier)] = steps;
  return growth;
}

bool isWithin(const Growth &growth, const Growth &other) {
  return growth[0] <= other[0] && growth[1] <= other[1] && growth[2] <= other[2];
}

/// The least number n with low < n <= high for which `holds`; nothing where there is none. If `holds` for n,
/// it holds for all numbers above n. Strides that double find a number, bisection the least.
std::optional<int64_t> leastAbove(int64_t low, int64_t high, const std::function<bool(int64_t)> &holds) {
  for (int64_t stride = 1;; stride *= 2) {
    const int64_t at = std::min(low + stride, high);
    if (holds(at)) {
      high = at;
      break;
    }
    if (at == high)
      return std::nullopt;
    low = at;
  }
  while (high - low > 1) {
    const int64_t middle = low + (high - low) / 2;
    (holds(middle) ? high : low) = middle;
  }
  return high;
}

class GrowthSearch {
public:
  GrowthSearch(const GrowingMachine &machine, const FitOracle &oracle)
      : machine(machine), oracle(oracle), known(oracle.candidates) {}

  Result<std::vector<SmallestGrowth>> run() {
    std::vector<SmallestGrowth> found;
    for (Tier tier : kTiers)
      if (machine.machine.has(tier))
        if (std::optional<SmallestGrowth> alone = smallest({}, tier))
          found.push_back(*alone);
    if (found.empty())
      if (std::optional<SmallestGrowth> all = together())
        found.push_back(*all);
    if (!failure)
      return failure;
    return found;
  }

private:
  std::optional<SmallestGrowth> together() {
    SmallestGrowth all;
    for (Tier tier : kTiers)
      all.growth = growTo(all.growth, tier, machine.machine.has(tier) ? machine.most : 0);
    for (Tier tier : kTiers) {
      if (!machine.machine.has(tier))
        continue;
      std::optional<SmallestGrowth> less = smallest(all.growth, tier);
      if (!less)
        return std::nullopt;
      all = *less;
    }
    return all;
  }

  /// The least growth of `tier` with which some candidate fits; the other tiers grow as in `growth`. A
  /// candidate is searched only if it fits with less than the best so far.
  std::optional<SmallestGrowth> smallest(const Growth &growth, Tier tier) {
    std::optional<SmallestGrowth> best;
    for (size_t candidate = 0; candidate < oracle.candidates; ++candidate) {
      const int64_t high = best ? best->growth[static_cast<size_t>(tier)] - 1 : machine.most;
      const Growth less = growTo(growth, tier, high);
      if (best && (high < 0 || !mayFit(less, candidate) || !fits(less, candidate)))
        continue;
      if (std::optional<int64_t> least = leastOf(candidate, growth, tier, high))
        best = {growTo(growth, tier, *least), candidate};
    }
    return best;
  }

  /// The least growth of `tier`, at most `high`, with which one candidate fits. The least that meets the
  /// bound often fits.
  std::optional<int64_t> leastOf(size_t candidate, const Growth &growth, Tier tier, int64_t high) {
    const auto may = [&](int64_t steps) { return mayFit(growTo(growth, tier, steps), candidate); };
    const auto does = [&](int64_t steps) { return fits(growTo(growth, tier, steps), candidate); };
    const std::optional<int64_t> first = leastAbove(-1, high, may);
    if (!first || does(*first))
      return first;
    return does(high) ? leastAbove(*first, high, does) : std::nullopt;
  }

  bool mayFit(const Growth &growth, size_t candidate) { return ask(oracle.mayFit, growth, candidate); }

  /// Whether the candidate fits, without asking if the answer follows from earlier ones: a candidate that
  /// does not fit a larger machine does not fit; one that fits a smaller machine fits.
  bool fits(const Growth &growth, size_t candidate) {
    auto &[enough, tooLittle] = known[candidate];
    const auto holdsIt = [&](const Growth &other) { return isWithin(growth, other); };
    const auto isInIt = [&](const Growth &other) { return isWithin(other, growth); };
    if (std::ranges::any_of(tooLittle, holdsIt))
      return false;
    if (std::ranges::any_of(enough, isInIt))
      return true;
    const bool fit = ask(oracle.fits, growth, candidate);
    (fit ? enough : tooLittle).push_back(growth);
    return fit;
  }

  /// Once a question failed, all further answers are no.
  bool ask(const FitOracle::Question &question, const Growth &growth, size_t candidate) {
    if (!failure)
      return false;
    Result<bool> answer = question(machine.by(growth), candidate);
    if (!answer)
      failure = answer.status();
    return answer && *answer;
  }

  const GrowingMachine &machine;
  const FitOracle &oracle;
  struct Known {
    std::vector<Growth> enough, tooLittle{Growth{}};
  };
  std::vector<Known> known; ///< by candidate
  Status failure = Status::ok();
};

} // namespace

int64_t &givenCapacity(model::Machine &machine, Tier tier) {
  switch (tier) {
  case Tier::Device:
    return machine.deviceCapacity;
  case Tier::Host:
    return machine.hostCapacity;
  case Tier::Nvme:
    return machine.nvmeCapacity;
  }
  llvm_unreachable("closed enum");
}

GrowingMachine GrowingMachine::of(const model::Machine &machine, int64_t everything) {
  const int64_t step = std::max(kCapacityGranule, (everything / kParts + kCapacityGranule - 1) /
                                                      kCapacityGranule * kCapacityGranule);
  return {machine, step, (everything + step - 1) / step};
}

model::Machine GrowingMachine::by(const Growth &growth) const {
  model::Machine larger = machine;
  for (Tier tier : kTiers)
    if (const int64_t steps = growth[static_cast<size_t>(tier)])
      givenCapacity(larger, tier) =
          (machine.capacity(tier) + steps * step) * (tier == Tier::Device ? 1 : machine.ranksPerNode);
  return larger;
}

Result<std::vector<SmallestGrowth>> smallestGrowths(const GrowingMachine &machine, const FitOracle &oracle) {
  return GrowthSearch(machine, oracle).run();
}

} // namespace windlass
