// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From three files to a checkpoint with the real tools: what a plan for a GPU trains to, on the simulated
// driver that windlass-run loads in the place of NVIDIA's, has the bytes of what a plan for the CPU trains
// to.
#include "runtime/training/checkpoint/CheckpointFolder.h"
#include "test/runtime/training/TemporaryFolder.h"
#include "test/support/Folders.h"
#include "test/support/TestTarget.h"
#include "test/support/ToolRun.h"
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace windlass::test {
namespace {

using nlohmann::json;

constexpr int kSteps = 3;

json readJson(const std::string &path) {
  return json::parse(readText(WINDLASS_SOURCE_DIR "/examples/" + path));
}

/// examples/gpt2-bytes with two layers, and small enough for a device that is interpreted.
json gpt2() {
  json config = readJson("gpt2-bytes/config.json");
  config.update({{"n_layer", 2}, {"n_embd", 64}, {"n_head", 2}, {"n_positions", 16}});
  return config;
}

/// examples/mlp, as narrow.
json mlp() {
  json model = readJson("mlp/model.json");
  model["dims"].update({{"H", 64}, {"L", 2}});
  return model;
}

/// How a plan is cut, placed, ordered and run; none of it may change a bit.
struct Variant {
  const char *name;
  json decisions;
  std::string executor;
};

const Variant &variant(int number) {
  static const Variant variants[] = {
      {"whole, all on the device", {{"zero_stage", 0}}, "concurrent"},
      {"shards of states on the host",
       {{"zero_stage", 3}, {"placement", {{"moments", "host"}}}},
       "concurrent"},
      {"shards of gradients, moments on the disk",
       {{"zero_stage", 2}, {"placement", {{"moments", "nvme"}}}, {"micro_batch_order", "vertical"}},
       "concurrent"},
      {"shards of moments, layers repeated", {{"zero_stage", 1}, {"recompute", "full"}}, "reference"}};
  return variants[number];
}

class CudaEndToEnd : public testing::TestWithParam<std::tuple<const char *, const char *>> {
protected:
  CudaEndToEnd() {
    folder.write("config.json", gpt2().dump());
    folder.write("mlp.json", mlp().dump());
    json machine = readJson("hardware/workstation-24gb.json");
    machine["ranks"] = 2;
    machine["links"]["gg"] = {{"bandwidth", "20GB/s"}};
    machine.erase("sources");
    folder.write("machine.json", machine.dump());
  }

  static json trainingOf(const std::string &precision) {
    return {{"format", "windlass.training/1"},
            {"micro_batch", 2},
            {"micro_batches", 2},
            {"parallel", {{"data", 2}}},
            {"sequence", 16},
            {"steps", kSteps},
            {"precision", {{"compute", precision}}},
            {"matmul", "reference"},
            {"optimizer", {{"learning_rate", 1e-2}, {"weight_decay", 0.1}}},
            {"clip", 1.0}};
  }

  /// Compiles `training` into a plan of that name.
  void compile(const std::string &plan, const json &training, const std::string &backend) {
    folder.write(plan + ".json", training.dump());
    const std::string target = testTarget();
    const ToolRun run =
        runTool(folder.path, WINDLASS_COMPILE " " + model() + " -q --training " + plan +
                                 ".json --hardware machine.json --backend " + backend +
                                 (target.empty() ? "" : " --target-cpu " + target) + " -o " + plan);
    ASSERT_EQ(run.code, 0) << plan << ": " << run.error;
  }
  std::string model() const {
    return std::string(std::get<0>(GetParam())) == "mlp" ? "mlp.json" : "config.json";
  }

  /// Trains to a step, on the simulated driver with a policy where one is said; what it broke fails the test.
  void train(const std::string &plan, const std::string &out, int steps, int policy = -1,
             const std::string &executor = "concurrent") {
    const std::string onDevice = "LD_LIBRARY_PATH=" WINDLASS_SIM_FOLDER " WINDLASS_SIM_REPORT=report "
                                 "WINDLASS_SIM_SEED=7 WINDLASS_SIM_POLICY=" +
                                 std::to_string(policy) + " ";
    const ToolRun run =
        runTool(folder.path, (policy < 0 ? "" : onDevice) + WINDLASS_RUN " " + plan +
                                 " --data synthetic --quiet --executor " + executor + " --out " + out +
                                 " --checkpoint-every 1 --steps " + std::to_string(steps));
    ASSERT_EQ(run.code, 0) << plan << ": " << run.error;
    if (policy < 0)
      return;
    const std::string report = readText(folder / "report");
    EXPECT_NE(report.find(" launches\nleft behind: \n"), std::string::npos) << plan << ": " << report;
    if (executor == "concurrent") // the other launches on no stream, as the start does
      EXPECT_NE(report.find("0 launches"), 0u) << plan;
  }

  void expectSameCheckpoints(const std::string &expected, const std::string &found) {
    for (const char *file : {"/model.safetensors", "/optimizer.safetensors"}) {
      const auto bytes = [&](const std::string &out) {
        return readText(CheckpointFolder(folder / (out + "/checkpoints")).pathOf(kSteps) + file);
      };
      EXPECT_FALSE(bytes(expected).empty());
      EXPECT_TRUE(bytes(expected) == bytes(found)) << found << " differs in " << file;
    }
  }

  TemporaryFolder folder;
};

/// Two ways to run each model in each precision, so that each way meets both models and all precisions.
TEST_P(CudaEndToEnd, trainsToTheBytesOfTheCpu) {
  const auto [name, precision] = GetParam();
  const json training = trainingOf(precision);
  compile("cpu", training, "cpu");
  train("cpu", "on_cpu", kSteps);
  const bool isMlp = std::string(name) == "mlp";
  const std::map<std::string, std::pair<int, int>> ways = {
      {"fp32", isMlp ? std::pair(0, 1) : std::pair(2, 3)},
      {"bf16", isMlp ? std::pair(2, 3) : std::pair(0, 1)},
      {"fp16", isMlp ? std::pair(0, 2) : std::pair(1, 3)}};
  const auto [first, second] = ways.at(precision);
  for (int way : {first, second}) {
    SCOPED_TRACE(variant(way).name);
    json decided = training;
    decided.merge_patch(variant(way).decisions);
    const std::string plan = "cuda" + std::to_string(way);
    compile(plan, decided, "cuda");
    train(plan, "on_" + plan, kSteps, way, variant(way).executor);
    expectSameCheckpoints("on_cpu", "on_" + plan);
  }
  // From one backend to the other, and back again.
  const std::string cuda = "cuda" + std::to_string(first);
  train("cpu", "mixed", 1);
  train(cuda, "mixed", 2, 0);
  train("cpu", "mixed", kSteps);
  expectSameCheckpoints("on_cpu", "mixed");
}

INSTANTIATE_TEST_SUITE_P(All, CudaEndToEnd,
                         testing::Combine(testing::Values("mlp", "gpt2"),
                                          testing::Values("fp32", "bf16", "fp16")),
                         [](const auto &each) {
                           return std::string(std::get<0>(each.param)) + "_" + std::get<1>(each.param);
                         });

} // namespace
} // namespace windlass::test
