// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// bf16 and fp16 compute on 16-bit parameters, sum gradients and keep states in f32, and learn as f32 does.
#include "runtime/plan/Layout.h"
#include "test/support/EndToEnd.h"
#include "test/support/Folders.h"
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

/// The bytes of the gradient accumulators on one rank.
int64_t gradientBytes(const plan::Plan &plan) {
  int64_t bytes = 0;
  for (const plan::Buffer &buffer : plan.programs[0].buffers)
    if (buffer.cls == plan::BufferClass::Gradient && buffer.persistent)
      bytes += buffer.bytes;
  return bytes;
}

double firstNorm(const Outcome &outcome) {
  return std::bit_cast<float>(outcome.reports.at("grad_norm").front());
}

class HalfPrecision : public testing::TestWithParam<std::string> {
protected:
  std::string half() const { return GetParam(); }
};

TEST_P(HalfPrecision, statesAreF32AndParametersTheirRounding) {
  std::unique_ptr<Compiled> compiled = compileJob(job(half(), 2));
  ASSERT_TRUE(compiled);
  const plan::ElementType narrow = half() == "bf16" ? plan::ElementType::BF16 : plan::ElementType::F16;
  std::map<StateClass, int64_t> tensors;
  for (const plan::State &state : compiled->plan.programs[0].states) {
    EXPECT_EQ(state.type, state.cls == StateClass::Parameter ? narrow : plan::ElementType::F32) << state.name;
    ++tensors[state.cls];
  }
  ASSERT_EQ(tensors.size(), 4u);
  for (const auto &[cls, count] : tensors)
    EXPECT_EQ(count, tensors[StateClass::Parameter]);
}

TEST_P(HalfPrecision, severalMicroBatchesAreSummedInF32) {
  const std::string one = half() + ", one micro-batch", two = half() + ", two", wide = "fp32, two";
  std::map<std::string, std::unique_ptr<Compiled>> plans;
  plans[one] = compileJob(job(half(), 1));
  plans[two] = compileJob(job(half(), 2));
  plans[wide] = compileJob(job("fp32", 2));
  ASSERT_TRUE(plans[one] && plans[two] && plans[wide]);
  for (const auto &[name, compiled] : plans) {
    const json record = json::parse(compiled->plan.numerics);
    EXPECT_EQ(record["gradient_type"], name == wide ? "fp32" : half());
    EXPECT_EQ(record["accumulation_type"], "fp32");
  }
  EXPECT_EQ(gradientBytes(plans[two]->plan), gradientBytes(plans[wide]->plan));
  EXPECT_LT(gradientBytes(plans[one]->plan), gradientBytes(plans[two]->plan));
}

TEST_P(HalfPrecision, learnsAsF32Does) {
  TemporaryFolder folder;
  std::string text;
  for (int line = 0; line < 400; ++line)
    text += "the windlass hauls weight " + std::to_string(line % 7) + " up from the deep\n";
  RunSettings settings;
  settings.steps = 60;
  settings.data = folder.write("corpus.txt", text);
  std::unique_ptr<Compiled> wide = compileJob(job("fp32", 2)), narrow = compileJob(job(half(), 2));
  ASSERT_TRUE(wide && narrow);
  const Outcome expected = train(*wide, settings), found = train(*narrow, settings);
  ASSERT_EQ(expected.losses.size(), 60u);
  ASSERT_EQ(found.losses.size(), 60u);
  EXPECT_LT(expected.losses.back(), 0.6 * expected.losses.front());
  EXPECT_NE(expected.losses, found.losses);
  // A bf16 has 8 bits of mantissa: the first gradient differs by some thousandths, and the losses of two runs
  // of this length by a few percent. An f16 has 11 bits.
  const double share = half() == "bf16" ? 1 : 0.125;
  EXPECT_NEAR(firstNorm(found), firstNorm(expected), share * 0.01 * firstNorm(expected));
  for (size_t step = 0; step < 60; ++step)
    EXPECT_NEAR(found.losses[step], expected.losses[step], share * 0.04 * expected.losses[step]) << step;
}

/// Convolutions of every kind, pooling, and operations that move elements, in one model.
const char *const kImages = R"({
  "format": "windlass.model/1",
  "dims": {"B": "batch"},
  "inputs": {"x": {"role": "features", "shape": ["B", 2, 8, 8]},
             "y": {"role": "classes", "shape": ["B"], "bound": 4}},
  "params": {
    "conv.weight": {"shape": [8, 2, 3, 3], "init": {"normal": 0.3}},
    "conv.bias": {"shape": [8], "init": 0},
    "grouped.weight": {"shape": [8, 4, 3, 3], "init": {"normal": 0.2}},
    "up.weight": {"shape": [8, 4, 2, 2], "init": {"normal": 0.2}},
    "slope": {"shape": [4, 1, 1], "init": 0.25},
    "head.weight": {"shape": [72, 4], "init": {"normal": 0.1}},
    "head.bias": {"shape": [4], "init": 0}
  },
  "ops": [
    {"op": "conv", "in": ["x", "conv.weight", "conv.bias"], "pads": [1, 1, 1, 1], "out": "c"},
    {"op": "silu", "in": ["c"], "out": "a"},
    {"op": "max_pool", "in": ["a"], "kernel": [2, 2], "strides": [2, 2], "out": "m"},
    {"op": "conv", "in": ["m", "grouped.weight"], "pads": [1, 1, 1, 1], "groups": 2, "out": "g"},
    {"op": "gelu", "in": ["g"], "form": "erf", "out": "ga"},
    {"op": "conv_transpose", "in": ["ga", "up.weight"], "strides": [2, 2], "out": "u"},
    {"op": "constant", "value": 0, "out": "zero"},
    {"op": "greater", "in": ["u", "zero"], "out": "positive"},
    {"op": "mul", "in": ["u", "slope"], "out": "sloped"},
    {"op": "where", "in": ["positive", "u", "sloped"], "out": "l"},
    {"op": "pad", "in": ["l"], "before": [0, 0, 1, 1], "after": [0, 0, 1, 1], "out": "p"},
    {"op": "slice", "in": ["p"], "dims": [2, 3], "starts": [1, 1], "ends": [9, 9], "out": "s"},
    {"op": "average_pool", "in": ["s"], "kernel": [2, 2], "strides": [2, 2], "out": "v"},
    {"op": "global_average_pool", "in": ["ga"], "out": "w"},
    {"op": "reshape", "in": ["v"], "shape": ["B", 64], "out": "v.row"},
    {"op": "reshape", "in": ["w"], "shape": ["B", 8], "out": "w.row"},
    {"op": "concat", "in": ["v.row", "w.row"], "dim": 1, "out": "rows"},
    {"op": "clip", "in": ["rows"], "low": -4, "high": 4, "out": "clipped"},
    {"op": "matmul", "in": ["clipped", "head.weight"], "out": "product"},
    {"op": "add", "in": ["product", "head.bias"], "out": "logits"},
    {"op": "log_softmax", "in": ["logits"], "out": "logs"},
    {"op": "reshape", "in": ["y"], "shape": ["B", 1], "out": "column"},
    {"op": "gather_elements", "in": ["logs", "column"], "dim": 1, "out": "picked"},
    {"op": "neg", "in": ["picked"], "out": "minus"},
    {"op": "reduce", "in": ["minus"], "kind": "sum", "dims": [1], "out": "losses"}
  ],
  "loss": "losses"
})";

TEST_P(HalfPrecision, convolutionsLearnAsInF32) {
  Job images = job("fp32", 2);
  images.model = json::parse(kImages);
  images = images.with({{"micro_batch", 8}, {"optimizer", {{"learning_rate", 1e-2}}}});
  RunSettings settings;
  settings.steps = 40;
  std::unique_ptr<Compiled> wide = compileJob(images);
  std::unique_ptr<Compiled> narrow = compileJob(images.with({{"precision", {{"compute", half()}}}}));
  ASSERT_TRUE(wide && narrow);
  const Outcome expected = train(*wide, settings), found = train(*narrow, settings);
  ASSERT_EQ(found.losses.size(), 40u);
  EXPECT_NE(expected.losses, found.losses);
  EXPECT_LT(expected.losses.back(), 0.7 * expected.losses.front());
  EXPECT_NEAR(firstNorm(found), firstNorm(expected), 0.02 * firstNorm(expected));
  for (size_t step = 0; step < 40; ++step)
    EXPECT_NEAR(found.losses[step], expected.losses[step], 0.04 * expected.losses.front()) << step;
}

/// The products of tinyGpt2 have sizes of 32 and more, all of them multiples of 32.
TEST_P(HalfPrecision, productsOfSizesThatTheDeviceHasNoUnitsForGoAtTheRateOfF32) {
  const std::string flops = half() == "bf16" ? "bf16" : "f16";
  auto stepSeconds = [&](const char *rate, int64_t multiple) {
    Job job = tinyGpt2(1, 1).with({{"precision", {{"compute", half()}}}});
    job.hardware["device"]["flops"] = {{"f32", "1GFLOP/s"}, {flops, rate}, {"vector", "100GFLOP/s"}};
    job.hardware["device"]["matmul_multiple"] = multiple;
    std::unique_ptr<Compiled> compiled = compileJob(job);
    return compiled ? compiled->plan.prediction.stepSeconds : 0;
  };
  const double fast = stepSeconds("10GFLOP/s", 1), slow = stepSeconds("1GFLOP/s", 1);
  EXPECT_GT(slow, 2 * fast);
  EXPECT_EQ(stepSeconds("10GFLOP/s", 32), fast);
  EXPECT_EQ(stepSeconds("10GFLOP/s", 48), slow);
}

/// An export of PyTorch with batch norms and a stride.
TEST_P(HalfPrecision, anOnnxFileComputesAsInF32) {
  Job job = tinyGpt2(2, 1, 4).with({{"optimizer", {{"learning_rate", 1e-3}}}});
  job.modelFile = std::string(WINDLASS_SOURCE_DIR) + "/test/fixtures/onnx/resnet_frozen.script.13.raw.onnx";
  std::unique_ptr<Compiled> wide = compileJob(job);
  std::unique_ptr<Compiled> narrow = compileJob(job.with({{"precision", {{"compute", half()}}}}));
  ASSERT_TRUE(wide && narrow);
  const Outcome expected = train(*wide), found = train(*narrow);
  EXPECT_NE(expected.losses, found.losses);
  EXPECT_NEAR(firstNorm(found), firstNorm(expected), 0.02 * firstNorm(expected));
  for (size_t step = 0; step < expected.losses.size(); ++step)
    EXPECT_NEAR(found.losses[step], expected.losses[step], 0.02 * expected.losses[step]) << step;
}

INSTANTIATE_TEST_SUITE_P(PrecisionTest, HalfPrecision, testing::Values("bf16", "fp16"),
                         [](const auto &info) { return info.param; });

} // namespace
