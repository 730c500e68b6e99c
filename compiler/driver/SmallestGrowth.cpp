// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/driver/SmallestGrowth.h"

#include "llvm/Support/ErrorHandling.h"
#include <algorithm>
#include <optional>

namespace windlass {
namespace {

using plan::Tier;

constexpr int64_t kPage = 4096;
/// A step is a page, or one of so many parts of all there is.
constexpr int64_t kParts = 2048;
constexpr std::array<Tier, 3> kTiers = {Tier::Device, Tier::Host, Tier::Nvme};

Growth growTo(Growth growth, Tier tier, int64_t steps) {
  growth[static_cast<size_t>(tier)] = steps;
  return growth;
}

bool isWithin(const Growth &growth, const Growth &other) {
  return growth[0] <= other[0] && growth[1] <= other[1] && growth[2] <= other[2];
}

/// The least number above `low`, up to `high`, that `holds`, as do all above it: in strides that double, then
/// by halves.
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
  GrowthSearch(const GrowingMachine &machine, const WaysToFit &ways)
      : machine(machine), ways(ways), known(ways.count) {}

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

  /// The least that `tier` must grow, all else as in `growth`: of one way, then of what needs less.
  std::optional<SmallestGrowth> smallest(const Growth &growth, Tier tier) {
    std::optional<SmallestGrowth> best;
    for (size_t way = 0; way < ways.count; ++way) {
      const int64_t high = best ? best->growth[static_cast<size_t>(tier)] - 1 : machine.most;
      const Growth less = growTo(growth, tier, high);
      if (best && (high < 0 || !mayFit(less, way) || !fits(less, way)))
        continue;
      if (std::optional<int64_t> least = leastOf(way, growth, tier, high))
        best = {growTo(growth, tier, *least), way};
    }
    return best;
  }

  /// What may fit, and with any less may not, often does.
  std::optional<int64_t> leastOf(size_t way, const Growth &growth, Tier tier, int64_t high) {
    const auto may = [&](int64_t steps) { return mayFit(growTo(growth, tier, steps), way); };
    const auto does = [&](int64_t steps) { return fits(growTo(growth, tier, steps), way); };
    const std::optional<int64_t> first = leastAbove(-1, high, may);
    if (!first || does(*first))
      return first;
    return does(high) ? leastAbove(*first, high, does) : std::nullopt;
  }

  bool mayFit(const Growth &growth, size_t way) { return ask(ways.mayFit, growth, way); }

  /// What is known of a larger machine that did not fit, or a smaller one that did, is not asked again.
  bool fits(const Growth &growth, size_t way) {
    auto &[enough, tooLittle] = known[way];
    const auto holdsIt = [&](const Growth &other) { return isWithin(growth, other); };
    const auto isInIt = [&](const Growth &other) { return isWithin(other, growth); };
    if (std::ranges::any_of(tooLittle, holdsIt))
      return false;
    if (std::ranges::any_of(enough, isInIt))
      return true;
    const bool fit = ask(ways.fits, growth, way);
    (fit ? enough : tooLittle).push_back(growth);
    return fit;
  }

  /// Nothing fits any more once a question failed.
  bool ask(const WaysToFit::Question &question, const Growth &growth, size_t way) {
    if (!failure)
      return false;
    Result<bool> answer = question(machine.by(growth), way);
    if (!answer)
      failure = answer.status();
    return answer && *answer;
  }

  const GrowingMachine &machine;
  const WaysToFit &ways;
  struct Known {
    std::vector<Growth> enough, tooLittle{Growth{}};
  };
  std::vector<Known> known; ///< of each way
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
  const int64_t step = std::max(kPage, (everything / kParts + kPage - 1) / kPage * kPage);
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

Result<std::vector<SmallestGrowth>> smallestGrowths(const GrowingMachine &machine, const WaysToFit &ways) {
  return GrowthSearch(machine, ways).run();
}

} // namespace windlass
