// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Trained weights go back to their origin: through ONNX into the module, and from a sharded checkpoint into
// torch.distributed.checkpoint. The tests run if the Python of WINDLASS_PYTHON (default: python3) has the
// packages.
#include "runtime/training/checkpoint/Checkpoint.h"
#include "runtime/training/states/StartingWeights.h"
#include "test/compiler/driver/pytorch/RoundTrip.h"
#include "test/support/Folders.h"
#include <gtest/gtest.h>

using namespace windlass;
using namespace windlass::test;

namespace {

/// Weights that came through ONNX and were trained go back into the module.
TEST(TransformersTest, aModuleTakesTheExportOfItsOnnxFile) {
  Job job = tinyGpt2(2, 1, 2);
  job.modelFile = WINDLASS_SOURCE_DIR "/examples/onnx/decoder.onnx";
  std::unique_ptr<Compiled> compiled = compileJob(job.with({{"sequence", 64}}));
  ASSERT_TRUE(compiled);
  Result<StartingWeights> weights = StartingWeights::open(compiled->plan, "");
  ASSERT_TRUE(weights) << weights.status().message();
  std::unique_ptr<Executor> executor = openExecutor(*compiled, compiled->plan);
  ASSERT_TRUE(executor);
  RunSettings settings;
  settings.source = weights->values(1);
  ASSERT_EQ(trainOn(compiled->plan, *executor, settings).losses.size(), 3u);
  TemporaryFolder folder;
  const std::string file = folder / "trained.safetensors";
  StateStream states(compiled->plan, *executor);
  ASSERT_TRUE(exportWeights(file, compiled->plan, states));
  const std::string text = "The licenses for most software are designed to take away your";
  const std::vector<int32_t> tokens(text.begin(), text.end());
  const std::string logits =
      folder.write("logits.json", sampleLogits(compiled->plan, *executor, tokens).dump());
  const int code = runScript("compare_with_module.py", {file, logits});
  if (code == kSkipped)
    GTEST_SKIP() << "PyTorch is not installed for " << python();
  EXPECT_EQ(code, 0);
}

/// The ONNX file, its module (compare_losses_with_module.py), and the fixture of inputs.
struct Exported {
  const char *name, *file, *module, *fixture;
  int64_t examples;
};

void PrintTo(const Exported &exported, std::ostream *out) { *out << exported.name; }

class ModulesTest : public ::testing::TestWithParam<Exported> {};

/// The weights trained from an ONNX file, running statistics included, go back into the module, which then
/// computes the same losses.
TEST_P(ModulesTest, takeTheExportAndComputeTheSameLosses) {
  constexpr int64_t kRows = 2;
  Job job = tinyGpt2(2, 1, kRows);
  job.modelFile = Fixture::folder() + GetParam().file;
  std::unique_ptr<Compiled> compiled = compileJob(job);
  ASSERT_TRUE(compiled);
  const plan::Plan &plan = compiled->plan;
  Result<StartingWeights> weights = StartingWeights::open(plan, "");
  ASSERT_TRUE(weights) << weights.status().message();
  std::unique_ptr<Executor> executor = openExecutor(*compiled, plan);
  ASSERT_TRUE(executor);
  RunSettings settings;
  settings.source = weights->values(1);
  ASSERT_EQ(trainOn(plan, *executor, settings).losses.size(), 3u);
  TemporaryFolder folder;
  StateStream states(plan, *executor);
  ASSERT_TRUE(exportWeights(folder / "trained.safetensors", plan, states));

  const Fixture fixture(GetParam().fixture);
  const json losses = evaluateRows(plan, *executor, fixture, GetParam().examples / kRows);
  const json evaluated = {
      {"model", GetParam().module}, {"fixture", Fixture::folder() + GetParam().fixture}, {"losses", losses}};
  const int code = runScript("compare_losses_with_module.py",
                             {folder / "trained.safetensors", folder.write("losses.json", evaluated.dump())});
  if (code == kSkipped)
    GTEST_SKIP() << "PyTorch, or what makes its fixtures, is not installed for " << python();
  EXPECT_EQ(code, 0);
}

INSTANTIATE_TEST_SUITE_P(Exports, ModulesTest,
                         ::testing::Values(Exported{"resnet", "onnx/resnet.dynamo.20.raw.onnx", "resnet",
                                                    "onnx/resnet.f32.safetensors", 8},
                                           Exported{"resnet_script", "onnx/resnet.script.17.raw.onnx",
                                                    "resnet", "onnx/resnet.f32.safetensors", 8},
                                           Exported{"mlp", "onnx/mlp_cross_entropy.dynamo.18.onnx",
                                                    "mlp_cross_entropy",
                                                    "onnx/mlp_cross_entropy.f32.safetensors", 4}),
                         [](const auto &info) { return info.param.name; });

TEST(TransformersTest, torchReadsAShardedCheckpoint) {
  std::unique_ptr<Compiled> compiled = compileJob(tinyGpt2(4, 1));
  ASSERT_TRUE(compiled);
  std::unique_ptr<Executor> executor = openExecutor(*compiled, compiled->plan);
  ASSERT_TRUE(executor);
  ASSERT_EQ(trainOn(compiled->plan, *executor).losses.size(), 3u);
  TemporaryFolder folder;
  std::filesystem::create_directory(folder / "sharded");
  StateStream states(compiled->plan, *executor);
  ASSERT_TRUE(writeCheckpoint(folder / "sharded", compiled->plan, states, {}, CheckpointFormat::Sharded));
  ASSERT_TRUE(exportWeights(folder / "whole.safetensors", compiled->plan, states));
  const int code = runScript("read_shards_with_torch.py", {folder / "sharded", folder / "whole.safetensors"});
  if (code == kSkipped)
    GTEST_SKIP() << "PyTorch with HuggingFaceStorageReader is not installed for " << python();
  EXPECT_EQ(code, 0);
}

} // namespace
