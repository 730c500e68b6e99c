// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ranks that share out operations, in every stage of a pipeline: no number of stages, no schedule and no
// decision inside a stage changes a bit, checkpoints go between all meshes, and the checker finds a wrong
// group.
#include "runtime/plan/Groups.h"
#include "runtime/plan/InstructionTable.h"
#include "runtime/plan/check/Checker.h"
#include "test/support/MeshJobs.h"
#include <fstream>
#include <gtest/gtest.h>
#include <random>

using namespace windlass;
using namespace windlass::test;

namespace {

/// Draws what the numerics record says, and decisions; a seed that failed can be run again by its number.
class JobGenerator {
public:
  explicit JobGenerator(unsigned seed) : random(seed) {}

  /// A job on one stage, then on several.
  std::vector<Job> draw() {
    const bool isLlama = between(0, 1) == 1;
    Job job = isLlama ? deepLlama() : deepGpt2();
    if (isLlama)
      job.model.update({{"num_key_value_heads", oneOf<int64_t>({2, 4})},
                        {"vocab_size", oneOf<int64_t>({250, 251})},
                        {"tie_word_embeddings", between(0, 1) == 1}});
    job.training["micro_batches"] = between(1, 6);
    job.training["micro_batch"] = between(1, 2);
    const std::string compute = oneOf<std::string>({"fp32", "fp32", "bf16", "fp16"});
    job.training["precision"] = {{"compute", compute}};
    if (compute == "fp16" && between(0, 1) == 1)
      job.training["precision"]["initial_loss_scale"] = 0x1p30;
    if (between(0, 3) == 0)
      job.training["freeze"] = oneOf<json>({json{"h[.]0[.]|layers[.]0[.]"}, json{"wte|embed_tokens"},
                                            json{"norm|ln_"}, json{"h[.][012][.]|layers[.][012][.]"}});
    if (between(0, 5) == 0)
      job.training["tile"] = {{"attention", "1KiB"}};
    MeshShape mesh{between(1, 3), oneOf<int64_t>({2, 2, 4}), 1};
    if (mesh.data == 2 && between(0, 3) == 0)
      job.training["cadence"] = "step";
    std::vector<Job> jobs;
    jobs.push_back(onMesh(job.with(decisions(job)), mesh));
    for (int i = 0; i < 2; ++i) {
      mesh.stages = between(2, 4);
      json pipeline = {{"schedule", oneOf<std::string>({"1f1b", "gpipe", "zb-h1"})}};
      if (mesh.stages == 2 && between(0, 1) == 1)
        pipeline["cut"] = oneOf<json>({json{1, 3}, json{3, 1}});
      jobs.push_back(onMesh(job.with(decisions(job)).with({{"pipeline", pipeline}}), mesh));
    }
    return jobs;
  }

private:
  json decisions(const Job &job) {
    const bool step = job.training.value("cadence", "") == "step";
    const int64_t zero = between(0, step ? 1 : 3);
    const std::vector<std::string> tiers = {"device", "device", "host", "nvme"};
    json decided = {{"zero_stage", zero},
                    {"bucket", oneOf<std::string>({"4KiB", "64KiB", "1MiB"})},
                    {"overlap", between(0, 3) > 0},
                    {"recompute", oneOf<std::string>({"none", "none", "full", "selective", "layers:2"})},
                    {"placement",
                     {{"param", zero == 3 ? oneOf(tiers) : "device"},
                      {"grad", step ? "device" : oneOf(tiers)},
                      {"moments", oneOf(tiers)}}}};
    if (decided["recompute"] == "full")
      decided["placement"]["checkpoint"] = oneOf(tiers);
    if (job.training["precision"]["compute"] != "fp32")
      decided["placement"]["master"] = oneOf(tiers);
    return decided;
  }
  int64_t between(int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(random);
  }
  template <typename Value> Value oneOf(const std::vector<Value> &values) {
    return values[static_cast<size_t>(between(0, std::ssize(values) - 1))];
  }
  std::mt19937 random;
};

/// The values of a key in the metrics of a run, line by line.
std::vector<json> column(const std::string &out, const std::string &key) {
  std::ifstream metrics(out + "/metrics.jsonl");
  std::vector<json> values;
  for (std::string line; std::getline(metrics, line);)
    if (const json entry = json::parse(line); entry.contains(key))
      values.push_back(entry[key]);
  EXPECT_FALSE(values.empty()) << key;
  return values;
}

class RandomTensorStages : public ::testing::TestWithParam<unsigned> {};

TEST_P(RandomTensorStages, changeNoBit) { expectSameBitsOfAll(JobGenerator(GetParam()).draw()); }

INSTANTIATE_TEST_SUITE_P(Seeds, RandomTensorStages, ::testing::Range(1u, 4u));

/// Decisions in company, on a model whose table both ends read.
TEST(TensorStages, decisionsChangeNoBit) {
  const auto decided = [](int64_t stages, const json &decisions) {
    return onMesh(deepGpt2().with(decisions), {2, 2, stages});
  };
  const json away = {{"param", "host"}, {"grad", "host"}, {"moments", "nvme"}},
             waiting = {{"checkpoint", "host"}, {"grad", "nvme"}};
  expectSameBitsOfAll(
      {decided(1, json::object()), decided(2, {{"zero_stage", 0}, {"pipeline", {{"schedule", "gpipe"}}}}),
       decided(4, {{"zero_stage", 1}, {"recompute", "selective"}}),
       decided(2, {{"zero_stage", 2}, {"recompute", "full"}, {"placement", waiting}}),
       decided(2, {{"zero_stage", 3}, {"placement", away}, {"pipeline", {{"cut", {3, 1}}}}})});
}

/// Heads that share keys and values, over four ranks; the first layers are not trained.
TEST(TensorStages, frozenLayersChangeNoBit) {
  const Job job = deepLlama().with({{"freeze", {"layers[.][01][.]"}}, {"precision", {{"compute", "bf16"}}}});
  expectSameBitsOfAll({onMesh(job, {1, 4, 1}), onMesh(job, {1, 4, 2})});
}

/// An overflow is that of all stages and of all ranks that share out a stage.
TEST(TensorStages, skippedStepsAreSkippedByAll) {
  const Job job =
      deepGpt2().with({{"precision", {{"compute", "fp16"}, {"initial_loss_scale", 0x1p30}}}, {"steps", 20}});
  std::unique_ptr<Compiled> whole = compileJob(onMesh(job, {1, 2, 1})),
                            cut = compileJob(onMesh(job, {1, 2, 2}));
  ASSERT_TRUE(whole && cut);
  RunSettings settings;
  settings.steps = 20;
  const Outcome expected = train(*whole, settings), found = train(*cut, settings);
  EXPECT_TRUE(expected.skipped.front());
  EXPECT_FALSE(expected.skipped.back());
  EXPECT_EQ(found.skipped, expected.skipped);
  expectSameBits(expected, found);
}

TEST(TensorStages, checkpointsGoBetweenMeshes) {
  std::vector<Job> jobs;
  for (const MeshShape &mesh : {MeshShape{2, 2, 2}, {1, 4, 1}, {2, 1, 4}, {1, 1, 1}})
    jobs.push_back(onMesh(deepGpt2(), mesh));
  expectCheckpointsGoRound(jobs);
}

/// A run that goes on with other stages leaves the files, and tells the losses, of one that did not.
TEST(TensorStages, aRunGoesOnUnderAnyNumberOfStages) {
  const Job job = deepGpt2().with({{"validation", {{"fraction", 0.1}, {"every", 2}}}});
  std::vector<std::unique_ptr<Compiled>> plans;
  for (int64_t stages : {1, 2, 4}) {
    plans.push_back(compileJob(onMesh(job, {1, 2, stages})));
    ASSERT_TRUE(plans.back());
  }
  TemporaryFolder folder;
  const std::string straight = runTo(*plans[0], 6, folder / "straight");
  runTo(*plans[0], 2, folder / "moved");
  runTo(*plans[1], 4, folder / "moved");
  const std::string moved = runTo(*plans[2], 6, folder / "moved");
  for (const char *file : {"/model.safetensors", "/optimizer.safetensors", "/trainer_state.json"})
    EXPECT_EQ(readText(moved + file), readText(straight + file)) << file;
  for (const char *key : {"loss", "grad_norm", "val_loss"})
    EXPECT_EQ(column(folder / "moved", key), column(folder / "straight", key)) << key;
}

/// Axes of two ranks each, so that sizes tell nothing: every collective over another one is found.
TEST(TensorStages, theCheckerFindsAWrongGroup) {
  Job job = tinyGpt2(1, 2);
  job.model.update({{"n_embd", 32}, {"n_positions", 16}});
  job.training["sequence_parallel"] = false; // as in TensorTest
  std::unique_ptr<Compiled> compiled = compileJob(onMesh(job, {2, 2, 2}));
  ASSERT_TRUE(compiled);
  ASSERT_EQ(plan::findFaults(compiled->plan), std::vector<std::string>());
  int wrong = 0;
  for (size_t program = 0; program < 2; ++program)
    for (size_t s = 0; s < compiled->plan.programs[program].sections.size(); ++s)
      for (size_t i = 0; i < compiled->plan.programs[program].sections[s].instructions.size(); ++i) {
        plan::Plan broken = compiled->plan;
        plan::Instruction &instruction = broken.programs[program].sections[s].instructions[i];
        if (!plan::isCollective(instruction.op))
          continue;
        ASSERT_EQ(instruction.axes.size(), 1u);
        instruction.axes = {3 - instruction.axes.front()};
        EXPECT_NE(plan::findFaults(broken), std::vector<std::string>())
            << instruction.origin.what << " over " << nameOfAxes(broken, instruction.axes);
        ++wrong;
      }
  EXPECT_GT(wrong, 40);
}

TEST(TensorStages, whatCannotBeIsRefusedInWords) {
  const auto refused = [](const json &patch) { return refusalOf(onMesh(deepGpt2(), {1, 2, 2}).with(patch)); };
  for (const auto &[patch, message] : std::vector<std::pair<json, std::string>>{
           {{{"parallel", {{"data", 2}}}},
            "parallel.data x parallel.tensor x parallel.pipeline asks for 8 ranks"},
           {{{"gather", "broadcast"}}, "parallel.pipeline 2 needs gather \"allgather\""},
           {{{"tile", {{"limit", "8KiB"}}}}, "parallel.tensor 2 needs tile.limit"},
           {{{"micro_batch_order", "vertical"}}, "stages take one micro-batch after the other"}})
    EXPECT_NE(refused(patch).find(message), std::string::npos) << refused(patch);
}

} // namespace
