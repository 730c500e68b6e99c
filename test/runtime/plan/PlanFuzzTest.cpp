// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A damaged plan is refused with the name of its file. A plan that was changed on purpose, with its hash, is
// refused too, or is sound: a plan that the checker accepts can be printed, read back and checked.
#include "runtime/plan/check/Checker.h"
#include "runtime/plan/file/PlanHash.h"
#include "runtime/plan/file/PlanReader.h"
#include "runtime/plan/file/PlanWriter.h"
#include "test/support/Mutate.h"
#include "test/support/SyntheticPlan.h"

#include <cstdio>
#include <gtest/gtest.h>

using namespace windlass;

namespace {

/// The plan without the names and figures on which no byte and no order depends.
std::string programOf(plan::Plan plan) {
  plan.training = {};
  plan.prediction = {};
  plan.reasons.clear();
  for (plan::State &state : plan.programs[0].states)
    state.init = {};
  Result<std::string> text = plan::printPlan(plan);
  EXPECT_TRUE(text) << text.status().message();
  return text ? *text : "";
}

/// A mesh of two axes, and a scaled loss with a term of its own.
plan::Plan planOfTwoAxes(int64_t microBatches) {
  plan::Plan plan = test::makeSyntheticPlan(
      {.seed = 3, .ranks = 4, .microBatches = microBatches, .layers = 2, .replicas = 2, .scaled = true});
  plan.lossShares = {{"loss_share.0", plan::MeanOf::Labels, "labels", -1, {1, 0.5}},
                     {"loss_share.1", plan::MeanOf::Examples}};
  return plan;
}

void expectDamageIsRefused(const plan::Plan &plan) {
  const std::string text = *plan::printPlan(plan);
  std::mt19937_64 random(20251120);
  int changed = 0;
  for (int round = 0; round < 1000; ++round) {
    const std::string damaged = test::mutated(text, random);
    Result<plan::Plan> read = plan::parsePlan(damaged, "plan.json");
    ASSERT_EQ(read.isOk(), damaged == text) << "round " << round;
    if (read)
      continue;
    ++changed;
    ASSERT_EQ(read.status().code(), ExitCode::BadInput) << "round " << round;
    ASSERT_EQ(read.status().message().rfind("plan.json: ", 0), 0u) << read.status().message();
  }
  EXPECT_GT(changed, 900);
}

TEST(PlanFuzz, damagedPlansAreRefused) {
  expectDamageIsRefused(test::makeSyntheticPlan({.seed = 3, .ranks = 2, .layers = 2}));
  expectDamageIsRefused(planOfTwoAxes(1));
}

void expectForgeriesAreRefusedOrSound(const plan::Plan &sound) {
  ASSERT_TRUE(plan::checkPlan(sound));
  const std::string text = *plan::printPlan(sound);
  std::mt19937_64 random(20251121);
  int unread = 0, unsound = 0, admitted = 0, changed = 0;
  for (int round = 0; round < 1500; ++round) {
    const std::string forged = plan::rehashed(test::mutated(text, random));
    Result<plan::Plan> read = plan::parsePlan(forged, "plan.json");
    if (!read) {
      ++unread;
      ASSERT_EQ(read.status().code(), ExitCode::BadInput) << "round " << round;
      ASSERT_EQ(read.status().message().rfind("plan.json: ", 0), 0u) << read.status().message();
      continue;
    }
    Status checked = plan::checkPlan(*read);
    if (!checked) {
      ++unsound;
      ASSERT_EQ(checked.code(), ExitCode::BadInput) << checked.message();
      continue;
    }
    ++admitted;
    Result<std::string> printed = plan::printPlan(*read);
    ASSERT_TRUE(printed) << printed.status().message();
    Result<plan::Plan> again = plan::parsePlan(*printed, "plan.json");
    ASSERT_TRUE(again) << again.status().message();
    ASSERT_TRUE(plan::checkPlan(*again));
    changed += programOf(*read) != programOf(sound);
  }
  std::printf("%d unread, %d unsound, %d admitted, of which %d name or weigh something else\n", unread,
              unsound, admitted, changed);
  EXPECT_GT(unread, 500);
  EXPECT_GT(unsound, 20);
  EXPECT_LT(changed, 300);
}

TEST(PlanFuzz, forgedPlansAreRefusedOrSound) {
  expectForgeriesAreRefusedOrSound(
      test::makeSyntheticPlan({.seed = 3, .ranks = 2, .microBatches = 3, .layers = 2}));
  expectForgeriesAreRefusedOrSound(planOfTwoAxes(3));
}

} // namespace
