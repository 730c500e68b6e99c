// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/driver/Shortage.h"

#include "passes/Flow/layout/Consumers.h"
#include "runtime/base/Units.h"
#include "runtime/plan/Enums.h"
#include <algorithm>

using namespace mlir;

namespace windlass {
namespace {

using plan::Tier;

constexpr int64_t kPage = 4096;
/// Growth is searched in steps of a page, or of so many parts of all there is.
constexpr int64_t kParts = 2048;
constexpr std::array<Tier, 3> kTiers = {Tier::Device, Tier::Host, Tier::Nvme};

/// Steps that each tier of a rank grows by.
using Growth = std::array<int64_t, 3>;

class Search {
public:
  Search(const model::Machine &machine, int64_t everything, size_t ways, const PlanFor &planFor)
      : machine(machine), ways(ways), planFor(planFor), known(ways) {
    step = std::max(kPage, (everything / kParts + kPage - 1) / kPage * kPage);
    most = (everything + step - 1) / step;
  }

  Status run(const std::function<Status()> &otherwise) {
    for (Tier tier : kTiers)
      if (machine.has(tier))
        if (Growth alone = growTo({}, tier, most); wayThatFits(alone))
          cures.push_back(smallest(alone, tier));
    if (cures.empty())
      growTogether();
    if (!failure)
      return failure;
    return cures.empty() ? otherwise() : refusal();
  }

private:
  static Growth growTo(Growth growth, Tier tier, int64_t steps) {
    growth[static_cast<size_t>(tier)] = steps;
    return growth;
  }

  /// No tier helps alone: as little as possible of the fastest, then of the next.
  void growTogether() {
    Growth all{};
    for (Tier tier : kTiers)
      all = growTo(all, tier, machine.has(tier) ? most : 0);
    if (!wayThatFits(all))
      return;
    for (Tier tier : kTiers)
      if (machine.has(tier))
        all = smallest(all, tier);
    cures.push_back(all);
  }

  /// The least that `tier` must grow, all else as in `growth`, which fits: of one way, then of what needs
  /// less.
  Growth smallest(Growth growth, Tier tier) {
    int64_t least = growth[static_cast<size_t>(tier)];
    while (std::optional<size_t> way = wayThatFits(growTo(growth, tier, least))) {
      for (int64_t low = -1; least - low > 1;) {
        int64_t middle = low + (least - low) / 2;
        (fits(growTo(growth, tier, middle), *way) ? least : low) = middle;
      }
      if (least == 0 || !wayThatFits(growTo(growth, tier, least - 1)))
        break;
      --least;
    }
    return growTo(growth, tier, least);
  }

  std::optional<size_t> wayThatFits(const Growth &growth) {
    for (size_t way = 0; way < ways; ++way)
      if (fits(growth, way))
        return way;
    return std::nullopt;
  }

  /// What is known of a larger machine that did not fit, or a smaller one that did, is not asked again.
  bool fits(const Growth &growth, size_t way) {
    if (!failure)
      return false;
    auto &[enough, tooLittle] = known[way];
    if (llvm::any_of(tooLittle, [&](const Growth &other) { return isWithin(growth, other); }))
      return false;
    if (llvm::any_of(enough, [&](const Growth &other) { return isWithin(other, growth); }))
      return true;
    Result<OwningOpRef<ModuleOp>> planned = planFor(grown(growth), way, Ask::WhetherItFits);
    if (!planned && planned.status().code() != ExitCode::CannotFit)
      failure = planned.status();
    (planned ? enough : tooLittle).push_back(growth);
    return planned.isOk();
  }

  static bool isWithin(const Growth &growth, const Growth &other) {
    return growth[0] <= other[0] && growth[1] <= other[1] && growth[2] <= other[2];
  }

  model::Machine grown(const Growth &growth) const {
    model::Machine larger = machine;
    for (Tier tier : kTiers)
      if (int64_t steps = growth[static_cast<size_t>(tier)])
        capacityOf(larger, tier) =
            (machine.capacity(tier) + steps * step) * (tier == Tier::Device ? 1 : machine.ranksPerNode);
    return larger;
  }

  static int64_t &capacityOf(model::Machine &machine, Tier tier) {
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

  /// "device.capacity 6098944 instead of 2097152"
  std::string quote(const Growth &growth) const {
    model::Machine before = machine, after = grown(growth);
    std::string text;
    for (Tier tier : kTiers)
      if (growth[static_cast<size_t>(tier)])
        text += (text.empty() ? "" : " and ") + std::string(plan::textOf(tier)) + ".capacity " +
                std::to_string(capacityOf(after, tier)) + " instead of " +
                std::to_string(capacityOf(before, tier));
    return text;
  }

  /// The tier of the smallest cure is the one that is short.
  Status refusal() {
    auto bytes = [&](const Growth &growth) { return step * (growth[0] + growth[1] + growth[2]); };
    Growth least =
        *llvm::min_element(cures, [&](const Growth &a, const Growth &b) { return bytes(a) < bytes(b); });
    Tier tier = *llvm::find_if(kTiers, [&](Tier one) { return least[static_cast<size_t>(one)] > 0; });
    int64_t missing = step * least[static_cast<size_t>(tier)];
    std::optional<size_t> way = wayThatFits(least);
    if (!way)
      return failure;
    Result<OwningOpRef<ModuleOp>> planned = planFor(grown(least), *way, Ask::Best);
    if (!planned)
      return planned.status();
    std::string text =
        "the " + std::string(plan::textOf(tier)) + " of a rank is short by " + std::to_string(missing) +
        " bytes (" + formatBytes(missing) + "): it has " + formatBytes(machine.capacity(tier)) +
        " and needs " + formatBytes(machine.capacity(tier) + missing) +
        " (largest: " + flow::largestConsumers(**planned, tier) + "); what would fit: " + quote(least);
    for (const Growth &cure : cures)
      if (cure != least)
        text += ", or " + quote(cure);
    return Status::cannotFit(text);
  }

  const model::Machine &machine;
  size_t ways;
  const PlanFor &planFor;
  struct Known {
    std::vector<Growth> enough, tooLittle;
  };
  std::vector<Known> known;       ///< of each way
  int64_t step = kPage, most = 0; ///< bytes of a step; steps that hold everything
  std::vector<Growth> cures;
  Status failure = Status::ok(); ///< of a plan, for another reason than room
};

} // namespace

Status describeShortage(const model::Machine &machine, int64_t everything, size_t ways,
                        const PlanFor &planFor, const std::function<Status()> &otherwise) {
  return Search(machine, everything, ways, planFor).run(otherwise);
}

} // namespace windlass
