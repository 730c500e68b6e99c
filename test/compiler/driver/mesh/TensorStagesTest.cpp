// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tensor ranks in every stage of a pipeline: no number of stages, no schedule and no decision inside a stage
// changes a bit, checkpoints continue on all meshes, and the checker finds a wrong group.
#include "compiler/training/Strategy.h"
#include "runtime/plan/check/Checker.h"
#include "test/fixtures/Fixture.h"
#include "test/support/Dice.h"
#include "test/support/MeshJobs.h"
#include <fstream>
#include <gtest/gtest.h>
#include <set>

using namespace windlass;
using namespace windlass::test;

namespace {

/// Draws the properties of the numerics record, and decisions. A seed that failed can be run again by its
/// number.
class JobGenerator : Dice {
public:
  using Dice::Dice;

  /// A job on one stage, and then on several.
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
    if (zero == 3)
      decided["gather"] = oneOf<std::string>({"allgather", "broadcast"});
    if (job.training["precision"]["compute"] != "fp32")
      decided["placement"]["master"] = oneOf(tiers);
    return decided;
  }
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

//===----------------------------------------------------------------------===//
// Combined decisions
//===----------------------------------------------------------------------===//

/// Decisions about a mesh of two data and two tensor ranks in each stage.
struct Decided {
  int64_t stages;
  const char *schedule, *cut, *lag, *rows, *parts;
  int64_t zero;
  const char *tier, *recompute, *executor, *gather;

  std::vector<std::string> values() const {
    return {std::to_string(stages),         schedule, cut,       lag,      rows,  parts,
            "zero " + std::to_string(zero), tier,     recompute, executor, gather};
  }
};

/// Every two values of every two decisions that can be combined are in one of these rows.
const Decided kDecided[] = {
    {1, "1f1b", "even", "least", "own", "parts", 0, "device", "layers:2", "reference", "allgather"},
    {1, "1f1b", "even", "least", "all", "wholes", 1, "host", "none", "concurrent", "allgather"},
    {1, "1f1b", "even", "least", "own", "wholes", 2, "nvme", "selective", "concurrent", "allgather"},
    {1, "1f1b", "even", "least", "all", "wholes", 3, "host", "full", "reference", "broadcast"},
    {1, "1f1b", "even", "least", "own", "wholes", 3, "device", "none", "concurrent", "allgather"},
    {2, "1f1b", "even", "more", "all", "parts", 1, "device", "full", "reference", "allgather"},
    {2, "1f1b", "even", "more", "own", "wholes", 3, "nvme", "none", "reference", "broadcast"},
    {2, "gpipe", "uneven", "least", "own", "wholes", 1, "nvme", "layers:2", "concurrent", "allgather"},
    {2, "gpipe", "uneven", "least", "own", "parts", 0, "host", "full", "concurrent", "allgather"},
    {2, "gpipe", "uneven", "least", "own", "wholes", 1, "host", "selective", "reference", "allgather"},
    {2, "zb-h1", "uneven", "least", "all", "parts", 3, "host", "layers:2", "reference", "broadcast"},
    {2, "zb-h1", "even", "more", "own", "wholes", 0, "nvme", "selective", "concurrent", "allgather"},
    {2, "zb-h1", "uneven", "more", "all", "wholes", 2, "device", "none", "reference", "allgather"},
    {2, "interleaved", "even", "least", "own", "parts", 0, "device", "layers:2", "reference", "allgather"},
    {2, "interleaved", "uneven", "least", "all", "wholes", 1, "host", "none", "concurrent", "allgather"},
    {2, "interleaved", "even", "least", "own", "wholes", 2, "nvme", "selective", "reference", "allgather"},
    {2, "interleaved", "uneven", "least", "all", "wholes", 3, "host", "full", "concurrent", "broadcast"},
    {4, "1f1b", "even", "more", "own", "wholes", 2, "host", "layers:2", "concurrent", "allgather"},
    {4, "1f1b", "uneven", "least", "all", "wholes", 0, "host", "selective", "reference", "allgather"},
    {4, "gpipe", "uneven", "least", "own", "wholes", 0, "nvme", "none", "reference", "allgather"},
    {4, "gpipe", "even", "least", "all", "wholes", 3, "device", "selective", "concurrent", "broadcast"},
    {4, "gpipe", "uneven", "least", "all", "parts", 2, "nvme", "full", "reference", "allgather"},
    {4, "zb-h1", "uneven", "least", "own", "wholes", 1, "device", "full", "concurrent", "allgather"},
};

/// Values that no plan combines. Passes of GPipe already have the largest lags. Passes of interleaved chunks
/// have an order of their own, for which the stages must divide the micro-batches of a step. Checkpoints are
/// kept in parts only if layers are recomputed, and parameters have owners only at ZeRO 3.
bool goTogether(const std::string &one, const std::string &other) {
  const auto are = [&](const char *a, const char *b) { return one == a && other == b; };
  return !are("gpipe", "more") && !are("interleaved", "more") && !are("4", "interleaved") &&
         !are("parts", "none") && !are("parts", "selective") && !are("zero 0", "broadcast") &&
         !are("zero 1", "broadcast") && !are("zero 2", "broadcast");
}

TEST(TensorStagesTable, hasEveryTwoDecisionsTogether) {
  std::vector<std::set<std::string>> known(kDecided[0].values().size());
  std::set<std::tuple<size_t, std::string, size_t, std::string>> met;
  for (const Decided &row : kDecided) {
    const std::vector<std::string> values = row.values();
    for (size_t a = 0; a < values.size(); ++a) {
      known[a].insert(values[a]);
      for (size_t b = a + 1; b < values.size(); ++b)
        met.insert({a, values[a], b, values[b]});
    }
  }
  for (size_t a = 0; a < known.size(); ++a)
    for (size_t b = a + 1; b < known.size(); ++b)
      for (const std::string &one : known[a])
        for (const std::string &other : known[b])
          if (const bool isNoPipeline = a == 0 && one == "1" && b <= 3;
              !isNoPipeline && goTogether(one, other))
            EXPECT_TRUE(met.contains({a, one, b, other})) << one << " and " << other;
}

Job decide(const Job &job, const Decided &row) {
  json decided = {{"zero_stage", row.zero},
                  {"recompute", row.recompute},
                  {"gather", row.gather},
                  {"sequence_parallel", row.rows == std::string("own")},
                  {"checkpoint_partition", row.parts == std::string("parts")},
                  {"placement", {{"grad", row.tier}, {"moments", row.tier}}}};
  if (row.recompute == std::string("full"))
    decided["placement"]["checkpoint"] = row.tier;
  if (row.zero == 3)
    decided["placement"]["param"] = row.tier;
  if (row.stages == 1)
    return onMesh(job.with(decided), {2, 2, 1});
  decided["pipeline"]["schedule"] = row.schedule;
  if (row.cut == std::string("uneven")) // also of two stages with two chunks each
    decided["pipeline"]["cut"] =
        row.stages == 2 && row.schedule != std::string("interleaved") ? json{1, 4} : json{1, 1, 1, 2};
  if (row.lag == std::string("more"))
    decided["pipeline"]["lag"] = row.stages == 2 ? json{3, 1} : json{5, 3, 2, 0};
  return onMesh(job.with(decided), {2, 2, row.stages});
}

/// Runs all rows of the table on a job that has the other decisions.
void expectTableChangesNoBit(const Job &job) {
  std::string record;
  Outcome expected;
  for (const Decided &row : kDecided) {
    const Job decided = decide(job, row);
    SCOPED_TRACE(decided.training.dump());
    std::unique_ptr<Compiled> compiled = compileJob(decided);
    ASSERT_TRUE(compiled);
    RunSettings settings;
    settings.executor.reference = row.executor == std::string("reference");
    const Outcome outcome = train(*compiled, settings);
    if (record.empty()) {
      record = compiled->plan.numerics;
      expected = outcome;
    }
    EXPECT_EQ(compiled->plan.numerics, record);
    expectSameBits(expected, outcome);
  }
}

/// The first and the last stage of the model read its table. It has five layers and dropout, and no mesh
/// divides its micro-batches and words.
TEST(TensorStages, decisionsChangeNoBit) {
  Job job = deepGpt2().with({{"micro_batches", 6}});
  job.model.update({{"n_layer", 5}, {"n_embd", 16}, {"n_head", 2}, {"n_positions", 8}});
  expectTableChangesNoBit(job);
}

/// The heads of the model share keys and values, in bf16. Gathered rows stay gathered for the backward pass.
TEST(TensorStages, decisionsChangeNoBitOfSharedHeads) {
  Job job = deepLlama().with(
      {{"micro_batches", 6}, {"precision", {{"compute", "bf16"}}}, {"reshard_activations", false}});
  job.model.update({{"num_hidden_layers", 5}, {"vocab_size", 251}});
  expectTableChangesNoBit(job);
}

/// States are sharded inside groups of two data ranks, and copied from group to group. In each stage, each
/// tensor rank of a group has its own part.
TEST(TensorStages, groupsThatHoldCopiesChangeNoBit) {
  Job job = tinyGpt2(1, 3);
  job.model.update({{"n_embd", 32}, {"n_positions", 16}, {"vocab_size", 251}, {"resid_pdrop", 0.1}});
  for (const char *optimizerShard : {"group", "all"}) {
    SCOPED_TRACE(optimizerShard);
    const auto decided = [&](int64_t stages, const json &decisions) {
      return onMesh(job.with(decisions), {4, 2, stages})
          .with({{"parallel", {{"shard", 2}, {"optimizer_shard", optimizerShard}}}});
    };
    expectSameBitsOfAll({decided(1, {{"zero_stage", 0}, {"sequence_parallel", false}}),
                         decided(2, {{"zero_stage", 3},
                                     {"placement", {{"moments", "host"}}},
                                     {"pipeline", {{"schedule", "zb-h1"}}}})});
  }
}

/// Heads share keys and values, over four ranks. The first layers are not trained.
TEST(TensorStages, frozenLayersChangeNoBit) {
  const Job job = deepLlama().with({{"freeze", {"layers[.][01][.]"}}, {"precision", {{"compute", "bf16"}}}});
  expectSameBitsOfAll({onMesh(job, {1, 4, 1}), onMesh(job, {1, 4, 2})});
}

/// An overflow on any rank of any stage skips the step on all.
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

/// A run that continues with another number of stages leaves the same files, and reports the same losses, as
/// a run without an interruption.
TEST(TensorStages, aRunGoesOnUnderAnyNumberOfStages) {
  Job job = deepGpt2().with({{"validation", {{"fraction", 0.1}, {"every", 2}}}});
  job.training["micro_batches"] = 4;
  std::vector<std::unique_ptr<Compiled>> plans;
  for (auto [stages, schedule] : {std::pair(1, "1f1b"), std::pair(2, "interleaved"), std::pair(4, "1f1b")}) {
    plans.push_back(compileJob(onMesh(job.with({{"pipeline", {{"schedule", schedule}}}}), {1, 2, stages})));
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

/// The mesh has data ranks, tensor ranks and stages. Each tensor rank has a part of every row of logits, and
/// a stage may have several chunks of layers.
TEST(TensorStages, samplesAreThoseOfOneRank) {
  Job job = tinyGpt2(1, 2);
  job.model.update({{"n_embd", 32}, {"n_layer", 4}});
  std::unique_ptr<Compiled> one = compileJob(onMesh(job, {1, 1, 1}));
  ASSERT_TRUE(one);
  TemporaryFolder folder;
  for (const char *schedule : {"1f1b", "interleaved"}) {
    std::unique_ptr<Compiled> mesh =
        compileJob(onMesh(job.with({{"pipeline", {{"schedule", schedule}}}}), {2, 2, 2}));
    ASSERT_TRUE(mesh);
    const std::string checkpoint = runTo(*mesh, 2, folder / schedule);
    EXPECT_EQ(sampleOf(*mesh, folder / schedule, checkpoint), sampleOf(*one, folder / "one", checkpoint))
        << schedule;
  }
}

/// The families that the other tests do not use.
TEST(TensorStages, familiesKeepTheirBits) {
  for (const char *family : {"mistral", "qwen2", "qwen3", "bert", "vit"}) {
    Job job = tinyGpt2(1, 2, /*microBatch=*/2).with({{"sequence", "auto"}});
    job.modelFile = Fixture::folder() + family + "/config.json";
    Job staged = onMesh(job, {2, 2, 2});
    staged.strategy = "zero-3-offload";
    expectSameBitsOfAll({onMesh(job, {2, 2, 1}), staged});
  }
}

/// All named strategies, and the planner's own decisions.
TEST(TensorStages, namedStrategiesLeaveTheSameCheckpoint) {
  Job job = tinyGpt2(1, 2);
  job.model.update({{"n_embd", 16}, {"n_positions", 8}, {"vocab_size", 67}});
  for (const char *decision : {"zero_stage", "recompute"})
    job.training.erase(decision);
  job = onMesh(job, {2, 2, 2});
  TemporaryFolder folder;
  std::string first;
  std::set<std::string> programs;
  std::vector<std::string> names = {"auto"};
  for (const NamedStrategy &named : namedStrategies())
    names.emplace_back(named.name);
  for (const std::string &name : names) {
    SCOPED_TRACE(name);
    job.strategy = name;
    std::unique_ptr<Compiled> compiled = compileJob(job);
    ASSERT_TRUE(compiled);
    programs.insert(programText(compiled->plan));
    const std::string checkpoint = runTo(*compiled, 1, folder / name);
    first = first.empty() ? checkpoint : first;
    for (const char *file : {"/model.safetensors", "/optimizer.safetensors"})
      EXPECT_EQ(readText(checkpoint + file), readText(first + file)) << file;
  }
  EXPECT_GE(programs.size(), names.size() - 1) << "the planner's own may be one of those with a name";
}

/// Each axis has two ranks, so that sizes do not reveal a wrong one. The checker finds every collective over
/// another axis.
TEST(TensorStages, theCheckerFindsAWrongGroup) {
  Job job = tinyGpt2(1, 2);
  job.model.update({{"n_embd", 32}, {"n_positions", 16}});
  for (bool ownRows : {false, true}) {
    SCOPED_TRACE(ownRows ? "own rows" : "all rows");
    std::unique_ptr<Compiled> compiled =
        compileJob(onMesh(job.with({{"sequence_parallel", ownRows}}), {2, 2, 2}));
    ASSERT_TRUE(compiled);
    ASSERT_EQ(plan::findFaults(compiled->plan), std::vector<std::string>());
    expectWrongGroupsAreFound(compiled->plan, 40);
  }
}

TEST(TensorStages, whatCannotBeIsRefusedInWords) {
  const auto refused = [](const json &patch) { return refusalOf(onMesh(deepGpt2(), {1, 2, 2}).with(patch)); };
  for (const auto &[patch, message] : std::vector<std::pair<json, std::string>>{
           {{{"parallel", {{"data", 2}}}},
            "parallel.data x parallel.tensor x parallel.pipeline asks for 8 ranks"},
           {{{"micro_batch_order", "vertical"}}, "stages take one micro-batch after the other"}})
    EXPECT_NE(refused(patch).find(message), std::string::npos) << refused(patch);
}

} // namespace
