// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/training/step/StepHosts.h"

#include "runtime/training/Sampler.h"
#include "runtime/training/step/DropoutFeed.h"
#include "runtime/training/step/Schedule.h"
#include "test/runtime/training/ToyModel.h"
#include <cmath>
#include <gtest/gtest.h>

namespace windlass {
namespace {

std::span<const std::byte> bytesOf(const float &value) { return std::as_bytes(std::span(&value, 1)); }

class StepHostsTest : public testing::Test {
protected:
  StepHostsTest() {
    ToyOptions options;
    options.ranks = options.microBatches = 2;
    plan = toyPlan(options);
    data = openData("synthetic", plan).take();
    batches.emplace(Batches::create(plan, *data, 1, true).take());
  }
  plan::Plan plan;
  std::unique_ptr<DataSource> data;
  std::optional<Batches> batches;
};

TEST_F(StepHostsTest, aScalarStandsAtTheStartAndTheRestIsZero) {
  TrainingHost host(plan, *batches);
  host.begin({0.25, 0.5, 0.75, 2, 7}, 0);
  for (auto [item, value] : {std::pair("learning_rate", 0.25f),
                             {"bias_correction1", 0.5f},
                             {"bias_correction2", 0.75f},
                             {"loss_seed", 2.0f},
                             {"step", 7.0f}}) {
    float buffer[16];
    std::fill(buffer, buffer + 16, -1.0f);
    ASSERT_TRUE(host.feed({item, 1, 0}, std::as_writable_bytes(std::span(buffer))).isOk());
    EXPECT_EQ(buffer[0], value) << item;
    EXPECT_EQ(std::count(buffer + 1, buffer + 16, 0.0f), 15) << item;
  }
}

TEST_F(StepHostsTest, aStepThatWasSkippedIsNoUpdate) {
  const LossScaler scaler({1024, 3, 4}, {512, 0, 4});
  const StepScalars scalars = scalarsOfStep(plan.training, scaler, 10, 32, 5);
  EXPECT_EQ(scalars.learningRate, learningRate(plan.training, 6));
  EXPECT_EQ(scalars.biasCorrection1, biasCorrection(plan.training.beta1, 6));
  EXPECT_EQ(scalars.biasCorrection2, biasCorrection(plan.training.beta2, 6));
  EXPECT_EQ(scalars.lossSeed, 16);
  EXPECT_EQ(scalars.inverseLossScale, 1 / 512.0);
  EXPECT_EQ(scalars.step, 10);
  EXPECT_EQ(scalars.seed, 5u);
}

TEST_F(StepHostsTest, sharesOfTheLossAreThoseOfTheExamplesCounted) {
  plan.lossShares = {{"half", plan::MeanOf::Examples}};
  const double shares[] = {0.5};
  float fed[2] = {7, 7};
  const auto bytes = std::as_writable_bytes(std::span(fed));
  TrainingHost training(plan, *batches);
  training.begin({}, 0, shares);
  ASSERT_TRUE(training.feed({"half", 1, 0}, bytes).isOk());
  EXPECT_EQ(fed[0], 0.5f);
  EXPECT_EQ(fed[1], 0);
  fed[0] = 7;
  ValidationHost validation(plan, *batches);
  validation.begin(0, shares);
  ASSERT_TRUE(validation.feed({"half", 1, 0}, bytes).isOk());
  EXPECT_EQ(fed[0], 0.5f);
}

TEST_F(StepHostsTest, aSampleStepMayComputeALossOfSeveralTerms) {
  plan.lossShares = {{"share", plan::MeanOf::Examples}};
  SamplingHost host(plan);
  const int32_t tokens[] = {5};
  host.begin(tokens);
  float fed = 7;
  ASSERT_TRUE(host.feed({"share", 0, 0}, std::as_writable_bytes(std::span(&fed, 1))).isOk());
  EXPECT_EQ(fed, 1);
}

TEST_F(StepHostsTest, masksAreDrawnFromSeedStepAndPlaceInTheBatch) {
  TrainingHost host(plan, *batches);
  host.begin({0, 0, 0, 0, 7, 5}, 0);
  PhiloxKey key;
  int32_t block = 0;
  ASSERT_TRUE(host.feed({"dropout_keys", 1, 0}, std::as_writable_bytes(std::span(&key, 1))).isOk());
  ASSERT_TRUE(host.feed({"row_block", 1, 1}, std::as_writable_bytes(std::span(&block, 1))).isOk());
  EXPECT_EQ(key, dropoutStream(5, 7, 0).key());
  EXPECT_EQ(block, 3);
}

TEST_F(StepHostsTest, aBatchFillsItsBufferAndTheTailIsZero) {
  TrainingHost host(plan, *batches);
  host.begin({}, 0);
  std::vector<int32_t> buffer(16, -1);
  ASSERT_TRUE(host.feed({"tokens", 0, 1}, std::as_writable_bytes(std::span(buffer))).isOk());
  EXPECT_TRUE(std::all_of(buffer.begin(), buffer.begin() + 8, [](int32_t token) { return token >= 0; }));
  EXPECT_EQ(std::count(buffer.begin() + 8, buffer.end(), 0), 8);
  EXPECT_EQ(host.feed({"tokens", 0, 1}, std::as_writable_bytes(std::span(buffer).first(7))).code(),
            ExitCode::Internal);
}

TEST_F(StepHostsTest, lossesAreSummedInMicroBatchThenRankOrderHoweverTheyArrive) {
  TrainingHost host(plan, *batches);
  const float losses[] = {1e8f, 0.125f, -1e8f, 0.25f}; // micro-batch and rank: (0,0) (0,1) (1,0) (1,1)
  for (const std::vector<int> &order : {std::vector{0, 1, 2, 3}, {3, 1, 0, 2}, {2, 3, 1, 0}}) {
    host.begin({}, 0);
    for (int slot : order)
      ASSERT_TRUE(host.report({"loss", slot % 2, slot / 2}, bytesOf(losses[slot])).isOk());
    EXPECT_EQ(host.lossSum(), ((1e8 + 0.125) - 1e8) + 0.25);
  }
  host.begin({}, 0);
  EXPECT_TRUE(std::isnan(host.lossSum())); // no rank has reported
  EXPECT_FALSE(host.reportedNorm());
  ASSERT_TRUE(host.report({"grad_norm", 0, 1}, bytesOf(losses[1])).isOk());
  EXPECT_TRUE(host.reportedNorm());
  EXPECT_EQ(host.gradientNorm(), 0.125);
}

TEST_F(StepHostsTest, unknownItemsAreOurFault) {
  TrainingHost host(plan, *batches);
  float value = 0;
  EXPECT_EQ(host.feed({"moon", 0, 0}, std::as_writable_bytes(std::span(&value, 1))).message(),
            "the plan asks for \"moon\", which the training loop does not know");
  EXPECT_EQ(host.report({"moon", 0, 0}, bytesOf(value)).code(), ExitCode::Internal);
}

TEST(SamplerTest, temperatureZeroTakesTheLikeliest) {
  const float logits[] = {0, 3, 2};
  EXPECT_EQ(chooseToken(logits, 0, 0.99), 1u);
}

TEST(SamplerTest, drawsFollowTheSoftmax) {
  const float logits[] = {std::log(1.0f), std::log(2.0f), std::log(5.0f)};
  int seen[3] = {};
  for (int i = 0; i < 8000; ++i)
    ++seen[chooseToken(logits, 1.0, (i + 0.5) / 8000)];
  EXPECT_NEAR(seen[0], 1000, 2);
  EXPECT_NEAR(seen[1], 2000, 2);
  EXPECT_NEAR(seen[2], 5000, 2);
}

JobProcess alone;

TEST(SamplerTest, theWindowSlidesPastTheModelsPositions) {
  const plan::Plan plan = toyPlan(); // 8 positions; each byte is followed by the next one
  FakeExecutor executor(plan);
  for (plan::StateClass cls : {plan::StateClass::Parameter})
    EXPECT_EQ(executor.logical(cls, "c").size(), 5u);
  Result<std::string> text = sampleText(plan, executor, alone, {"ab", 20, 0, 1});
  ASSERT_TRUE(text.isOk()) << text.status().message();
  EXPECT_EQ(*text, "cdefghijklmnopqrstuv");
  Result<std::string> longPrompt =
      sampleText(plan, executor, alone, {"a longer prompt than 8 positionx", 2, 0, 1});
  EXPECT_EQ(*longPrompt, "yz");
}

/// Each token is followed by the next one. Tokens beyond the bytes are written by number.
TEST(SamplerTest, noTokenIsCutOff) {
  ToyOptions special;
  special.vocabulary = 260;
  const plan::Plan plan = toyPlan(special);
  FakeExecutor executor(plan);
  Result<std::string> text = sampleText(plan, executor, alone, {"\xfd", 5, 0, 1});
  ASSERT_TRUE(text.isOk()) << text.status().message();
  EXPECT_EQ(*text, "\xfe\xff<256><257><258>");
}

TEST(SamplerTest, aPlanThatComputesOneRowIsToldWhich) {
  plan::Plan plan = toyPlan();
  plan::Instruction feed;
  feed.op = plan::Opcode::Feed;
  feed.item = "position";
  plan.programs[0].sections.back().instructions.push_back(feed);
  SamplingHost host(plan);
  const int32_t tokens[] = {5, 6, 7};
  host.begin(tokens);
  int32_t position[16] = {-1, -1};
  ASSERT_TRUE(host.feed({"position", 0, 0}, std::as_writable_bytes(std::span(position))).isOk());
  EXPECT_EQ(position[0], 2);
  EXPECT_EQ(position[1], 0);
  const std::vector<float> row = {1, 2, 3, 4};
  ASSERT_TRUE(host.report({"logits", 0, 0}, std::as_bytes(std::span(row))).isOk());
  EXPECT_EQ(std::vector<float>(host.logits().begin(), host.logits().end()), row);
}

TEST(SamplerTest, refusesWhatCannotBeSampled) {
  ToyOptions narrow;
  narrow.vocabulary = 100;
  plan::Plan plan = toyPlan(narrow);
  EXPECT_EQ(checkSampling(plan, {"az", 1, 0, 1}).message(),
            "--sample: byte 122 of the prompt is outside the vocabulary of 100");
  EXPECT_EQ(checkSampling(plan, {"", 1, 0, 1}).code(), ExitCode::BadInput);
  for (int64_t tokens : {256, 257, 384, 385, 50257}) {
    ToyOptions wide;
    wide.vocabulary = tokens;
    const Status checked = checkSampling(toyPlan(wide), {"a", 1, 0, 1});
    EXPECT_EQ(checked.code(), tokens <= 384 ? ExitCode::Done : ExitCode::BadInput) << tokens;
  }
  plan.programs[0].sample.clear();
  EXPECT_EQ(checkSampling(plan, {"a", 1, 0, 1}).code(), ExitCode::BadInput);
}

} // namespace
} // namespace windlass
