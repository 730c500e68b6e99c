// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/driver/capacity/Shortage.h"

#include "compiler/driver/capacity/SmallestGrowth.h"
#include "passes/Flow/layout/Consumers.h"
#include "runtime/base/Units.h"
#include "runtime/plan/text/ReasonText.h"
#include <algorithm>
#include <array>

using namespace mlir;

namespace windlass {
namespace {

using plan::Tier;

constexpr std::array<Tier, 3> kTiers = {Tier::Device, Tier::Host, Tier::Nvme};

int64_t stepsOf(const Growth &growth, Tier tier) { return growth[static_cast<size_t>(tier)]; }

int64_t stepsOf(const SmallestGrowth &growth) {
  return growth.growth[0] + growth.growth[1] + growth.growth[2];
}

/// "device.capacity 6098944 instead of 2097152"
std::string quote(const GrowingMachine &machine, const Growth &growth) {
  model::Machine before = machine.machine, after = machine.by(growth);
  std::string text;
  for (Tier tier : kTiers)
    if (stepsOf(growth, tier))
      text += (text.empty() ? "" : " and ") + std::string(plan::textOf(tier)) + ".capacity " +
              std::to_string(givenCapacity(after, tier)) + " instead of " +
              std::to_string(givenCapacity(before, tier));
  return text;
}

/// The machines for which a plan was found, and the largest consumers of each tier of that plan.
class FoundPlans {
public:
  void add(const model::Machine &machine, size_t candidate, ModuleOp planned) {
    Found &found = all.emplace_back(Found{capacitiesOf(machine), candidate, {}});
    for (Tier tier : kTiers)
      found.largest[static_cast<size_t>(tier)] = flow::largestConsumers(planned, tier);
  }

  /// The largest consumers in a plan of the candidate that fits the machine: the plan was found for the
  /// machine, or for a smaller one.
  const std::vector<plan::Consumer> &largest(const model::Machine &machine, size_t candidate,
                                             Tier tier) const {
    const Capacities most = capacitiesOf(machine);
    const auto found = std::ranges::find_if(all.rbegin(), all.rend(), [&](const Found &one) {
      return one.candidate == candidate &&
             std::ranges::equal(one.capacities, most, std::ranges::less_equal());
    });
    return found->largest[static_cast<size_t>(tier)];
  }

private:
  using Capacities = std::array<int64_t, kTiers.size()>;
  struct Found {
    Capacities capacities;
    size_t candidate;
    std::array<std::vector<plan::Consumer>, kTiers.size()> largest;
  };

  static Capacities capacitiesOf(const model::Machine &machine) {
    Capacities capacities;
    std::ranges::transform(kTiers, capacities.begin(), [&](Tier tier) { return machine.capacity(tier); });
    return capacities;
  }

  std::vector<Found> all;
};

/// The refusal; names the tier of the smallest growth as short.
Status refusal(const GrowingMachine &machine, const std::vector<SmallestGrowth> &growths,
               const FoundPlans &plans) {
  const SmallestGrowth &least =
      *std::ranges::min_element(growths, {}, [](const SmallestGrowth &growth) { return stepsOf(growth); });
  const Tier tier = *std::ranges::find_if(kTiers, [&](Tier one) { return stepsOf(least.growth, one) > 0; });
  const int64_t missing = machine.step * stepsOf(least.growth, tier), has = machine.machine.capacity(tier);
  std::string text = "the " + std::string(plan::textOf(tier)) + " of a rank is short by " +
                     std::to_string(missing) + " bytes (" + formatBytes(missing) + "): it has " +
                     formatBytes(has) + " and needs " + formatBytes(has + missing) + " (largest: " +
                     plan::consumersText(plans.largest(machine.by(least.growth), least.candidate, tier)) +
                     "); what would fit: " + quote(machine, least.growth);
  for (const SmallestGrowth &growth : growths)
    if (growth.growth != least.growth)
      text += ", or " + quote(machine, growth.growth);
  return Status::cannotFit(text);
}

} // namespace

Status describeShortage(const model::Machine &machine, int64_t everything, const PlanOracle &oracle,
                        const std::function<Status()> &otherwise) {
  const GrowingMachine growing = GrowingMachine::of(machine, everything);
  FoundPlans plans;
  const auto fits = [&](const model::Machine &larger, size_t candidate) -> Result<bool> {
    Result<OwningOpRef<ModuleOp>> planned = oracle.plan(larger, candidate);
    if (planned)
      plans.add(larger, candidate, **planned);
    return planned || planned.status().code() == ExitCode::CannotFit ? Result<bool>(planned.isOk())
                                                                     : planned.status();
  };
  Result<std::vector<SmallestGrowth>> growths =
      smallestGrowths(growing, {oracle.candidates, oracle.mayFit, fits});
  if (!growths)
    return growths.status();
  return growths->empty() ? otherwise() : refusal(growing, *growths, plans);
}

} // namespace windlass
