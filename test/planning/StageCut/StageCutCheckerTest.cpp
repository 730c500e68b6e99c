// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Each rule of a stage cut is broken once.
#include "planning/StageCut/StageCutChecker.h"
#include <gtest/gtest.h>

using namespace windlass;
using namespace windlass::planning;

namespace {

std::string faultOf(const std::vector<int64_t> &layers, double seconds) {
  const StageCutProblem problem{{{1, 10}, {2, 10}, {3, 10}}, {2, 1}, 40};
  return checkStageCut(problem, {layers, seconds}).message();
}

TEST(StageCutChecker, aCutThatKeepsEveryRulePasses) { EXPECT_EQ(faultOf({2, 1}, 3), ""); }

TEST(StageCutChecker, eachRuleBrokenOnce) {
  EXPECT_EQ(faultOf({3}, 6), "1 stages of 2 have layers");
  EXPECT_EQ(faultOf({0, 3}, 6), "stage 0 has 0 layers");
  EXPECT_EQ(faultOf({2, 2}, 5), "stage 1 has a layer behind the last");
  EXPECT_EQ(faultOf({1, 1}, 2), "layer 2 has no stage");
  EXPECT_EQ(faultOf({2, 1}, 2), "the slowest stage takes 3.000000 s, not 2.000000");
}

TEST(StageCutChecker, aStageThatKeepsTooMuchIsFound) {
  const StageCutProblem problem{{{1, 30}, {1, 10}}, {2, 1}, 40};
  EXPECT_EQ(checkStageCut(problem, {{1, 1}, 1}).message(), "stage 0 keeps 60 bytes, its rank holds 40");
}

TEST(StageCutChecker, layersRepeatedTogetherAreNotParted) {
  const StageCutProblem problem{{{1, 10, true}, {1, 10}, {1, 10}}, {1, 1}, 40};
  EXPECT_EQ(checkStageCut(problem, {{1, 2}, 2}).message(),
            "stage 0 ends with layer 0, which is joined to the next");
  EXPECT_EQ(checkStageCut(problem, {{2, 1}, 2}).message(), "");
}

} // namespace
