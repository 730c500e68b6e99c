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

std::string refusalOf(const Job &job) {
  TemporaryFolder folder;
  const Result<plan::Plan> plan = tryCompile(job, folder);
  EXPECT_TRUE(plan || plan.status().code() == ExitCode::BadInput);
  return plan ? "" : plan.status().message();
}

/// Patterns may match statistics beside parameters, but they cannot mean statistics.
TEST(BatchNormStatistics, areNotFrozenByTheirNames) {
  for (const char *key : {"freeze", "trainable"}) {
    const std::string refusal = refusalOf(job("fp32").with({{key, {"mean|variance"}}}));
    EXPECT_TRUE(refusal.ends_with("training.json: " + std::string(key) +
                                  ": \"mean|variance\" matches running statistics alone (\"layer.0.mean\"), "
                                  "which batches change, whether their batch norm is frozen or not"))
        << refusal;
  }
  EXPECT_EQ(refusalOf(job("fp32").with({{"freeze", {"layer[.]0[.]"}}})), "");
}

/// The job with these ops before the op at a place.
Job withOps(Job job, const json::json_pointer &place, size_t at, const std::vector<json> &added) {
  auto &ops = job.model[place].get_ref<json::array_t &>();
  ops.insert(ops.begin() + static_cast<std::ptrdiff_t>(at), added.begin(), added.end());
  return job;
}

json detached(const char *value) {
  return json::parse(R"({"op": "detach", "in": [")" + std::string(value) + R"("], "out": "still"})");
}

const json::json_pointer kOps("/ops"), kLayerOps("/blocks/layer/ops");

/// Statistics that PyTorch would change and a step would not are refused: behind what is detached, outside of
/// layers, in one, and between calls of one function; and of batch norms that the loss does not depend on.
TEST(BatchNormStatistics, mustBeReachedByGradients) {
  Job behind = withOps(job("fp32"), kOps, 1, {detached("x")});
  behind.model["ops"][2]["in"] = {"still"};
  Job inside = withOps(job("fp32"), kLayerOps, 3, {detached("active")});
  inside.model["blocks"]["layer"]["ops"][4]["in"] = {"h", "still"};
  const json second =
      json::parse(R"({"repeat": 1, "block": "layer", "carry": ["still"], "name": "second.{i}"})");
  Job between = withOps(job("fp32"), kOps, 1, {detached("x"), second});
  between.model["ops"][0].update({{"repeat", 1}, {"name", "first.{i}"}});
  between.model["ops"][3]["in"] = {"still"};
  Job unread = job("fp32");
  unread.model["blocks"]["layer"]["ops"][3]["in"] = {"h", "moved"};
  for (const auto &[refused, name] : {std::pair(behind, "layer.0.mean"),
                                      {inside, "layer.0.mean"},
                                      {between, "first.0.mean"},
                                      {unread, "layer.0.mean"}}) {
    SCOPED_TRACE(refused.model["ops"].dump());
    const std::string refusal = refusalOf(refused);
    EXPECT_NE(
        refusal.find("running statistic \"" + std::string(name) +
                     "\": the loss must depend on its batch norm, and not through detached values alone"),
        std::string::npos)
        << refusal;
  }
}

/// A batch norm that the loss also depends on through detached values changes its statistics.
TEST(BatchNormStatistics, changeThoughTheirNormIsAlsoReadDetached) {
  const json more = json::parse(R"({"op": "add", "in": ["next", "still"], "out": "more"})");
  Job both = withOps(job("fp32"), kLayerOps, 4, {detached("active"), more});
  both.model["blocks"]["layer"]["out"] = {"more"};
  std::unique_ptr<Compiled> compiled = compileJob(both);
  ASSERT_TRUE(compiled);
  RunSettings none;
  none.steps = 0;
  const Outcome before = train(*compiled, none), after = train(*compiled);
  EXPECT_NE(before.states.at("parameter/layer.0.mean"), after.states.at("parameter/layer.0.mean"));
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
