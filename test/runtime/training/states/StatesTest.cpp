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
#include <random>

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
    // The 600 elements are columns [3, 7) of a matrix of 150 x 10.
    state->shape = {150, 4};
    state->slice = {{150, 10}, {0, 3}};
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

/// A tensor that ranks along tp divide, cut into tiles, and sharded over dp.
struct Parts {
  std::vector<int64_t> whole, local; ///< of the tensor, and of the part of a place along tp
  int64_t period = 0, width = 0, replicas = 1, sharers = 1, tensorRanks = 1;
  std::vector<std::pair<std::vector<int64_t>, std::vector<int64_t>>> tiles; ///< shape and begin
};

int64_t countOf(const std::vector<int64_t> &shape) {
  int64_t count = 1;
  for (int64_t extent : shape)
    count *= extent;
  return count;
}

/// The begins of random ranges that cover a dimension.
std::vector<int64_t> cutAtRandom(int64_t extent, std::mt19937 &random) {
  std::vector<int64_t> begins = {0};
  for (int64_t at = 1; at < extent; ++at)
    if (random() % 4 == 0)
      begins.push_back(at);
  return begins;
}

/// Ranks divide one dimension, perhaps with padding. Tiles cut up to two dimensions.
Parts drawParts(uint32_t seed) {
  std::mt19937 random(seed);
  auto draw = [&](int64_t least, int64_t most) {
    return least + static_cast<int64_t>(random() % (most - least + 1));
  };
  Parts parts;
  parts.replicas = draw(1, 2);
  parts.sharers = draw(1, 3);
  parts.tensorRanks = draw(1, 4);
  const size_t rank = static_cast<size_t>(draw(1, 3)), along = random() % rank;
  int64_t inner = 1, groups = draw(1, 3); // of the dimension, such as packed queries, keys and values
  for (size_t dim = 0; dim < rank; ++dim)
    parts.whole.push_back(draw(1, 6));
  const int64_t indices = parts.whole[along], held = (indices + parts.tensorRanks - 1) / parts.tensorRanks;
  parts.local = parts.whole;
  parts.whole[along] = indices * groups;
  parts.local[along] = held * groups;
  for (size_t dim = along + 1; dim < rank; ++dim)
    inner *= parts.whole[dim];
  parts.period = indices * inner;
  parts.width = held * inner;
  std::vector<std::pair<std::vector<int64_t>, std::vector<int64_t>>> tiles = {
      {parts.local, std::vector<int64_t>(rank, 0)}};
  for (size_t dim = 0; dim < std::min<size_t>(rank, 2); ++dim) {
    const std::vector<int64_t> begins = cutAtRandom(parts.local[dim], random);
    std::vector<std::pair<std::vector<int64_t>, std::vector<int64_t>>> finer;
    for (const auto &[shape, begin] : tiles)
      for (size_t i = 0; i < begins.size(); ++i) {
        finer.emplace_back(shape, begin);
        finer.back().first[dim] = (i + 1 < begins.size() ? begins[i + 1] : parts.local[dim]) - begins[i];
        finer.back().second[dim] = begins[i];
      }
    tiles = std::move(finer);
  }
  parts.tiles = std::move(tiles);
  return parts;
}

/// A plan whose states are the tiles of "w". Each tile is a unit with its own home.
plan::Plan planOf(const Parts &parts) {
  plan::Plan plan;
  plan.mesh = {{"dp_replicate", parts.replicas, plan::AxisKind::Data},
               {"tp", parts.tensorRanks, plan::AxisKind::Tensor},
               {"dp_shard", parts.sharers, plan::AxisKind::Data}};
  plan.programs[0].ranks = plan.ranks();
  plan.inputs = {{"tokens", plan::ElementType::I32, {1, 1}, plan::InputRole::Tokens, 1}};
  plan.programs[0].arenas = {{plan::Tier::Device, 0, 0, 0}};
  for (const auto &[shape, begin] : parts.tiles) {
    const int64_t piece = (countOf(shape) + parts.sharers - 1) / parts.sharers;
    plan::State state;
    state.name = "w";
    state.shape = shape;
    state.init = {plan::InitKind::Normal, 0, 1, 0};
    state.unit = "unit " + std::to_string(plan.programs[0].states.size());
    state.pieceElements = piece;
    state.home = {static_cast<uint32_t>(plan.programs[0].buffers.size()), 0, piece * 4, {}};
    if (parts.tiles.size() > 1)
      state.slice = {parts.local, begin};
    state.axes = {2};
    state.split = {parts.whole, 1, parts.period, parts.width};
    plan::Arena &arena = plan.programs[0].arenas[0];
    plan.programs[0].buffers.push_back(
        {state.unit, plan::BufferClass::Parameter, plan::Tier::Device, arena.bytes, 4096, true});
    arena.bytes += 4096;
    plan.programs[0].states.push_back(state);
  }
  return plan;
}

/// The element of the tensor that is element `i` of a tile at a place along tp; -1 if it is padding.
int64_t elementOf(const Parts &parts, const plan::State &state, int64_t place, int64_t i) {
  std::vector<int64_t> index(state.shape.size());
  for (size_t dim = state.shape.size(); dim-- > 0; i /= state.shape[dim])
    index[dim] = i % state.shape[dim] + (state.slice.begin.empty() ? 0 : state.slice.begin[dim]);
  int64_t local = 0;
  for (size_t dim = 0; dim < index.size(); ++dim)
    local = local * parts.local[dim] + index[dim];
  const int64_t within = place * parts.width + local % parts.width;
  return within < parts.period ? local / parts.width * parts.period + within : -1;
}

TEST(StatesTest, partsHoldTheirElementsOfTheTensor) {
  int64_t padded = 0, tiled = 0, joined = 0;
  for (uint32_t seed = 1; seed <= 300; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Parts parts = drawParts(seed);
    const plan::Plan plan = planOf(parts);
    FakeExecutor executor(plan);
    executor.fillEverything(std::byte{0x11});
    StateStream stream(plan, executor);
    ASSERT_TRUE(stream
                    .writeAll([](const plan::State &, int64_t first, std::span<std::byte> out) {
                      for (size_t at = 0; at < out.size(); at += sizeof(float)) {
                        const float value = static_cast<float>(1 + first++);
                        std::memcpy(out.data() + at, &value, sizeof(float));
                      }
                      return Status::ok();
                    })
                    .isOk());
    std::vector<int> holders(countOf(parts.whole)); // per element, the ranks that hold it
    std::vector<int> reads(countOf(parts.whole));
    tiled += parts.tiles.size() > 1;
    int64_t calls = 0; // of the sink
    for (const plan::State &state : plan.programs[0].states) {
      for (int64_t rank = 0; rank < plan.ranks(); ++rank) {
        const ElementRange held = heldRange(plan, state, rank);
        const int64_t place = rank / parts.sharers % parts.tensorRanks;
        std::vector<float> found(static_cast<size_t>(state.pieceElements));
        ASSERT_TRUE(executor.readBytes(rank, state.home, 0, std::as_writable_bytes(std::span(found))).isOk());
        for (int64_t i = 0; i < state.pieceElements; ++i) {
          const int64_t element = i < held.count ? elementOf(parts, state, place, held.first + i) : -1;
          ASSERT_EQ(found[static_cast<size_t>(i)], static_cast<float>(1 + element)) << "rank " << rank;
          padded += i < held.count && element < 0;
          if (element >= 0)
            ++holders[static_cast<size_t>(element)];
        }
      }
      ASSERT_TRUE(stream
                      .read(state,
                            [&](const plan::State &, int64_t first, std::span<const std::byte> in) {
                              ++calls;
                              for (size_t at = 0; at < in.size(); at += sizeof(float), ++first) {
                                float value = 0;
                                std::memcpy(&value, in.data() + at, sizeof(float));
                                EXPECT_EQ(value, static_cast<float>(1 + first));
                                ++reads.at(static_cast<size_t>(first));
                              }
                              return Status::ok();
                            })
                      .isOk());
    }
    ASSERT_EQ(holders, std::vector<int>(holders.size(), static_cast<int>(parts.replicas)));
    ASSERT_EQ(reads, std::vector<int>(reads.size(), 1));
    if (parts.tiles.size() == 1 && parts.sharers == 1) {
      EXPECT_EQ(calls, 1) << "rows of all places come together";
      ++joined;
    }
  }
  EXPECT_GT(joined, 20);
  EXPECT_GT(padded, 0);
  EXPECT_GT(tiled, 100);
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

/// Ranks at one place of their groups hold the same part. The ranks of one group together hold all parts.
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
  EXPECT_EQ(roundToBf16(std::bit_cast<float>(0x3f808000u)), 0x3f80); // a tie, to even
  EXPECT_EQ(roundToBf16(std::bit_cast<float>(0x3f818000u)), 0x3f82); // a tie, to even
  EXPECT_EQ(roundToBf16(std::bit_cast<float>(0x3f808001u)), 0x3f81);
  EXPECT_EQ(roundToBf16(std::bit_cast<float>(0x00018000u)), 0x0002); // denormals are kept
  EXPECT_EQ(roundToBf16(std::numeric_limits<float>::infinity()), 0x7f80);
  EXPECT_EQ(roundToBf16(std::numeric_limits<float>::quiet_NaN()) & 0x7fc0, 0x7fc0);
}

} // namespace
} // namespace windlass
