// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "planning/Step/StepBound.h"
#include <algorithm>
#include <gtest/gtest.h>
#include <random>

using namespace windlass;
using namespace windlass::planning;

namespace {

using plan::PlacementClass, plan::Tier;

constexpr size_t at(PlacementClass cls) { return static_cast<size_t>(cls); }

StepCounts someCounts() {
  StepCounts counts;
  counts.working = 100;
  counts.resting[at(PlacementClass::Param)] = 40;
  counts.resting[at(PlacementClass::Moments)] = 60;
  counts.compute = 2;
  counts.busy[static_cast<size_t>(plan::Lane::CgIn)] = 3;
  counts.busy[static_cast<size_t>(plan::Lane::Gg)] = 7;
  return counts;
}

TEST(StepBound, countsWhatMustRestOnATierBesideWhatIsComputedWith) {
  ClassTiers tiers;
  tiers[at(PlacementClass::Param)] = Tier::Device;
  tiers[at(PlacementClass::Moments)] = Tier::Host;
  const StepBound bound = boundOf(someCounts(), tiers);
  EXPECT_EQ(bound.bytes, (std::array<int64_t, 3>{140, 60, 0}));
  EXPECT_EQ(bound.everywhere, 200);
}

TEST(StepBound, takesTheSecondsOfTheBusiestLane) {
  StepCounts counts = someCounts();
  EXPECT_EQ(boundOf(counts, {}).seconds, 7);
  counts.compute = 8;
  EXPECT_EQ(boundOf(counts, {}).seconds, 8);
}

TEST(StepBound, isShortOfTheFirstTierThatLacksBytes) {
  ClassTiers tiers;
  tiers[at(PlacementClass::Moments)] = Tier::Host;
  const StepBound bound = boundOf(someCounts(), tiers);
  EXPECT_FALSE(shortageOf(bound, {140, 60, 0}));
  const std::optional<plan::Shortage> device = shortageOf(bound, {99, 59, 1000}),
                                      host = shortageOf(bound, {100, 59, 1000}),
                                      all = shortageOf(bound, {100, 60, 39});
  ASSERT_TRUE(device && host && all);
  EXPECT_EQ(std::pair(device->tier, device->bytes), std::pair(Tier::Device, int64_t(1)));
  EXPECT_EQ(std::pair(host->tier, host->bytes), std::pair(Tier::Host, int64_t(1)));
  EXPECT_EQ(all->bytes, 1) << "all tiers together lack it";
}

TEST(StepBound, isNeverWorseWithMoreCapacity) {
  std::mt19937 random(1);
  const auto upTo = [&](int64_t most) { return std::uniform_int_distribution<int64_t>(0, most)(random); };
  for (int trial = 0; trial < 1000; ++trial) {
    StepBound bound{{upTo(50), upTo(50), upTo(50)}, upTo(150), 0};
    std::array<int64_t, 3> less{upTo(60), upTo(60), upTo(60)}, more = less;
    for (int64_t &capacity : more)
      capacity += upTo(20);
    if (!shortageOf(bound, less)) {
      EXPECT_FALSE(shortageOf(bound, more)) << "trial " << trial;
    }
  }
}

/// A step with these bytes at each moment: a fixed number, and a number per layer.
struct Moments {
  std::vector<std::pair<int64_t, int64_t>> bytes;

  StepCounts with(int64_t layers) const {
    StepCounts counts;
    for (const auto &[fixed, each] : bytes)
      counts.working = std::max(counts.working, fixed + each * layers);
    counts.compute = 1.5 + 0.25 * static_cast<double>(layers);
    counts.resting[0] = 7 + 3 * layers;
    return counts;
  }
};

TEST(ExtendedCounts, ofMoreLayersAreALowerBound) {
  std::mt19937 random(2);
  for (int trial = 0; trial < 1000; ++trial) {
    Moments moments;
    for (int moment = 0; moment < 5; ++moment)
      moments.bytes.emplace_back(random() % 100, random() % 10);
    const StepCounts all = moments.with(43), found = extended(moments.with(3), moments.with(4), 40);
    EXPECT_LE(found.working, all.working) << "trial " << trial;
    EXPECT_GE(found.working, moments.with(3).working) << "no layer takes bytes away";
    EXPECT_EQ(found.resting, all.resting);
    EXPECT_DOUBLE_EQ(found.compute, all.compute);
  }
}

/// Layers that are recomputed take longer, and may hold less or more.
TEST(CountsBetween, shareOutSecondsAndHoldNoMoreThanEither) {
  StepCounts none = someCounts(), all = someCounts();
  all.compute = 3;
  all.busy[static_cast<size_t>(plan::Lane::Gg)] = 9;
  all.working = 80;
  all.resting[at(PlacementClass::Param)] = 50;
  const StepCounts some = between(none, all, StepCounts(), 0.25);
  EXPECT_DOUBLE_EQ(some.compute, 2.25);
  EXPECT_DOUBLE_EQ(some.busy[static_cast<size_t>(plan::Lane::Gg)], 7.5);
  EXPECT_EQ(some.working, 80);
  EXPECT_EQ(some.resting[at(PlacementClass::Param)], 40);
  EXPECT_EQ(between(none, all, StepCounts(), 0).compute, none.compute);
  EXPECT_EQ(between(none, all, StepCounts(), 1).compute, all.compute);
}

TEST(CountsBetween, holdAtLeastWhatTheOtherLayersHoldAlone) {
  StepCounts none = someCounts(), all = someCounts(), others = someCounts();
  all.working = 80;
  others.working = 90;
  others.resting[at(PlacementClass::Param)] = 30;
  const StepCounts some = between(none, all, others, 0.25);
  EXPECT_EQ(some.working, 90);
  EXPECT_EQ(some.resting[at(PlacementClass::Param)], 40);
  EXPECT_EQ(some.compute, none.compute) << "seconds are those of all layers";
}

} // namespace
