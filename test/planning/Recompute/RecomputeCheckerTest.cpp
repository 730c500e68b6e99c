// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "planning/Recompute/RecomputeChecker.h"

#include <gtest/gtest.h>

using namespace windlass;
using namespace windlass::planning;

namespace {

/// Two products in a row. The backward pass reads their results and the argument.
RecomputeProblem chain() {
  return *parseRecompute("machine layers=2 device=300 host=100 link=50 compute=1\n"
                         "value x bytes=64 needed=1\n"
                         "value y bytes=64\n"
                         "value z bytes=64 needed=1\n"
                         "op first seconds=2 reads=0 makes=1\n"
                         "op second seconds=3 reads=1 makes=2\n");
}

std::string verdict(std::vector<bool> isRepeated, std::vector<bool> isKept, int64_t bytes, double seconds) {
  return checkRecompute(chain(), RecomputeChoice{std::move(isRepeated), std::move(isKept), bytes, seconds})
      .message();
}

RecomputeChoice keepAll() { return {{false, false}, {true, false, true}, 128, 0}; }
RecomputeChoice repeatAll() { return {{true, true}, {true, false, false}, 64, 5}; }

std::string verdictOfFront(std::vector<RecomputeChoice> choices) {
  return checkRecompute(chain(), RecomputeFront{std::move(choices), 0}).message();
}

std::string verdictOf(const RecomputeSolution &solution) {
  return checkRecompute(chain(), RecomputeFront{{keepAll(), repeatAll()}, 0}, solution).message();
}

} // namespace

TEST(RecomputeChecker, AcceptsWhatIsEnough) {
  EXPECT_EQ(verdict({false, false}, {true, false, true}, 128, 0), "");
  EXPECT_EQ(verdict({true, true}, {true, false, false}, 64, 5), "");
  EXPECT_EQ(verdict({false, true}, {true, true, false}, 128, 3), "");
  EXPECT_EQ(verdictOfFront({keepAll(), repeatAll()}), "");
}

TEST(RecomputeChecker, RefusesWhatIsMissingOrKeptForNobody) {
  EXPECT_EQ(verdict({false, false}, {true, false, false}, 64, 0),
            "the backward pass reads \"z\", which is neither kept nor repeated");
  EXPECT_EQ(verdict({false, true}, {true, false, false}, 64, 3),
            "\"second\" reads \"y\", which is neither kept nor repeated");
  EXPECT_EQ(verdict({true, true}, {true, false, true}, 128, 5), "\"z\" is kept and repeated");
  EXPECT_EQ(verdict({false, false}, {true, true, true}, 192, 0), "\"y\" is kept and nobody reads it");
}

TEST(RecomputeChecker, RefusesWrongSumsAndCounts) {
  EXPECT_EQ(verdict({false, false}, {true, false, true}, 127, 0), "a layer keeps 128 bytes, not 127");
  EXPECT_EQ(verdict({true, true}, {true, false, false}, 64, 4),
            "a layer repeats for 5.000000 s, not 4.000000 s");
  EXPECT_EQ(verdict({false}, {true, false, true}, 128, 0),
            "a choice of 1 operations and 3 values for 2 and 3");
}

TEST(RecomputeChecker, RefusesAFrontThatIsNone) {
  EXPECT_EQ(verdictOfFront({}), "there is no choice");
  EXPECT_EQ(verdictOfFront({repeatAll(), keepAll()}),
            "choice 1: must take fewer bytes and more seconds than the one before");
}

TEST(RecomputeChecker, RefusesAWrongCostRoomOrBound) {
  EXPECT_EQ(verdictOf({0, 0, 1, 1}), "");
  EXPECT_EQ(verdictOf({2, 0, 1, 1}), "there is no choice 2");
  EXPECT_EQ(verdictOf({0, 8, 1, 1}), "0 bytes are away, not 8, and there is room for 100");
  EXPECT_EQ(verdictOf({1, 0, 10, 1}), "the cost is 11.000000, not 10.000000");
  EXPECT_EQ(verdictOf({1, 0, 11, 12}), "the cost 11.000000 is below its bound 12.000000");
}
