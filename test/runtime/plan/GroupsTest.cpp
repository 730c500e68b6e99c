// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The groups of ranks along the axes of a mesh of 2 x 3 x 2.
#include "runtime/plan/Groups.h"
#include <gtest/gtest.h>
#include <set>

using namespace windlass::plan;

namespace {

Plan cube() {
  Plan plan;
  plan.mesh = {{"a", 2}, {"b", 3}, {"c", 2}};
  return plan;
}

TEST(GroupsTest, membersDifferInTheAxesAlone) {
  const Plan plan = cube();
  const std::vector<int64_t> a = {0}, b = {1}, c = {2}, ac = {0, 2};
  EXPECT_EQ(membersOf(plan, c, 0), (std::vector<int64_t>{0, 1}));
  EXPECT_EQ(membersOf(plan, b, 1), (std::vector<int64_t>{1, 3, 5}));
  EXPECT_EQ(membersOf(plan, a, 4), (std::vector<int64_t>{4, 10}));
  EXPECT_EQ(membersOf(plan, ac, 1), (std::vector<int64_t>{2, 3, 8, 9}));
  EXPECT_EQ(membersOf(plan, {}, 0).size(), 12u);
}

TEST(GroupsTest, everyRankHasOnePlaceInOneGroup) {
  const Plan plan = cube();
  for (const std::vector<int64_t> &axes :
       {std::vector<int64_t>{}, {0}, {1}, {2}, {0, 1}, {0, 2}, {1, 2}, {0, 1, 2}, {2, 0}, {1, 2, 0}}) {
    std::set<std::pair<int64_t, int64_t>> seen;
    for (int64_t rank = 0; rank < plan.ranks(); ++rank) {
      const int64_t group = groupOf(plan, axes, rank), place = placeInGroup(plan, axes, rank);
      EXPECT_EQ(membersOf(plan, axes, group).at(place), rank);
      seen.insert({group, place});
    }
    EXPECT_EQ(std::ssize(seen), plan.ranks());
    EXPECT_EQ(plan.ranks() % groupRanks(plan, axes), 0);
  }
}

/// If axes are not in the mesh's order, places are not in the order of ranks.
TEST(GroupsTest, theFirstAxisIsTheSlowest) {
  const Plan plan = cube();
  const std::vector<int64_t> ca = {2, 0}, ac = {0, 2};
  EXPECT_EQ(membersOf(plan, ac, 0), (std::vector<int64_t>{0, 1, 6, 7}));
  EXPECT_EQ(membersOf(plan, ca, 0), (std::vector<int64_t>{0, 6, 1, 7}));
  EXPECT_EQ(nameOfAxes(plan, ca), "c x a");
}

TEST(GroupsTest, aSpanIsWhatAGroupLiesWithin) {
  const Plan plan = cube();
  const std::vector<int64_t> a = {0}, b = {1}, c = {2};
  EXPECT_EQ(groupSpan(plan, c), 2);
  EXPECT_EQ(groupSpan(plan, b), 6);
  EXPECT_EQ(groupSpan(plan, a), 12);
  EXPECT_EQ(groupSpan(plan, {}), 12);
  EXPECT_EQ(nameOfAxes(plan, b), "b");
  EXPECT_EQ(nameOfAxes(plan, {}), "a x b x c");
}

TEST(GroupsTest, alongOtherAxesThanThoseOfDataRanksHaveTheSameExamples) {
  Plan plan = cube();
  EXPECT_EQ(dataRanks(plan), 12);
  EXPECT_EQ(dataPlace(plan, 7), 7);
  plan.mesh[0].kind = AxisKind::Pipeline;
  plan.mesh[2].kind = AxisKind::Tensor;
  EXPECT_EQ(dataRanks(plan), 3);
  for (int64_t rank = 0; rank < 12; ++rank) {
    EXPECT_EQ(dataPlace(plan, rank), rank / 2 % 3);
    EXPECT_EQ(speaksForItsPlace(plan, rank), rank % 2 == 0);
  }
  plan.mesh[0].kind = AxisKind::Data;
  EXPECT_EQ(dataPlace(plan, 9), 4);
}

} // namespace
