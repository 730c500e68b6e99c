// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/training/states/States.h"

#include "runtime/base/Bf16.h"
#include "runtime/base/Random.h"
#include "test/runtime/training/ToyModel.h"
#include <algorithm>
#include <bit>
#include <cstring>
#include <gtest/gtest.h>
#include <limits>
#include <map>

namespace windlass {
namespace {

using plan::StateClass;

std::vector<ToyOptions> everyLayout() {
  std::vector<ToyOptions> layouts;
  for (int64_t ranks : {1, 2, 4})
    for (bool sharded : {true, false})
      for (bool mixed : {true, false})
        for (plan::Tier tier : {plan::Tier::Device, plan::Tier::Nvme}) {
          ToyOptions options;
          options.ranks = ranks;
          options.sharded = sharded;
          options.mixed = mixed;
          options.moments = options.parameters = tier;
          options.vocabulary = 600;
          layouts.push_back(options);
        }
  return layouts;
}

TEST(StatesTest, initialValuesDependOnSeedNameAndElementOnly) {
  const RandomStream random(1, 0, streamOf("w"));
  for (const ToyOptions &layout : everyLayout()) {
    const plan::Plan plan = toyPlan(layout);
    FakeExecutor executor(plan);
    ASSERT_TRUE(StateStream(plan, executor).writeAll(initialValues(1)).isOk());
    const StateClass weights = layout.mixed ? StateClass::Master : StateClass::Parameter;
    const std::vector<float> w = executor.logical(weights, "w");
    ASSERT_EQ(w.size(), 600u);
    for (size_t i = 0; i < w.size(); ++i)
      ASSERT_EQ(w[i], static_cast<float>(0.02 * random.normal(i))) << i;
    EXPECT_EQ(executor.logical(weights, "c"), std::vector<float>(5, 0.5f));
    EXPECT_EQ(executor.logical(StateClass::Momentum, "c"), std::vector<float>(5, 0.0f));
    EXPECT_EQ(executor.logical(StateClass::Variance, "w"), std::vector<float>(600, 0.0f));
  }
}

TEST(StatesTest, parametersAreTheRoundingOfTheirMasters) {
  ToyOptions layout;
  layout.mixed = true;
  const plan::Plan plan = toyPlan(layout);
  FakeExecutor executor(plan);
  ASSERT_TRUE(StateStream(plan, executor).writeAll(initialValues(9)).isOk());
  const std::vector<float> master = executor.logical(StateClass::Master, "w");
  const std::vector<float> parameter = executor.logical(StateClass::Parameter, "w");
  for (size_t i = 0; i < master.size(); ++i)
    ASSERT_EQ(std::bit_cast<uint32_t>(parameter[i]) >> 16, roundToBf16(master[i]));
}

TEST(StatesTest, slicesHoldTheirPartOfTheTensor) {
  for (const ToyOptions &layout : everyLayout()) {
    plan::Plan plan = toyPlan(layout);
    const StateClass weights = layout.mixed ? StateClass::Master : StateClass::Parameter;
    auto state = std::find_if(
        plan.programs[0].states.begin(), plan.programs[0].states.end(),
        [&](const plan::State &candidate) { return candidate.cls == weights && candidate.name == "w"; });
    // The 600 elements as columns [3, 7) of a matrix of 150 x 10.
    state->shape = {150, 4};
    state->slice = {{150, 10}, 1, 3};
    FakeExecutor executor(plan);
    StateStream stream(plan, executor);
    ASSERT_TRUE(stream.writeAll(initialValues(1)).isOk());
    const RandomStream random(1, 0, streamOf("w"));
    const std::vector<float> held = executor.logical(weights, "w");
    ASSERT_EQ(held.size(), 600u);
    for (int64_t i = 0; i < 600; ++i)
      ASSERT_EQ(held[i], static_cast<float>(0.02 * random.normal(i / 4 * 10 + 3 + i % 4))) << i;
    std::map<int64_t, float> read;
    ASSERT_TRUE(stream
                    .read(*state,
                          [&](const plan::State &, int64_t first, std::span<const std::byte> in) {
                            for (size_t at = 0; at < in.size(); at += sizeof(float))
                              std::memcpy(&read[first++], in.data() + at, sizeof(float));
                            return Status::ok();
                          })
                    .isOk());
    ASSERT_EQ(read.size(), 600u);
    for (int64_t i = 0; i < 600; ++i)
      ASSERT_EQ(read.at(i / 4 * 10 + 3 + i % 4), held[i]) << i;
  }
}

TEST(StatesTest, everyByteOfEveryHomeIsWritten) {
  for (const ToyOptions &layout : everyLayout()) {
    const plan::Plan plan = toyPlan(layout);
    FakeExecutor first(plan), second(plan);
    first.fillEverything(std::byte{0x11});
    second.fillEverything(std::byte{0xee});
    ASSERT_TRUE(StateStream(plan, first).writeAll(initialValues(1)).isOk());
    ASSERT_TRUE(StateStream(plan, second).writeAll(initialValues(1)).isOk());
    EXPECT_EQ(first.everything(), second.everything());
  }
}

TEST(StatesTest, everyElementIsHeldOnce) {
  for (const ToyOptions &layout : everyLayout()) {
    const plan::Plan plan = toyPlan(layout);
    for (const plan::State &state : plan.programs[0].states) {
      int64_t next = 0;
      for (int64_t rank = 0; rank < (state.sharded ? plan.ranks() : 1); ++rank) {
        const ElementRange held = heldRange(plan, state, rank);
        if (held.count == 0)
          continue;
        EXPECT_EQ(held.first, next);
        next += held.count;
      }
      EXPECT_EQ(next, elementsOf(state));
    }
  }
}

/// Ranks at one place of their groups hold the same part; those of one group hold all of it between them.
TEST(StatesTest, groupsHoldCopies) {
  constexpr int64_t groups = 3;
  for (const ToyOptions &layout : everyLayout()) {
    plan::Plan plan = toyPlan(layout);
    const int64_t sharers = plan.ranks();
    plan.mesh = {{"dp_replicate", groups}, {"dp_shard", sharers}};
    plan.programs[0].ranks = plan.ranks();
    for (plan::State &state : plan.programs[0].states) {
      state.axes = {1};
      int64_t held = 0;
      for (int64_t rank = 0; rank < plan.ranks(); ++rank) {
        const ElementRange mine = heldRange(plan, state, rank),
                           first = heldRange(plan, state, rank % sharers);
        EXPECT_EQ(mine.first, first.first);
        EXPECT_EQ(mine.count, first.count);
        held += mine.count;
      }
      EXPECT_EQ(held, (state.sharded ? 1 : sharers) * groups * elementsOf(state));
    }
  }
}

TEST(StatesTest, readingHandsOverTheLogicalTensorInOrder) {
  for (const ToyOptions &layout : everyLayout()) {
    const plan::Plan plan = toyPlan(layout);
    FakeExecutor executor(plan);
    StateStream stream(plan, executor);
    ASSERT_TRUE(stream.writeAll(initialValues(4)).isOk());
    for (const plan::State &state : plan.programs[0].states) {
      if (state.type != plan::ElementType::F32)
        continue;
      std::vector<float> read;
      ASSERT_TRUE(stream
                      .read(state,
                            [&](const plan::State &, int64_t first, std::span<const std::byte> in) {
                              EXPECT_EQ(first, std::ssize(read));
                              const float *values = reinterpret_cast<const float *>(in.data());
                              read.insert(read.end(), values, values + in.size() / sizeof(float));
                              return Status::ok();
                            })
                      .isOk());
      EXPECT_EQ(read, executor.logical(state.cls, state.name));
    }
  }
}

TEST(StatesTest, bf16RoundsToNearestEvenAndKeepsSpecialValues) {
  EXPECT_EQ(roundToBf16(1.0f), 0x3f80);
  EXPECT_EQ(roundToBf16(std::bit_cast<float>(0x3f808000u)), 0x3f80); // tie, to even
  EXPECT_EQ(roundToBf16(std::bit_cast<float>(0x3f818000u)), 0x3f82); // tie, to even
  EXPECT_EQ(roundToBf16(std::bit_cast<float>(0x3f808001u)), 0x3f81);
  EXPECT_EQ(roundToBf16(std::bit_cast<float>(0x00018000u)), 0x0002); // denormals are kept
  EXPECT_EQ(roundToBf16(std::numeric_limits<float>::infinity()), 0x7f80);
  EXPECT_EQ(roundToBf16(std::numeric_limits<float>::quiet_NaN()) & 0x7fc0, 0x7fc0);
}

} // namespace
} // namespace windlass
