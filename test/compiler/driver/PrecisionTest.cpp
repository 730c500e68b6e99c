// bf16 computes on 16-bit parameters, sums gradients and keeps states in f32, and learns as f32 does.
#include "runtime/plan/Layout.h"
#include "test/support/EndToEnd.h"
#include <bit>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

using namespace windlass;
using namespace windlass::test;
using plan::StateClass;

namespace {

Job job(const std::string &compute, int64_t microBatches) {
  return tinyGpt2(2, microBatches)
      .with({{"precision", {{"compute", compute}}},
             {"steps", 60},
             {"optimizer", {{"learning_rate", 2e-3}}},
             {"schedule", {{"warmup", 5}}}});
}

/// Bytes of the gradient accumulators on one rank.
int64_t gradientBytes(const plan::Plan &plan) {
  int64_t bytes = 0;
  for (const plan::Buffer &buffer : plan.buffers)
    if (buffer.cls == plan::BufferClass::Gradient && buffer.persistent)
      bytes += buffer.bytes;
  return bytes;
}

double firstNorm(const Outcome &outcome) {
  return std::bit_cast<float>(outcome.reports.at("grad_norm").front());
}

TEST(PrecisionTest, statesAreF32AndParametersTheirRounding) {
  std::unique_ptr<Compiled> compiled = compileJob(job("bf16", 2));
  ASSERT_TRUE(compiled);
  std::map<StateClass, int64_t> tensors;
  for (const plan::State &state : compiled->plan.states) {
    EXPECT_EQ(state.type,
              state.cls == StateClass::Parameter ? plan::ElementType::BF16 : plan::ElementType::F32)
        << state.name;
    ++tensors[state.cls];
  }
  ASSERT_EQ(tensors.size(), 4u);
  for (const auto &[cls, count] : tensors)
    EXPECT_EQ(count, tensors[StateClass::Parameter]);
}

TEST(PrecisionTest, severalMicroBatchesAreSummedInF32) {
  const std::string one = "bf16, one micro-batch", two = "bf16, two", wide = "fp32, two";
  std::map<std::string, std::unique_ptr<Compiled>> plans;
  plans[one] = compileJob(job("bf16", 1));
  plans[two] = compileJob(job("bf16", 2));
  plans[wide] = compileJob(job("fp32", 2));
  ASSERT_TRUE(plans[one] && plans[two] && plans[wide]);
  for (const auto &[name, compiled] : plans) {
    const json record = json::parse(compiled->plan.numerics);
    EXPECT_EQ(record["gradient_type"], name == wide ? "fp32" : "bf16");
    EXPECT_EQ(record["accumulation_type"], "fp32");
  }
  EXPECT_EQ(gradientBytes(plans[two]->plan), gradientBytes(plans[wide]->plan));
  EXPECT_LT(gradientBytes(plans[one]->plan), gradientBytes(plans[two]->plan));
}

TEST(PrecisionTest, learnsAsF32Does) {
  TemporaryFolder folder;
  std::string text;
  for (int line = 0; line < 400; ++line)
    text += "the windlass hauls weight " + std::to_string(line % 7) + " up from the deep\n";
  RunSettings settings;
  settings.steps = 60;
  settings.data = folder.write("corpus.txt", text);
  std::unique_ptr<Compiled> wide = compileJob(job("fp32", 2)), narrow = compileJob(job("bf16", 2));
  ASSERT_TRUE(wide && narrow);
  const Outcome expected = train(*wide, settings), found = train(*narrow, settings);
  ASSERT_EQ(expected.losses.size(), 60u);
  ASSERT_EQ(found.losses.size(), 60u);
  EXPECT_LT(expected.losses.back(), 0.6 * expected.losses.front());
  EXPECT_NE(expected.losses, found.losses);
  // A bf16 has 8 bits of mantissa: the first gradient differs by some thousandths, and the losses of two runs
  // of this length by a few percent.
  EXPECT_NEAR(firstNorm(found), firstNorm(expected), 0.01 * firstNorm(expected));
  for (size_t step = 0; step < 60; ++step)
    EXPECT_NEAR(found.losses[step], expected.losses[step], 0.04 * expected.losses[step]) << step;
}

} // namespace
