// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Batch norms that train: batches change their running statistics, and the optimizer does not. The statistics
// are states in f32 in every precision. No strategy changes a bit of them, and evaluation normalises with
// them.
#include "runtime/plan/Enums.h"
#include "test/support/EndToEnd.h"
#include <algorithm>
#include <cstring>
#include <gtest/gtest.h>

using namespace windlass;
using namespace windlass::test;
using plan::StateClass;

namespace {

/// Three residual layers of convolution, batch norm and relu on images of 4 channels. The prediction is the
/// mean over pixels.
const char *const kModel = R"({
  "format": "windlass.model/1",
  "dims": {"B": "batch", "C": 4},
  "inputs": {"x": {"role": "features", "shape": ["B", "C", 6, 6]}, "y": {"role": "targets", "shape": ["B", "C"]}},
  "params": {"scale": {"shape": ["C"], "init": 1}},
  "blocks": {
    "layer": {
      "in": ["h"],
      "params": {
        "conv": {"shape": ["C", "C", 3, 3], "init": {"normal": 0.2}},
        "weight": {"shape": ["C"], "init": 1},
        "bias": {"shape": ["C"], "init": 0},
        "mean": {"shape": ["C"], "init": 0, "group": "statistics"},
        "variance": {"shape": ["C"], "init": 1, "group": "statistics"}
      },
      "ops": [
        {"op": "conv", "in": ["h", "conv"], "pads": [1, 1, 1, 1], "out": "moved"},
        {"op": "batch_norm", "in": ["moved", "weight", "bias", "mean", "variance"], "eps": 1e-5, "out": "normal"},
        {"op": "relu", "in": ["normal"], "out": "active"},
        {"op": "add", "in": ["h", "active"], "out": "next"}
      ],
      "out": ["next"]
    }
  },
  "ops": [
    {"repeat": 3, "block": "layer", "carry": ["x"], "name": "layer.{i}"},
    {"op": "reduce", "kind": "mean", "in": ["x"], "dims": [2, 3], "out": "pooled"},
    {"op": "mul", "in": ["pooled", "scale"], "out": "prediction"},
    {"op": "mse", "in": ["prediction", "y"], "out": "losses"}
  ],
  "loss": "losses"
})";

Job job(const std::string &compute, const std::string &strategy = "") {
  Job job = tinyGpt2(2, 2, 3).with({{"precision", {{"compute", compute}}}});
  job.model = json::parse(kModel);
  job.strategy = strategy;
  return job;
}

bool isStatistic(const plan::State &state) { return state.group == "statistics"; }

std::string keyOf(const plan::State &state) {
  return std::string(plan::textOf(state.cls)) + "/" + state.name;
}

class BatchNorm : public ::testing::TestWithParam<std::string> {};

TEST_P(BatchNorm, keepsStatisticsAsWideParametersThatHaveNoGradient) {
  std::unique_ptr<Compiled> compiled = compileJob(job(GetParam(), "zero-3"));
  ASSERT_TRUE(compiled);
  const plan::Plan &plan = compiled->plan;
  EXPECT_EQ(std::ranges::count_if(plan.programs[0].states, isStatistic), 3 * 2);
  for (const plan::State &state : plan.programs[0].states)
    if (isStatistic(state)) {
      EXPECT_EQ(state.cls, StateClass::Parameter) << state.name;
      EXPECT_EQ(state.type, plan::ElementType::F32) << state.name;
    }
  EXPECT_EQ(std::ranges::count_if(plan.programs[0].gradients, isStatistic), 0);
  EXPECT_EQ(plan.parameters, 3 * (4 * 4 * 9 + 4 + 4) + 4);
}

TEST_P(BatchNorm, changesAsTheBatchesSayUnderEveryStrategy) {
  std::unique_ptr<Compiled> base = compileJob(job(GetParam(), "data-parallel"));
  ASSERT_TRUE(base);
  const Outcome expected = train(*base);
  RunSettings none;
  none.steps = 0;
  const Outcome before = train(*base, none);
  for (const plan::State &state : base->plan.programs[0].states)
    EXPECT_NE(expected.states.at(keyOf(state)), before.states.at(keyOf(state))) << keyOf(state);
  for (const char *strategy : {"zero-2", "zero-3", "zero-offload", "zero-3-offload", "zero-infinity-nvme"})
    for (const char *recompute : {"none", "full"}) {
      SCOPED_TRACE(std::string(strategy) + ", recompute " + recompute);
      std::unique_ptr<Compiled> decided =
          compileJob(job(GetParam(), strategy).with({{"recompute", recompute}}));
      ASSERT_TRUE(decided);
      ASSERT_EQ(decided->plan.numerics, base->plan.numerics);
      expectSameBits(expected, train(*decided));
    }
}

TEST_P(BatchNorm, isTheSameInTheReferenceExecutor) {
  std::unique_ptr<Compiled> compiled = compileJob(job(GetParam(), "zero-3-offload"));
  ASSERT_TRUE(compiled);
  RunSettings reference;
  reference.executor.reference = true;
  expectSameBits(train(*compiled, reference), train(*compiled));
}

INSTANTIATE_TEST_SUITE_P(Types, BatchNorm, ::testing::Values("fp32", "bf16", "fp16"),
                         [](const auto &info) { return info.param; });

/// Freezing keeps only parameters that gradients train, as in PyTorch.
TEST(BatchNormStatistics, changeThoughTheirLayerIsFrozen) {
  std::unique_ptr<Compiled> compiled = compileJob(job("fp32").with({{"freeze", {"layer[.]0[.]"}}}));
  ASSERT_TRUE(compiled);
  RunSettings none;
  none.steps = 0;
  const Outcome before = train(*compiled, none), after = train(*compiled);
  for (const char *name : {"conv", "weight", "bias", "mean", "variance"}) {
    const std::string key = std::string("parameter/layer.0.") + name;
    const bool changes = std::string(name) == "mean" || std::string(name) == "variance";
    EXPECT_EQ(before.states.at(key) != after.states.at(key), changes) << key;
  }
}

/// Feeds one number to every element, and keeps the loss.
class ConstantHost final : public StepHost {
public:
  Status feed(const ItemRequest &request, std::span<std::byte> bytes) override {
    const float value = request.item == "x" ? 5.0F : 0.0F;
    for (size_t at = 0; at + sizeof value <= bytes.size(); at += sizeof value)
      std::memcpy(bytes.data() + at, &value, sizeof value);
    return Status::ok();
  }
  Status report(const ItemRequest &, std::span<const std::byte> bytes) override {
    std::memcpy(&loss, bytes.data(), sizeof loss);
    return Status::ok();
  }

  float loss = 0;
};

/// Every normalised element is (5 - 3) / sqrt(3.998 + 0.002) = 1. With the mean of the batch it would be 0.
TEST(BatchNormStatistics, areWhatEvaluationNormalisesWith) {
  Job job = tinyGpt2(1, 1, 3);
  job.model = json::parse(R"({
    "format": "windlass.model/1",
    "dims": {"B": "batch"},
    "inputs": {"x": {"role": "features", "shape": ["B", 2]}, "y": {"role": "targets", "shape": ["B", 2]}},
    "params": {"weight": {"shape": [2], "init": 1}, "bias": {"shape": [2], "init": 0},
               "mean": {"shape": [2], "init": 3, "group": "statistics"},
               "variance": {"shape": [2], "init": 3.998, "group": "statistics"}},
    "ops": [{"op": "batch_norm", "in": ["x", "weight", "bias", "mean", "variance"], "eps": 0.002, "out": "z"},
            {"op": "mse", "in": ["z", "y"], "out": "losses"}],
    "loss": "losses"
  })");
  std::unique_ptr<Compiled> compiled = compileJob(job);
  ASSERT_TRUE(compiled);
  std::unique_ptr<Executor> executor = openExecutor(*compiled, compiled->plan);
  ASSERT_TRUE(executor);
  ASSERT_TRUE(StateStream(compiled->plan, *executor).writeAll(initialValues(1)));
  ConstantHost host;
  Status status = executor->run(plan::Purpose::Evaluate, host);
  ASSERT_TRUE(status) << status.message();
  EXPECT_NEAR(host.loss, 3, 1e-5); // the number of examples
}

} // namespace
