// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/driver/capacity/TileChoice.h"
#include <gtest/gtest.h>

using namespace windlass;

namespace {

const Limits kNone;

/// A machine that fits where tiles and blocks are at most these. It counts the questions.
struct Machine {
  int64_t tile, attention;
  int64_t bound = INT64_MAX; ///< larger tiles, or blocks, are known not to fit
  int64_t smallest = 0;      ///< smaller tiles do not fit
  int asked = 0;
  std::optional<Limits> choose(const LimitSequences &sequences) {
    constexpr int64_t kWhole = 1024;
    return *largestLimitsThatFit(sequences, {.mayFit = [&](const Limits &limits) -> Result<bool> {
                                               return std::min(limits.tile.value_or(kWhole),
                                                               limits.attention.value_or(kWhole)) <= bound;
                                             },
                                             .fits = [&](const Limits &limits) -> Result<bool> {
                                               ++asked;
                                               return limits.tile.value_or(kWhole) <= tile &&
                                                      limits.tile.value_or(kWhole) >= smallest &&
                                                      limits.attention.value_or(kWhole) <= attention;
                                             }});
  }
};

const LimitSequences kSequences = limitSequences(kNone, {512, 256, 128, 64}, {512, 256});

TEST(TileChoice, takesTheLargestOfTheFirstSequenceThatHelps) {
  EXPECT_EQ((Machine{200, 1024}.choose(kSequences)), (Limits{128, 128, {}}));
  EXPECT_EQ((Machine{1024, 600}.choose(kSequences)), (Limits{{}, {}, 512}));
  EXPECT_EQ((Machine{300, 300}.choose(kSequences)), (Limits{256, 256, 256}));
  EXPECT_EQ((Machine{64, 256}.choose(kSequences)), (Limits{64, 64, 256}));
}

/// Smaller tiles and smaller blocks are each enough.
TEST(TileChoice, cutsFirstWhatIsLarger) {
  Machine either{1024, 1024};
  EXPECT_EQ(either.choose(limitSequences(kNone, {512, 256}, {511})), (Limits{512, 512, {}}));
  EXPECT_EQ(either.choose(limitSequences(kNone, {512, 256}, {513})), (Limits{{}, {}, 513}));
  EXPECT_EQ((Machine{300, 1024}.choose(limitSequences(kNone, {512, 256}, {513}))), (Limits{256, 256, {}}));
}

TEST(TileChoice, asksForAllThatMayFitWhereNothingHelps) {
  Machine tiny{1, 1};
  EXPECT_EQ(tiny.choose(kSequences), std::nullopt);
  EXPECT_EQ(tiny.asked, 4 + 2 + 4);
}

/// The buffers that stage the smallest tiles do not fit.
TEST(TileChoice, findsLargeTilesWhereSmallOnesDoNotFit) {
  EXPECT_EQ((Machine{300, 1024, INT64_MAX, 200}.choose(kSequences)), (Limits{256, 256, {}}));
}

TEST(TileChoice, asksNothingThatIsKnownNotToFit) {
  Machine exact{128, 1024, 128}, near{64, 1024, 128}, none{1, 1, 32};
  EXPECT_EQ(exact.choose(kSequences), (Limits{128, 128, {}}));
  EXPECT_EQ(exact.asked, 1) << "the largest that may fit does";
  EXPECT_EQ(near.choose(kSequences), (Limits{64, 64, {}}));
  EXPECT_EQ(near.asked, 2);
  EXPECT_EQ(none.choose(kSequences), std::nullopt);
  EXPECT_EQ(none.asked, 0);
}

TEST(TileChoice, leavesWhatCannotBeCut) {
  Machine machine{1024, 300};
  EXPECT_EQ(machine.choose(limitSequences(kNone, {}, {512, 256})), (Limits{{}, {}, 256}));
  EXPECT_EQ(machine.choose(limitSequences({128, 64, {}}, {}, {512, 256})), (Limits{128, 64, 256}));
  EXPECT_EQ(machine.choose(limitSequences(kNone, {512, 256}, {})), std::nullopt);
  EXPECT_EQ(machine.choose(limitSequences(kNone, {}, {})), std::nullopt);
}

TEST(TileChoice, handsOnWhatFails) {
  auto fails = [](const Limits &) { return Result<bool>(Status::internal("broken")); };
  auto may = [](const Limits &) { return Result<bool>(true); };
  EXPECT_EQ(largestLimitsThatFit(kSequences, {.mayFit = may, .fits = fails}).status().message(), "broken");
  EXPECT_EQ(largestLimitsThatFit(kSequences, {.mayFit = fails, .fits = may}).status().message(), "broken");
}

TEST(TileChoice, saysWhatIsNew) {
  const Limits tiles{65536, 65536, {}}, blocks{{}, {}, 4096}, both{65536, 65536, 4096};
  using enum plan::Figure;
  EXPECT_EQ(tileFigures(tiles, kNone), (plan::Figures{{TileBytes, 65536}, {ActivationBytes, 65536}}));
  EXPECT_EQ(tileFigures(blocks, kNone), (plan::Figures{{AttentionBytes, 4096}}));
  EXPECT_EQ(tileFigures(both, kNone),
            (plan::Figures{{TileBytes, 65536}, {ActivationBytes, 65536}, {AttentionBytes, 4096}}));
  EXPECT_EQ(tileFigures(both, tiles), (plan::Figures{{AttentionBytes, 4096}}));
}

} // namespace
