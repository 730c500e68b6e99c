// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From three files to a checkpoint with the real tools: a plan for a GPU trains to the same bytes as a plan
// for the CPU. windlass-run loads the simulated driver in place of NVIDIA's.
#include "runtime/base/Hash.h"
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

/// examples/gpt2-bytes with two layers, small enough for an interpreted device.
json gpt2() {
  json config = readJson("gpt2-bytes/config.json");
  config.update({{"n_layer", 2}, {"n_embd", 48}, {"n_head", 2}, {"n_positions", 12}});
  return config;
}

/// examples/mlp with the same width.
json mlp() {
  json model = readJson("mlp/model.json");
  model["dims"].update({{"H", 64}, {"L", 2}});
  return model;
}

/// The decisions of a plan and the executor of its run. None of them may change a bit.
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

class CudaEndToEnd : public testing::Test {
protected:
  CudaEndToEnd() {
    folder.write("config.json", gpt2().dump());
    folder.write("mlp.json", mlp().dump());
  }

  static json trainingOf(const std::string &precision) {
    return {{"format", "windlass.training/1"},
            {"micro_batch", 2},
            {"micro_batches", 2},
            {"parallel", {{"data", 2}}},
            {"sequence", 12},
            {"steps", kSteps},
            {"precision", {{"compute", precision}}},
            {"matmul", "reference"},
            {"optimizer", {{"learning_rate", 1e-2}, {"weight_decay", 0.1}}},
            {"clip", 1.0}};
  }

  /// Compiles a model, given by its file, into a plan of this name.
  void compile(const std::string &plan, const std::string &model, const json &training,
               const std::string &backend) {
    const json &parallel = training["parallel"];
    json machine = readJson("hardware/workstation-24gb.json");
    machine["ranks"] =
        parallel["data"].get<int>() * parallel.value("tensor", 1) * parallel.value("pipeline", 1);
    machine["links"]["gg"] = {{"bandwidth", "20GB/s"}};
    machine.erase("sources");
    folder.write("machine.json", machine.dump());
    folder.write("training.json", training.dump());
    const std::string target = testTarget();
    const ToolRun run =
        runTool(folder.path, WINDLASS_COMPILE " " + model +
                                 ".json -q --training training.json --hardware machine.json --backend " +
                                 backend + (target.empty() ? "" : " --target-cpu " + target) + " -o " + plan);
    ASSERT_EQ(run.code, 0) << plan << ": " << run.error;
  }

  /// Trains to a step, on simulated devices if there is a policy. A broken rule fails the test.
  void train(const std::string &plan, const std::string &out, int steps, int policy = -1,
             const std::string &executor = "concurrent", int devices = 1) {
    const std::string onDevice = "LD_LIBRARY_PATH=" WINDLASS_SIM_FOLDER " WINDLASS_SIM_REPORT=report "
                                 "WINDLASS_SIM_SEED=7 WINDLASS_SIM_POLICY=" +
                                 std::to_string(policy) + " WINDLASS_SIM_DEVICES=" + std::to_string(devices) +
                                 " ";
    const ToolRun run =
        runTool(folder.path, (policy < 0 ? "" : onDevice) + WINDLASS_RUN " " + plan +
                                 " --data synthetic --quiet --executor " + executor + " --out " + out +
                                 " --checkpoint-every 1 --steps " + std::to_string(steps));
    ASSERT_EQ(run.code, 0) << plan << ": " << run.error;
    if (policy < 0)
      return;
    const std::string report = readText(folder / "report");
    EXPECT_NE(report.find(" launches\nleft behind: \n"), std::string::npos) << plan << ": " << report;
    if (executor == "concurrent") // the other executor launches on no stream, as the start does
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

/// A model, given by its file, a precision, and the variants to run.
struct Case {
  const char *model, *precision;
  std::vector<int> ways;
  friend void PrintTo(const Case &each, std::ostream *out) { *out << each.model << " " << each.precision; }
};

/// Each variant runs with both models and all precisions. The larger model runs each variant once.
const Case kCases[] = {{"config", "fp32", {2, 3}}, {"config", "bf16", {0}},    {"config", "fp16", {1}},
                       {"mlp", "fp32", {0, 1}},    {"mlp", "bf16", {1, 2, 3}}, {"mlp", "fp16", {0, 2, 3}}};

class CudaTraining : public CudaEndToEnd, public testing::WithParamInterface<Case> {};

TEST_P(CudaTraining, hasTheBytesOfTheCpu) {
  const auto [model, precision, ways] = GetParam();
  const json training = trainingOf(precision);
  compile("cpu", model, training, "cpu");
  train("cpu", "on_cpu", kSteps);
  for (int way : ways) {
    SCOPED_TRACE(variant(way).name);
    json decided = training;
    decided.merge_patch(variant(way).decisions);
    const std::string plan = "cuda" + std::to_string(way);
    compile(plan, model, decided, "cuda");
    train(plan, "on_" + plan, kSteps, way, variant(way).executor);
    expectSameCheckpoints("on_cpu", "on_" + plan);
  }
  // A run continues on the other backend, and then on the first again.
  const std::string cuda = "cuda" + std::to_string(ways.front());
  train("cpu", "mixed", 1);
  train(cuda, "mixed", 2, 0);
  train("cpu", "mixed", kSteps);
  expectSameCheckpoints("on_cpu", "mixed");
}

INSTANTIATE_TEST_SUITE_P(All, CudaTraining, testing::ValuesIn(kCases), [](const auto &each) {
  return std::string(each.param.model) + "_" + each.param.precision;
});

/// Two stages of a pipeline are two ranks on one GPU, which send each other values: with both kinds of
/// products, and for every order in which the device does work that no rule orders.
class CudaStages : public CudaEndToEnd, public testing::WithParamInterface<const char *> {};

TEST_P(CudaStages, haveTheBytesOfOneOnTheCpu) {
  const bool byLibrary = std::string(GetParam()) == "library";
  const std::string model = byLibrary ? "config" : "mlp"; // products by reference take long
  json training = trainingOf("bf16");
  training.merge_patch({{"matmul", GetParam()}, {"parallel", {{"data", 1}}}});
  compile("cpu", model, training, "cpu");
  train("cpu", "on_cpu", kSteps);
  training["parallel"]["pipeline"] = 2;
  compile("stages", model, training, "cuda");
  for (int policy = 0; policy < 4; ++policy) {
    const std::string out = "in_stages" + std::to_string(policy);
    train("stages", out, kSteps, policy);
    expectSameCheckpoints("on_cpu", out);
  }
}

/// The norm slot of a matrix of 520 by 520 takes more than one block of threads. The bytes between its two
/// launches are no result, and are not compared with those of the host.
TEST_F(CudaEndToEnd, sumsInTwoPhasesHaveTheBytesOfTheCpu) {
  json wide = mlp();
  wide["dims"].update({{"H", 520}, {"L", 1}});
  folder.write("wide.json", wide.dump());
  json training = trainingOf("fp32");
  training["parallel"]["data"] = 1;
  compile("cpu", "wide", training, "cpu");
  train("cpu", "on_cpu", kSteps);
  compile("cuda", "wide", training, "cuda");
  const std::string kernels = runTool(folder.path, WINDLASS_DUMP " cuda --kernels").out;
  EXPECT_NE(kernels.find("  phase 0: 5 blocks of 64 threads, registers unknown\n"
                         "  phase 1: 1 block of 64 threads, registers unknown\n  workspace: 536 B\n"),
            std::string::npos)
      << kernels;
  train("cuda", "on_cuda", kSteps, /*policy=*/1);
  expectSameCheckpoints("on_cpu", "on_cuda");
  const ToolRun checked =
      runTool(folder.path, "LD_LIBRARY_PATH=" WINDLASS_SIM_FOLDER " " WINDLASS_RUN
                           " cuda --check-kernels --data synthetic --quiet --steps 1 --out checked");
  EXPECT_EQ(checked.code, 0) << checked.error;
}

/// Logits of 521 words in bf16 have rows of 1,042 bytes. They lie apart on the device, and back to back on
/// the CPU.
TEST_F(CudaEndToEnd, rowsThatLieApartHaveTheBytesOfTheCpu) {
  json model = gpt2(), training = trainingOf("bf16");
  model.update({{"vocab_size", 521}});
  folder.write("config.json", model.dump());
  training.merge_patch({{"matmul", "library"}, {"micro_batch", 1}, {"parallel", {{"data", 1}}}});
  compile("cpu", "config", training, "cpu");
  train("cpu", "on_cpu", kSteps);
  compile("apart", "config", training, "cuda");
  const std::string kernels = runTool(folder.path, WINDLASS_DUMP " apart --kernels").out;
  EXPECT_NE(kernels.find(" into bf16, rows 576 apart\n"), std::string::npos) << kernels;
  EXPECT_NE(kernels.find("12x521 bf16, rows 576 apart, by "), std::string::npos) << kernels;
  EXPECT_NE(kernels.find("bf16, stored transposed, rows 576 apart, by "), std::string::npos) << kernels;
  train("apart", "on_device", kSteps, 3);
  expectSameCheckpoints("on_cpu", "on_device");
  const ToolRun checked =
      runTool(folder.path, "LD_LIBRARY_PATH=" WINDLASS_SIM_FOLDER " " WINDLASS_RUN
                           " apart --check-kernels --data synthetic --quiet --steps 1 --out checked");
  EXPECT_EQ(checked.code, 0) << checked.error;
}

/// Two tensor ranks in each of two stages. Exchanges of rows, sums and messages run in one order, on one GPU,
/// and between GPUs over NCCL. Neither the tensor ranks nor the stages divide the number of words.
TEST_F(CudaEndToEnd, aMeshOfRanksHasTheBytesOfTheCpu) {
  json model = gpt2(), training = trainingOf("bf16");
  model.update({{"vocab_size", 61}, {"n_embd", 16}, {"resid_pdrop", 0.1}, {"attn_pdrop", 0.1}});
  folder.write("config.json", model.dump());
  training.merge_patch(
      {{"matmul", "library"}, {"micro_batch", 1}, {"parallel", {{"data", 1}, {"tensor", 2}}}});
  compile("cpu", "config", training, "cpu");
  train("cpu", "on_cpu", kSteps);
  training["parallel"]["pipeline"] = 2;
  compile("mesh", "config", training, "cuda");
  for (int devices : {1, 4}) {
    const std::string out = "on_" + std::to_string(devices);
    train("mesh", out, kSteps, 3, "concurrent", devices);
    expectSameCheckpoints("on_cpu", out);
  }
}

/// Each launch also runs on the host, with both kinds of products. An addition that is changed into a
/// subtraction is reported with the name of its kernel.
TEST_F(CudaEndToEnd, aKernelWithOtherBitsThanTheHostsIsNamed) {
  const std::string check = "LD_LIBRARY_PATH=" WINDLASS_SIM_FOLDER " " WINDLASS_RUN
                            " --check-kernels --data synthetic --quiet --steps 1 --out checked ";
  json training = trainingOf("bf16");
  for (const char *product : {"library", "reference"}) {
    training["matmul"] = product;
    compile(product, "mlp", training, "cuda");
    const ToolRun run = runTool(folder.path, check + product);
    EXPECT_EQ(run.code, 0) << run.error;
    std::filesystem::remove_all(folder / "checked");
  }
  std::string text = readText(folder / "reference/kernels.ptx");
  const size_t entry = text.find(".entry map_"), addition = text.find("add.rn.f32", entry);
  ASSERT_NE(addition, std::string::npos);
  text.replace(addition, 3, "sub");
  const size_t name = text.rfind(".entry ", addition) + std::string_view(".entry ").size();
  const std::string kernel = text.substr(name, text.find('(', name) - name);
  const std::string before = hashOfFile(folder / "reference/kernels.ptx").take();
  folder.write("reference/kernels.ptx", text);
  std::string plan = readText(folder / "reference/plan.json");
  plan.replace(plan.find(before), before.size(), hashOfFile(folder / "reference/kernels.ptx").take());
  folder.write("reference/plan.json", plan);
  ASSERT_EQ(runTool(folder.path, WINDLASS_DUMP " reference --rehash").code, 0);
  const ToolRun run = runTool(folder.path, check + "reference");
  EXPECT_EQ(run.code, static_cast<int>(ExitCode::RunFailed)) << run.error;
  EXPECT_NE(run.error.find("kernel '" + kernel + "'"), std::string::npos) << run.error;
  EXPECT_NE(run.error.find("on the device"), std::string::npos) << run.error;
}

INSTANTIATE_TEST_SUITE_P(All, CudaStages, testing::Values("library", "reference"),
                         [](const auto &each) { return std::string(each.param); });

} // namespace
} // namespace windlass::test
