// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A model saved by transformers trains from its weights: the first losses are those of PyTorch, on one rank
// and on four ranks with states on three tiers.
#include "runtime/plan/Enums.h"
#include "runtime/training/checkpoint/Checkpoint.h"
#include "runtime/training/states/StartingWeights.h"
#include "test/fixtures/Fixture.h"
#include "test/support/EndToEnd.h"
#include "test/support/TensorFile.h"

using namespace windlass;
using namespace windlass::test;

namespace {

const json kThreeTiers = {
    {"zero_stage", 3},
    {"recompute", "full"},
    {"placement", {{"param", "host"}, {"grad", "device"}, {"moments", "nvme"}, {"checkpoint", "host"}}}};

class WeightsTest : public testing::TestWithParam<int> {
protected:
  const Fixture fixture = Fixture("gpt2/f32.safetensors");
  const std::string saved = Fixture::folder() + "gpt2_saved/";

  /// The model and the training of the fixture, on `ranks` ranks.
  Job job(int64_t ranks) const {
    Job job = tinyGpt2(ranks, ranks == 1 ? 2 : 1, ranks == 1 ? 2 : 1);
    job.model = json::parse(readText(saved + "config.json"));
    job.training.merge_patch({{"optimizer",
                               {{"learning_rate", fixture.setting("learning_rate")},
                                {"betas", {fixture.setting("beta1"), fixture.setting("beta2")}},
                                {"epsilon", fixture.setting("epsilon")},
                                {"weight_decay", fixture.setting("weight_decay")}}},
                              {"schedule", {{"type", "constant"}, {"warmup", 0}}},
                              {"clip", fixture.setting("clip")}});
    return ranks == 1 ? job : job.with(kThreeTiers);
  }

  /// Compiles a job beside the weights that transformers saved. Returns null if the job does not compile.
  std::unique_ptr<Compiled> compileSaved(const Job &job) const {
    auto compiled = std::make_unique<Compiled>();
    std::filesystem::copy(saved + "model.safetensors", compiled->folder / "model.safetensors");
    Result<plan::Plan> plan = tryCompile(job, compiled->folder);
    EXPECT_TRUE(plan) << plan.status().message();
    if (!plan)
      return nullptr;
    compiled->plan = plan.take();
    return compiled;
  }

  /// The batch of the fixture as a data file.
  std::string batch(const TemporaryFolder &folder) const {
    std::map<std::string, TestTensor> tensors;
    for (const char *name : {"tokens", "labels"}) {
      const Fixture::Tensor &whole = fixture.at("input/" + std::string(name));
      tensors[name] =
          tensorOf("I32", whole.shape, std::vector<int32_t>(whole.data.begin(), whole.data.end()));
    }
    return writeTensors(folder / "batch.safetensors", tensors);
  }
};

TEST_P(WeightsTest, theFirstLossesArePyTorchs) {
  std::unique_ptr<Compiled> compiled = compileSaved(job(GetParam()));
  ASSERT_TRUE(compiled);
  ASSERT_EQ(compiled->plan.weights.size(), 1u);

  Result<StartingWeights> weights = StartingWeights::open(compiled->plan, "");
  ASSERT_TRUE(weights) << weights.status().message();
  RunSettings settings;
  settings.source = weights->values(1);
  settings.data = batch(compiled->folder);
  const Outcome outcome = train(*compiled, settings);
  ASSERT_EQ(outcome.losses.size(), 3u);
  const std::vector<double> &expected = fixture.at("training/losses").data;
  EXPECT_NEAR(outcome.losses[0] / expected[0], 1, 1e-5);
  EXPECT_NEAR(outcome.losses[1] / expected[1], 1, 1e-4);
  EXPECT_NEAR(outcome.losses[2] / expected[2], 1, 1e-4);
}

TEST_P(WeightsTest, everyParameterIsTheFilesBitForBit) {
  std::unique_ptr<Compiled> compiled = compileSaved(job(GetParam()).with({{"tile", {{"limit", 2048}}}}));
  ASSERT_TRUE(compiled);
  int slices = 0;
  for (const plan::State &state : compiled->plan.programs[0].states)
    slices += !state.slice.whole.empty();
  EXPECT_GT(slices, 0) << "no tensor is in tiles, which start from a part of it";
  std::unique_ptr<Executor> executor = openExecutor(*compiled, compiled->plan);
  ASSERT_TRUE(executor);
  Result<StartingWeights> weights = StartingWeights::open(compiled->plan, "");
  ASSERT_TRUE(weights) << weights.status().message();
  ASSERT_TRUE(StateStream(compiled->plan, *executor).writeAll(weights->values(1)));
  const auto states = readStates(compiled->plan, *executor);
  SafetensorsReader file = SafetensorsReader::open(saved + "model.safetensors").take();
  int compared = 0;
  for (const auto &[name, entry] : file.tensors()) {
    std::vector<std::byte> stored(static_cast<size_t>(entry.bytes));
    ASSERT_TRUE(file.read(entry, 0, stored));
    ASSERT_TRUE(states.contains("parameter/" + name)) << name;
    EXPECT_EQ(states.at("parameter/" + name), stored) << name;
    ++compared;
  }
  EXPECT_GT(compared, 20);
}

using TensorBytes = std::vector<std::byte>;
using Tensors = std::map<std::string, std::tuple<std::string, std::vector<int64_t>, TensorBytes>>;

/// The type, shape and bytes of every tensor of a file.
Tensors contentsOf(const SafetensorsReader &file) {
  Tensors all;
  for (const auto &[name, entry] : file.tensors()) {
    TensorBytes bytes(static_cast<size_t>(entry.bytes));
    EXPECT_TRUE(file.read(entry, 0, bytes));
    all[name] = {entry.type, entry.shape, bytes};
  }
  return all;
}

/// Without training, a checkpoint has exactly the tensors that transformers saved, so that transformers can
/// load it. This test needs no Python; TransformersTest uses it where it exists.
TEST_P(WeightsTest, anUntrainedCheckpointIsWhatTransformersSaved) {
  std::unique_ptr<Compiled> compiled = compileSaved(job(GetParam()));
  ASSERT_TRUE(compiled);
  std::unique_ptr<Executor> executor = openExecutor(*compiled, compiled->plan);
  ASSERT_TRUE(executor);
  Result<StartingWeights> weights = StartingWeights::open(compiled->plan, "");
  ASSERT_TRUE(weights) << weights.status().message();
  StateStream states(compiled->plan, *executor);
  ASSERT_TRUE(states.writeAll(weights->values(1)));
  const std::string checkpoint = compiled->folder / "checkpoint",
                    exported = compiled->folder / "w.safetensors";
  std::filesystem::create_directory(checkpoint);
  ASSERT_TRUE(writeCheckpoint(checkpoint, compiled->plan, states, {}));
  ASSERT_TRUE(exportWeights(exported, compiled->plan, states));

  const SafetensorsReader theirs = SafetensorsReader::open(saved + "model.safetensors").take();
  const Tensors expected = contentsOf(theirs);
  ASSERT_GT(expected.size(), 20u);
  ASSERT_EQ(theirs.metadata().at("format"), "pt");
  for (const std::string &path : {checkpoint + "/model.safetensors", exported}) {
    Result<SafetensorsReader> ours = SafetensorsReader::open(path);
    ASSERT_TRUE(ours) << ours.status().message();
    EXPECT_EQ(contentsOf(*ours), expected) << path;
    EXPECT_EQ(ours->metadata().at("format"), "pt") << path;
  }
  EXPECT_EQ(json::parse(readText(checkpoint + "/config.json")), json::parse(readText(saved + "config.json")));
}

INSTANTIATE_TEST_SUITE_P(Ranks, WeightsTest, testing::Values(1, 4));

} // namespace
