// A checkpoint is a Hugging Face folder: transformers loads it and computes the same logits; a sharded one is
// read by torch.distributed.checkpoint; and what was trained through ONNX by the module it came from. Runs
// where the Python of WINDLASS_PYTHON (default: python3) has what it takes.
#include "runtime/training/Checkpoint.h"
#include "runtime/training/StartingWeights.h"
#include "runtime/training/StepHosts.h"
#include "test/fixtures/Fixture.h"
#include "test/support/EndToEnd.h"
#include <cstdlib>
#include <cstring>
#include <gtest/gtest.h>
#include <sys/wait.h>

using namespace windlass;
using namespace windlass::test;

namespace {

constexpr int kSkipped = 77;

/// Logits after prefixes of a text, as the plan's sample section computes them.
json sampleLogits(const plan::Plan &plan, Executor &executor) {
  const std::string text = "The licenses for most software are designed to take away your";
  json cases = json::array();
  SamplingHost host(plan);
  for (size_t length : {size_t{1}, size_t{17}, text.size()}) {
    std::vector<int32_t> tokens(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(length));
    host.begin(tokens);
    Status status = executor.runForward(plan::SectionKind::Sample, host);
    EXPECT_TRUE(status) << status.message();
    cases.push_back(
        {{"tokens", tokens}, {"logits", std::vector<float>(host.logits().begin(), host.logits().end())}});
  }
  return cases;
}

std::string python() {
  const char *given = std::getenv("WINDLASS_PYTHON");
  return given ? given : "python3";
}

/// The exit code of a script of test/fixtures.
int runScript(const std::string &script, const std::string &first, const std::string &second) {
  const std::string command =
      python() + " " WINDLASS_SOURCE_DIR "/test/fixtures/" + script + " '" + first + "' '" + second + "'";
  return WEXITSTATUS(std::system(command.c_str()));
}

TEST(TransformersTest, loadsACheckpointAndComputesTheSameLogits) {
  const std::string example = WINDLASS_SOURCE_DIR "/examples/gpt2-bytes/config.json";
  Job job = tinyGpt2(2, 1, 2).with({{"sequence", 128}});
  job.model = json::parse(readText(example));
  std::unique_ptr<Compiled> compiled = compileJob(job);
  ASSERT_TRUE(compiled);
  std::unique_ptr<Executor> executor = openExecutor(*compiled, compiled->plan);
  ASSERT_TRUE(executor);
  ASSERT_EQ(trainOn(compiled->plan, *executor).losses.size(), 3u);
  TemporaryFolder folder;
  StateStream states(compiled->plan, *executor);
  ASSERT_TRUE(writeCheckpoint(folder.path, compiled->plan, states, {}));
  const std::string logits = folder.write("logits.json", sampleLogits(compiled->plan, *executor).dump());

  const int code = runScript("compare_with_transformers.py", folder.path, logits);
  if (code == kSkipped)
    GTEST_SKIP() << "transformers is not installed for " << python();
  EXPECT_EQ(code, 0);
}

/// Weights that came in through ONNX, and were trained, are the module's again.
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
  const std::string logits = folder.write("logits.json", sampleLogits(compiled->plan, *executor).dump());
  const int code = runScript("compare_with_module.py", file, logits);
  if (code == kSkipped)
    GTEST_SKIP() << "PyTorch is not installed for " << python();
  EXPECT_EQ(code, 0);
}

/// Feeds blocks of rows of a fixture's inputs, and keeps the loss.
class RowsHost final : public StepHost {
public:
  RowsHost(const plan::Plan &plan, const Fixture &fixture) : plan(plan), fixture(fixture) {}

  Status feed(const ItemRequest &request, std::span<std::byte> bytes) override {
    const plan::Input *input = findInput(plan, request.item);
    if (!input)
      return Status::internal("an item that evaluation needs not: " + std::string(request.item));
    const double *value = fixture.at("input/" + input->name).data.data() + block * bytes.size() / 4;
    for (; !bytes.empty(); bytes = bytes.subspan(4)) {
      const float real = static_cast<float>(*value);
      const int32_t whole = static_cast<int32_t>(*value++);
      std::memcpy(bytes.data(),
                  input->type == plan::ElementType::I32 ? static_cast<const void *>(&whole) : &real, 4);
    }
    return Status::ok();
  }
  Status report(const ItemRequest &, std::span<const std::byte> bytes) override {
    std::memcpy(&loss, bytes.data(), sizeof loss);
    return Status::ok();
  }

  size_t block = 0;
  float loss = 0;

private:
  const plan::Plan &plan;
  const Fixture &fixture;
};

/// From which file, of which module (compare_losses_with_module.py), with which inputs.
struct Exported {
  const char *name, *file, *module, *fixture;
  int64_t examples;
};

void PrintTo(const Exported &exported, std::ostream *out) { *out << exported.name; }

class ModulesTest : public ::testing::TestWithParam<Exported> {};

/// What was trained from an ONNX file is the module's again, running statistics included: it computes the
/// same.
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
  RowsHost host(plan, fixture);
  json losses = json::array();
  for (; host.block < static_cast<size_t>(GetParam().examples / kRows); ++host.block) {
    Status status = executor->runForward(plan::SectionKind::Evaluate, host);
    ASSERT_TRUE(status) << status.message();
    losses.push_back(host.loss);
  }
  const json evaluated = {
      {"model", GetParam().module}, {"fixture", Fixture::folder() + GetParam().fixture}, {"losses", losses}};
  const int code = runScript("compare_losses_with_module.py", folder / "trained.safetensors",
                             folder.write("losses.json", evaluated.dump()));
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
  const int code = runScript("read_shards_with_torch.py", folder / "sharded", folder / "whole.safetensors");
  if (code == kSkipped)
    GTEST_SKIP() << "PyTorch with HuggingFaceStorageReader is not installed for " << python();
  EXPECT_EQ(code, 0);
}

} // namespace
