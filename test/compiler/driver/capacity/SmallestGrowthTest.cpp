// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The growths that are found are the smallest that fit, whatever the bounds are. The search asks for few
// plans.
#include "compiler/driver/capacity/SmallestGrowth.h"
#include <algorithm>
#include <gtest/gtest.h>
#include <random>

using namespace windlass;

namespace {

constexpr int64_t kStep = 4096;
using plan::Tier;

model::Machine machineOf(int64_t device, int64_t host, int64_t nvme) {
  model::Machine machine;
  machine.ranksPerNode = 2;
  machine.deviceCapacity = device * kStep;
  machine.hostCapacity = 2 * host * kStep;
  machine.nvmeCapacity = 2 * nvme * kStep;
  return machine;
}

/// The steps of memory that one candidate takes.
struct Demand {
  int64_t device = 0, host = 0, all = 0;
  int64_t slack = 0; ///< how far its bounds are too low

  bool fit(const model::Machine &machine, int64_t less = 0) const {
    const int64_t has[] = {machine.capacity(Tier::Device) / kStep, machine.capacity(Tier::Host) / kStep,
                           machine.capacity(Tier::Nvme) / kStep};
    return has[0] >= device - less && has[1] >= host - less && has[0] + has[1] + has[2] >= all - less;
  }
};

struct Asked {
  Result<std::vector<SmallestGrowth>> found;
  int64_t plans = 0;
};

Asked search(const GrowingMachine &machine, const std::vector<Demand> &demands) {
  int64_t plans = 0;
  const auto mayFit = [&](const model::Machine &larger, size_t candidate) -> Result<bool> {
    return demands[candidate].fit(larger, demands[candidate].slack);
  };
  const auto fits = [&](const model::Machine &larger, size_t candidate) -> Result<bool> {
    ++plans;
    return demands[candidate].fit(larger);
  };
  Result<std::vector<SmallestGrowth>> found = smallestGrowths(machine, {demands.size(), mayFit, fits});
  return {std::move(found), plans};
}

bool anyFits(const GrowingMachine &machine, const std::vector<Demand> &demands, const Growth &growth) {
  return std::ranges::any_of(demands, [&](const Demand &demand) { return demand.fit(machine.by(growth)); });
}

/// The least growth of one tier with which a candidate fits, found by trying one growth after the other; more
/// than `most` if there is none.
int64_t leastOf(const GrowingMachine &machine, const std::vector<Demand> &demands, Growth growth,
                size_t tier) {
  for (growth[tier] = 0; growth[tier] <= machine.most && !anyFits(machine, demands, growth);)
    ++growth[tier];
  return growth[tier];
}

std::vector<Growth> triedOneByOne(const GrowingMachine &machine, const std::vector<Demand> &demands) {
  std::vector<Growth> all;
  for (size_t tier = 0; tier < 3; ++tier)
    if (machine.machine.has(static_cast<Tier>(tier)))
      if (const int64_t least = leastOf(machine, demands, {}, tier); least <= machine.most) {
        all.emplace_back();
        all.back()[tier] = least;
      }
  if (!all.empty())
    return all;
  Growth growth{machine.most, machine.most, machine.machine.has(Tier::Nvme) ? machine.most : 0};
  if (!anyFits(machine, demands, growth))
    return {};
  for (size_t tier = 0; tier < 3; ++tier)
    if (machine.machine.has(static_cast<Tier>(tier)))
      growth[tier] = leastOf(machine, demands, growth, tier);
  return {growth};
}

TEST(SmallestGrowth, isWhatTryingOneByOneFinds) {
  std::mt19937 random(7);
  const auto upTo = [&](int most) { return std::uniform_int_distribution<int64_t>(0, most)(random); };
  int64_t refused = 0;
  for (int round = 0; round < 4000; ++round) {
    const model::Machine small = machineOf(upTo(8), upTo(8), upTo(1) * upTo(8));
    std::vector<Demand> demands(static_cast<size_t>(1 + upTo(2)));
    for (Demand &demand : demands)
      demand = {upTo(24), upTo(12), upTo(60), upTo(1) * upTo(16)};
    const GrowingMachine machine = GrowingMachine::of(small, (8 + upTo(40)) * kStep);
    if (anyFits(machine, demands, {}))
      continue;
    ++refused;
    const Asked asked = search(machine, demands);
    ASSERT_TRUE(asked.found) << asked.found.status().message();
    std::vector<Growth> growths;
    for (const SmallestGrowth &growth : *asked.found) {
      growths.push_back(growth.growth);
      EXPECT_TRUE(demands[growth.candidate].fit(machine.by(growth.growth)))
          << "by the candidate that is named";
    }
    EXPECT_EQ(growths, triedOneByOne(machine, demands)) << "round " << round;
  }
  EXPECT_GT(refused, 1000);
}

/// No plan is made for a growth that bounds exclude. If bounds are exact, one plan is enough.
TEST(SmallestGrowth, asksForOnePlanWhereBoundsAreExact) {
  const model::Machine small = machineOf(10, 1000, 1000);
  const GrowingMachine machine = GrowingMachine::of(small, 1500 * kStep);
  const Asked exact = search(machine, {{700, 0, 0}, {900, 0, 0}});
  ASSERT_TRUE(exact.found);
  EXPECT_EQ(exact.found->at(0).growth, (Growth{690, 0, 0}));
  EXPECT_EQ(exact.plans, 1);
  const Asked near = search(machine, {{700, 0, 0, 5}});
  ASSERT_TRUE(near.found);
  EXPECT_EQ(near.found->at(0).growth, (Growth{690, 0, 0}));
  EXPECT_LE(near.plans, 7);
}

TEST(SmallestGrowth, ofWhatNeverFitsIsNone) {
  const model::Machine small = machineOf(10, 10, 10);
  const Asked never = search(GrowingMachine::of(small, 50 * kStep), {{500, 0, 0}, {500, 0, 0, 500}});
  ASSERT_TRUE(never.found);
  EXPECT_TRUE(never.found->empty());
}

TEST(SmallestGrowth, handsOnWhatFails) {
  const model::Machine small = machineOf(1, 1, 1);
  const GrowingMachine machine = GrowingMachine::of(small, 50 * kStep);
  const auto broken = [](const model::Machine &, size_t) { return Result<bool>(Status::internal("broken")); };
  const auto may = [](const model::Machine &, size_t) { return Result<bool>(true); };
  EXPECT_EQ(smallestGrowths(machine, {1, may, broken}).status().message(), "broken");
  EXPECT_EQ(smallestGrowths(machine, {1, broken, may}).status().message(), "broken");
}

} // namespace
