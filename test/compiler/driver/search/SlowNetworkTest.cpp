// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A model of ten billion parameters on 64 GPUs whose nodes have a slow network. Whole parameters just fit
// beside the checkpoints of layers that are all repeated, and parameters that are partitioned go through the
// network more than once a step. The plan that is found is no slower than what a user would ask for by name.
#include "compiler/driver/Compile.h"
#include "test/support/EndToEnd.h"
#include "test/support/Folders.h"
#include "test/support/TestTarget.h"
#include <gtest/gtest.h>

using namespace windlass;
using namespace windlass::test;

namespace {

/// Seconds are known to one part in 200.
constexpr double kNearly = 0.005;

json tenBillion() {
  return {{"model_type", "gpt2"}, {"n_layer", 50},
          {"n_embd", 4096},       {"n_head", 32},
          {"n_positions", 1024},  {"vocab_size", 50257},
          {"embd_pdrop", 0.0},    {"attn_pdrop", 0.0},
          {"resid_pdrop", 0.0},   {"activation_function", "gelu_new"}};
}

/// The seconds of a step on 64 ranks with two sequences each. Returns nothing, and fails the test, if no plan
/// is found.
std::optional<double> stepSeconds(const std::string &strategy, const std::string &recompute) {
  const json training = {{"format", "windlass.training/1"},
                         {"micro_batch", 2},
                         {"parallel", {{"data", 64}}},
                         {"sequence", 1024},
                         {"precision", {{"compute", "fp16"}}}};
  const TemporaryFolder folder;
  CompileRequest request;
  request.model = folder.write("config.json", tenBillion().dump());
  request.training = folder.write("training.json", training.dump());
  request.hardware = WINDLASS_SOURCE_DIR "/test/compiler/driver/search/slow_network.json";
  request.strategy = strategy;
  request.recompute = recompute;
  request.targetCpu = testTarget();
  Result<plan::Plan> plan = compile(request);
  EXPECT_TRUE(plan) << strategy << ": " << plan.status().message();
  return plan ? std::optional(plan->prediction.stepSeconds) : std::nullopt;
}

TEST(SlowNetwork, hasNoNameThatIsFasterThanThePlan) {
  const std::optional<double> found = stepSeconds("auto", ""), whole = stepSeconds("zero-2", "full"),
                              partitioned = stepSeconds("zero-3", "full");
  ASSERT_TRUE(found && whole && partitioned);
  EXPECT_LT(*whole, *partitioned) << "the network is not slow";
  EXPECT_LE(*found, *whole * (1 + kNearly));
}

} // namespace
