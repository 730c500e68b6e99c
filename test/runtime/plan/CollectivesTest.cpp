// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A plan's numerics record says in whose order ranks are summed, and only on devices that have a choice.
#include "runtime/plan/Collectives.h"
#include "runtime/plan/check/Checker.h"
#include "test/support/SyntheticPlan.h"
#include <gtest/gtest.h>

using namespace windlass::plan;

namespace {

Plan planOf(const char *backend, const char *numerics) {
  Plan plan = windlass::test::makeSyntheticPlan({.seed = 1});
  plan.backend = backend;
  plan.numerics = numerics;
  return plan;
}

TEST(Collectives, areOrderedWhereTheRecordSaysNothing) {
  for (const char *record : {"", "{}", R"({"dp":2})", R"({"collectives":"ordered"})"}) {
    const windlass::Result<Collectives> found = collectivesOf(planOf("cpu", record));
    ASSERT_TRUE(found) << found.status().message();
    EXPECT_EQ(*found, Collectives::Ordered) << record;
    EXPECT_TRUE(checkCollectives(planOf("cpu", record))) << record;
  }
}

TEST(Collectives, ofALibraryAreForItsDeviceAlone) {
  const char *record = R"({"collectives":"nccl"})";
  EXPECT_EQ(*collectivesOf(planOf("cuda", record)), Collectives::Nccl);
  EXPECT_TRUE(checkCollectives(planOf("cuda", record)));
  EXPECT_EQ(
      checkPlan(planOf("cpu", record)).message(),
      "the plan is not sound: plan: numerics: collectives: 'nccl' is nothing that the backend 'cpu' has");
}

TEST(Collectives, ofAnUnknownWordAreRefused) {
  for (const auto &[record, found] :
       {std::pair(R"({"collectives":"ring"})", "\"ring\""), std::pair(R"({"collectives":1})", "1")})
    EXPECT_EQ(checkCollectives(planOf("cuda", record)).message(),
              std::string("plan: numerics: collectives: must be 'ordered' or 'nccl', is ") + found);
}

} // namespace
