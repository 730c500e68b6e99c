// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/training/step/Schedule.h"

#include <cmath>
#include <gtest/gtest.h>

namespace windlass {
namespace {

plan::Training training(const std::string &schedule) {
  plan::Training facts;
  facts.steps = 100;
  facts.schedule = schedule;
  facts.learningRate = 2e-3;
  facts.minLearningRateRatio = 0.1;
  facts.warmup = 20;
  facts.beta1 = 0.9;
  facts.beta2 = 0.95;
  return facts;
}

TEST(ScheduleTest, everyScheduleWarmsUpInAStraightLine) {
  for (const char *name : {"constant", "linear", "cosine"})
    for (int64_t step = 1; step <= 20; ++step)
      EXPECT_DOUBLE_EQ(learningRate(training(name), step), 2e-3 * step / 20) << name;
}

TEST(ScheduleTest, fallsToTheRatioAndStaysThere) {
  for (const char *name : {"linear", "cosine"}) {
    EXPECT_DOUBLE_EQ(learningRate(training(name), 100), 2e-4);
    EXPECT_DOUBLE_EQ(learningRate(training(name), 1000), 2e-4);
    EXPECT_NEAR(learningRate(training(name), 60), 2e-3 * 0.55, 1e-12) << "half way";
    for (int64_t step = 21; step <= 100; ++step)
      EXPECT_LT(learningRate(training(name), step), learningRate(training(name), step - 1));
  }
  EXPECT_DOUBLE_EQ(learningRate(training("constant"), 1000), 2e-3);
}

TEST(ScheduleTest, aRunOfWarmupAloneEndsAtTheRatioToo) {
  for (const char *name : {"linear", "cosine"})
    for (double ratio : {0.0, 0.1}) {
      plan::Training facts = training(name);
      facts.minLearningRateRatio = ratio;
      facts.warmup = 100;
      EXPECT_DOUBLE_EQ(learningRate(facts, 100), 2e-3) << name;
      EXPECT_DOUBLE_EQ(learningRate(facts, 101), 2e-3 * ratio) << name;
    }
}

/// The schedules are transformers' get_linear_schedule_with_warmup and get_cosine_schedule_with_warmup after
/// the warm-up.
TEST(ScheduleTest, whatFallsToNothingStillLearnsInItsLastStep) {
  for (const char *name : {"linear", "cosine"})
    for (int64_t warmup : {0, 20, 99}) {
      plan::Training facts = training(name);
      facts.minLearningRateRatio = 0;
      facts.warmup = warmup;
      for (int64_t step = warmup + 1; step <= 100; ++step) {
        const double progress = static_cast<double>(step - 1 - warmup) / static_cast<double>(100 - warmup);
        const bool isLinear = facts.schedule == "linear";
        EXPECT_NEAR(learningRate(facts, step),
                    2e-3 * (isLinear ? 1 - progress : 0.5 * (1 + std::cos(M_PI * progress))), 1e-11)
            << name << ", step " << step;
        EXPECT_GT(learningRate(facts, step), 0) << name << ", step " << step;
      }
      for (int64_t step : {101, 102, 1000})
        EXPECT_EQ(learningRate(facts, step), 0) << name << ", step " << step << " after the last";
    }
}

TEST(ScheduleTest, isOverWhereTheRateHasFallenToNothing) {
  for (const char *name : {"constant", "linear", "cosine"})
    for (double ratio : {0.0, 0.1}) {
      plan::Training facts = training(name);
      facts.minLearningRateRatio = ratio;
      EXPECT_FALSE(isScheduleOver(facts, 100)) << name;
      EXPECT_EQ(isScheduleOver(facts, 101), ratio == 0 && facts.schedule != "constant") << name << ratio;
      facts.learningRate = 0; // which was never more
      EXPECT_FALSE(isScheduleOver(facts, 101)) << name;
    }
}

TEST(ScheduleTest, cosineIsTheCosine) {
  for (int64_t step = 21; step <= 100; ++step)
    EXPECT_NEAR(learningRate(training("cosine"), step),
                2e-3 * (0.1 + 0.9 * 0.5 * (1 + std::cos(M_PI * (step - 20) / 80.0))), 1e-11);
}

TEST(ScheduleTest, withoutWarmupTheFirstStepIsNotZero) {
  plan::Training facts = training("constant");
  facts.warmup = 0;
  EXPECT_DOUBLE_EQ(learningRate(facts, 1), 2e-3);
}

TEST(ScheduleTest, biasCorrectionIsOneMinusThePower) {
  for (int64_t step : {1, 2, 3, 10, 1000, 1000000})
    EXPECT_NEAR(biasCorrection(0.95, step), 1 - std::pow(0.95, step), 1e-14);
}

TEST(ScheduleTest, refusesWhatNoOptimizerCanUse) {
  EXPECT_TRUE(checkSchedule(training("linear")).isOk());
  EXPECT_EQ(checkSchedule(training("step")).message(),
            "plan: schedule \"step\" is not one of \"constant\", \"linear\", \"cosine\"");
  plan::Training facts = training("linear");
  facts.beta2 = 1;
  EXPECT_EQ(checkSchedule(facts).code(), ExitCode::BadInput);
  facts = training("linear");
  facts.learningRate = std::nan("");
  EXPECT_EQ(checkSchedule(facts).code(), ExitCode::BadInput);
}

} // namespace
} // namespace windlass
