// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// fp16 trains as PyTorch does with half parameters, fp32 masters and torch.amp.GradScaler: the same steps
// overflow, the scale has the same values, and losses and norms agree as far as 11 bits of mantissa allow.
// PyTorch itself measures this distance: its f16 steps against the same steps in fp32. Windlass rounds in
// other places, so that both errors add. Each rank rounds its own gradients, so that the error of Windlass is
// larger by the square root of the number of ranks.
#include "runtime/plan/Enums.h"
#include "runtime/training/states/StoredValues.h"
#include "runtime/training/step/LossScaler.h"
#include "test/support/EndToEnd.h"
#include "test/support/FixtureHost.h"
#include <algorithm>

using namespace windlass;
using namespace windlass::test;

namespace {

class PyTorchLossScale : public ::testing::TestWithParam<int64_t> {
protected:
  Fixture fixture{"gpt2/loss_scale.safetensors"};
  const std::vector<double> &training(const std::string &name) { return fixture.at("training/" + name).data; }

  /// Relative tolerances. That of a step is the largest distance of all steps so far, and at least one unit
  /// in the last place of f16.
  std::vector<double> toleranceOf(const std::string &name, int64_t ranks) {
    double most = 0x1p-11;
    std::vector<double> tolerances;
    for (size_t step = 0; step < training(name).size(); ++step) {
      const double half = training(name)[step], whole = training("float_" + name).at(step);
      if (std::isfinite(half))
        most = std::max(most, (1 + std::sqrt(ranks)) * std::abs(whole / half - 1));
      tolerances.push_back(most);
    }
    return tolerances;
  }

  Job job(int64_t ranks) {
    Job job = tinyGpt2(ranks, 1, 4 / ranks);
    job.model = json::parse(readText(Fixture::folder() + "gpt2/config.json"));
    job.training["optimizer"] = {{"learning_rate", fixture.setting("learning_rate")},
                                 {"betas", {fixture.setting("beta1"), fixture.setting("beta2")}},
                                 {"epsilon", fixture.setting("epsilon")},
                                 {"weight_decay", fixture.setting("weight_decay")}};
    job.training["clip"] = fixture.setting("clip");
    return job.with({{"precision",
                      {{"compute", "fp16"},
                       {"initial_loss_scale", fixture.setting("initial")},
                       {"loss_scale_window", static_cast<int64_t>(fixture.setting("window"))}}}});
  }

  StateSource initialStates() {
    return [this](const plan::State &state, int64_t first, std::span<std::byte> out) {
      std::fill(out.begin(), out.end(), std::byte{0});
      if (state.cls != plan::StateClass::Parameter && state.cls != plan::StateClass::Master)
        return Status::ok();
      const std::vector<double> &values = fixture.at("initial/" + state.name).data;
      const int64_t bytes = plan::bytesOf(state.type);
      for (size_t i = 0; i * bytes < out.size(); ++i)
        storeElement(state.type, static_cast<float>(values.at(first + i)), out.data() + i * bytes);
      return Status::ok();
    };
  }
};

TEST_P(PyTorchLossScale, scaleSkippedStepsAndLossesAgree) {
  std::unique_ptr<Compiled> compiled = compileJob(job(GetParam()));
  ASSERT_TRUE(compiled);
  const plan::Plan &plan = compiled->plan;
  std::unique_ptr<Executor> executor = openExecutor(*compiled, plan);
  ASSERT_TRUE(executor);
  ASSERT_TRUE(StateStream(plan, *executor).writeAll(initialStates()));
  FixtureHost host(plan, fixture);
  LossScaler scaler(plan.training.lossScale, {});
  const std::vector<double> losses = toleranceOf("losses", GetParam()),
                            norms = toleranceOf("norms", GetParam());
  const size_t steps = training("scales").size();
  ASSERT_EQ(static_cast<double>(steps), fixture.setting("steps"));
  ASSERT_GT(std::ranges::count(training("skipped"), 1), 4);
  for (size_t step = 0; step < steps; ++step) {
    SCOPED_TRACE("step " + std::to_string(step + 1));
    ASSERT_EQ(scaler.scale(), training("scales")[step]);
    const int64_t number = static_cast<int64_t>(step) + 1;
    host.begin(number, number - scaler.state().skippedSteps, scaler.scale());
    Status status = executor->run(plan::Purpose::Train, host);
    ASSERT_TRUE(status) << status.message();
    const bool overflowed = !std::isfinite(host.norm());
    EXPECT_EQ(overflowed, training("skipped")[step] == 1);
    EXPECT_NEAR(host.loss() / fixture.setting("count") / training("losses")[step], 1, losses[step]);
    if (!overflowed) {
      EXPECT_NEAR(host.norm() / training("norms")[step], 1, norms[step]);
    }
    scaler.update(overflowed);
  }
}

INSTANTIATE_TEST_SUITE_P(Ranks, PyTorchLossScale, ::testing::Values(1, 4));

} // namespace
