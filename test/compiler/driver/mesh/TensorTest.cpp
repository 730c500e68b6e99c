// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tensor ranks divide the operations of a replica: losses and norms agree with those of one rank up to a
// tolerance, no decision changes a bit, states begin alike on any mesh, and checkpoints continue on all
// meshes.
#include "runtime/plan/check/Checker.h"
#include "test/support/Folders.h"
#include "test/support/MeshJobs.h"
#include <algorithm>
#include <gtest/gtest.h>
#include <set>

using namespace windlass;
using namespace windlass::test;

namespace {

/// Dropout, and a number of words that no number of ranks divides.
Job oddGpt2(int64_t ranks) {
  Job job = tinyGpt2(ranks, 2);
  job.model.update({{"n_embd", 32}, {"n_head", 4}, {"n_positions", 16}, {"vocab_size", 251}});
  job.model.update({{"embd_pdrop", 0.1}, {"attn_pdrop", 0.1}, {"resid_pdrop", 0.1}});
  return job;
}

TEST(Tensor, ranksThatShareOperationsAgreeWithOne) {
  expectAgreesWithOneRank(oddGpt2(1), {2, 4}, 1e-5);
  expectAgreesWithOneRank(tinyLlama(1, 2), {2, 4}, 1e-5);
  expectAgreesWithOneRank(biasFreeMlp({24, 32, 20}, 1, 2), {2, 4}, 1e-5);
}

/// Each family, with the sizes of its fixture, without dropout.
TEST(Tensor, familiesAgreeWithOneRank) {
  for (const char *family : {"mistral", "qwen2", "qwen3", "bert", "vit"}) {
    SCOPED_TRACE(family);
    Job job = tinyGpt2(1, 2, /*microBatch=*/2).with({{"sequence", "auto"}});
    job.modelFile = std::string(WINDLASS_SOURCE_DIR "/test/fixtures/") + family;
    expectAgreesWithOneRank(job, {2, 4}, 1e-5);
  }
}

/// Layers of a convolution over channels that the ranks divide.
Job convolutions() {
  Job job = tinyGpt2(1, 2, /*microBatch=*/2);
  job.model = json::parse(R"({
    "format": "windlass.model/1", "dims": {"B": "batch", "L": 3},
    "inputs": {"x": {"role": "features", "shape": ["B", 3, 6, 6]},
               "y": {"role": "classes", "shape": ["B"], "bound": 4}},
    "params": {"stem": {"shape": [6, 3, 3, 3], "init": {"normal": 0.2}},
               "fc": {"shape": [6, 4], "init": {"normal": 0.2}}},
    "blocks": {"layer": {"in": ["h"],
      "params": {"c1": {"shape": [12, 6, 3, 3], "init": {"normal": 0.2}},
                 "c2": {"shape": [6, 12, 3, 3], "init": {"normal": 0.1}}},
      "ops": [{"op": "conv", "in": ["h", "c1"], "pads": [1, 1, 1, 1], "out": "a"},
              {"op": "relu", "in": ["a"], "out": "b"},
              {"op": "conv", "in": ["b", "c2"], "pads": [1, 1, 1, 1], "out": "c"},
              {"op": "add", "in": ["c", "h"], "out": "d"}, {"op": "relu", "in": ["d"], "out": "e"}],
      "out": ["e"]}},
    "ops": [{"op": "conv", "in": ["x", "stem"], "pads": [1, 1, 1, 1], "out": "h"},
            {"repeat": "L", "block": "layer", "carry": ["h"], "name": "layer.{i}"},
            {"op": "global_average_pool", "in": ["h"], "out": "g"},
            {"op": "reshape", "in": ["g"], "shape": ["B", 6], "out": "q"},
            {"op": "matmul", "in": ["q", "fc"], "out": "logits"},
            {"op": "cross_entropy", "in": ["logits", "y"], "out": "losses"}],
    "loss": "losses"})");
  return job;
}

TEST(Tensor, convolutionsAgreeWithOneRank) { expectAgreesWithOneRank(convolutions(), {2, 3}, 1e-5); }

/// Ranks divide the channels of a group, and not the groups: each has one channel of both, whose rows are
/// padded.
TEST(Tensor, channelsOfGroupsAgreeWithOneRank) {
  Job job = convolutions();
  json &layer = job.model["blocks"]["layer"];
  layer["params"]["c1"]["shape"] = {8, 6, 3, 3};
  layer["params"]["grouped"] = {{"shape", {8, 4, 3, 3}}, {"init", {{"normal", 0.2}}}};
  layer["params"]["c2"]["shape"] = {6, 8, 3, 3};
  json grouped = layer["ops"][0];
  grouped.update({{"in", {"b", "grouped"}}, {"groups", 2}, {"out", "inGroups"}});
  layer["ops"][2]["in"][0] = "inGroups";
  layer["ops"].insert(layer["ops"].begin() + 2, grouped);
  expectAgreesWithOneRank(job, {4}, 1e-5);
}

/// An ONNX file, whose convolutions pad. Tiles divide a rank's part.
TEST(Tensor, tilesOfConvolutionsAgreeWithOneRank) {
  Job job = oddGpt2(1).with({{"tile", {{"limit", "2KiB"}}}, {"sequence", "auto"}});
  job.modelFile = WINDLASS_SOURCE_DIR "/test/fixtures/onnx/cnn.dynamo.23.onnx";
  expectAgreesWithOneRank(job, {2}, 1e-5);
}

/// A rank has some channels of some batch norms, with their running statistics. Other batch norms are whole
/// on every rank.
TEST(Tensor, batchNormsOfARanksChannels) {
  Job job = tinyGpt2(1, 2, /*microBatch=*/4).with({{"sequence", "auto"}});
  job.modelFile = WINDLASS_SOURCE_DIR "/test/fixtures/onnx/resnet.script.17.raw.onnx";
  expectAgreesWithOneRank(job, {2}, 1e-5);
  const Job mesh = onMesh(job, {2, 2});
  const json away = {{"zero_stage", 3}, {"placement", {{"param", "host"}, {"moments", "nvme"}}}};
  expectSameBitsOfAll({mesh.with({{"zero_stage", 0}, {"recompute", "full"}}), mesh.with(away)});
  expectCheckpointsGoRound({mesh, onMesh(job, {1, 4})});
}

/// With one example, rows are channels only, and running statistics are whole on every rank.
TEST(Tensor, batchNormsOfOneExample) {
  Job job = tinyGpt2(1, 2, /*microBatch=*/1).with({{"sequence", "auto"}});
  job.modelFile = WINDLASS_SOURCE_DIR "/test/fixtures/onnx/resnet.script.17.raw.onnx";
  expectAgreesWithOneRank(job, {2, 4}, 1e-5);
}

/// A plan with other rows has other activations, so that kept activations have no names there.
TEST(Tensor, whatLayersKeepIsOfTheirRows) {
  Job job = tinyGpt2(1, 2, /*microBatch=*/2).with({{"sequence", "auto"}});
  job.modelFile = WINDLASS_SOURCE_DIR "/test/fixtures/onnx/resnet.script.17.raw.onnx";
  const json kept = {{"recompute", {{"keep", {{"layer1.train", {"reshape.19"}}}}}}};
  EXPECT_TRUE(compileJob(onMesh(job, {1, 4}).with(kept)));
}

/// Three ranks divide no tensor of 16-bit elements into parts of whole words.
TEST(Tensor, sixteenBitRanksAgreeWithOne) {
  for (const auto &[compute, ranks] :
       {std::pair<const char *, std::vector<int64_t>>("bf16", {2}), {"fp16", {2, 3}}})
    expectAgreesWithOneRank(oddGpt2(1).with({{"precision", {{"compute", compute}}}}), ranks, 1e-2);
}

TEST(Tensor, decisionsChangeNoBit) {
  const Job job = onMesh(oddGpt2(1), {2, 2});
  const json away = {{"param", "host"}, {"grad", "host"}, {"moments", "nvme"}};
  std::vector<Job> jobs;
  for (const json &decision : {json{{"zero_stage", 0}}, json{{"zero_stage", 1}, {"recompute", "selective"}},
                               json{{"zero_stage", 2}, {"recompute", "full"}},
                               json{{"zero_stage", 3}, {"micro_batch_order", "vertical"}},
                               json{{"zero_stage", 3}, {"placement", away}},
                               json{{"zero_stage", 3}, {"gather", "broadcast"}, {"placement", away}}})
    jobs.push_back(job.with(decision));
  jobs.push_back(job);
  jobs.back().strategy = "zero-3-offload";
  expectSameBitsOfAll(jobs);
}

/// A parameter, or a tensor rank's part of it, rests whole on one data rank. Checkpoints continue on other
/// meshes.
TEST(Tensor, ownersAreDataRanks) {
  Job job = onMesh(oddGpt2(1), {2, 2});
  job.strategy = "zero-3-offload";
  std::unique_ptr<Compiled> compiled = compileJob(job);
  ASSERT_TRUE(compiled);
  std::set<int64_t> owners;
  int parts = 0;
  for (const plan::State &state : compiled->plan.programs[0].states) {
    owners.insert(compiled->plan.programs[0].buffers[state.home.buffer].owner);
    parts += !state.split.whole.empty();
  }
  EXPECT_EQ(owners, (std::set<int64_t>{0, 1}));
  EXPECT_GT(parts, 10);
  expectCheckpointsGoRound({job, onMesh(oddGpt2(1), {4, 1}), onMesh(oddGpt2(1), {1, 1})});
}

int64_t tilesOfParts(const plan::Plan &plan) {
  return std::ranges::count_if(plan.programs[0].states, [](const plan::State &state) {
    return !state.slice.whole.empty() && !state.split.whole.empty();
  });
}

/// Each rank divides its part of padded tables and logits, of inner activations, and of heads into tiles.
TEST(Tensor, tilesOfARanksPart) {
  const json tiles = {{"tile", {{"limit", "4KiB"}, {"activation", "4KiB"}}}};
  expectAgreesWithOneRank(oddGpt2(1).with(tiles), {2}, 1e-5);
  expectAgreesWithOneRank(tinyLlama(1, 2).with({{"tile", {{"limit", "8KiB"}}}}), {2}, 1e-5);
  const Job job = onMesh(oddGpt2(1).with(tiles), {2, 2});
  std::vector<Job> jobs;
  for (const json &decision :
       {json{{"zero_stage", 0}, {"sequence_parallel", false}},
        json{{"zero_stage", 3}, {"placement", {{"param", "nvme"}, {"moments", "host"}}}},
        json{{"zero_stage", 2}, {"recompute", "full"}, {"parallel", {{"pipeline", 2}}}}})
    jobs.push_back(job.with(decision));
  jobs.back().hardware = roomyMachine(8);
  expectSameBitsOfAll(jobs);
  std::unique_ptr<Compiled> compiled = compileJob(job);
  ASSERT_TRUE(compiled);
  EXPECT_GT(tilesOfParts(compiled->plan), 6);
  expectCheckpointsGoRound({job, onMesh(oddGpt2(1), {1, 1}), onMesh(oddGpt2(1), {1, 2})});
}

/// An element of a state depends only on its place in the whole tensor.
TEST(Tensor, statesBeginAlikeOnEveryMesh) {
  RunSettings none;
  none.steps = 0;
  std::map<std::string, std::vector<std::byte>> expected;
  for (auto [data, tensor] : {std::pair(1, 1), std::pair(1, 2), std::pair(2, 2), std::pair(1, 4)}) {
    std::unique_ptr<Compiled> compiled = compileJob(onMesh(oddGpt2(1), {data, tensor}));
    ASSERT_TRUE(compiled);
    std::unique_ptr<Executor> executor = openExecutor(*compiled, compiled->plan);
    ASSERT_TRUE(executor);
    ASSERT_TRUE(StateStream(compiled->plan, *executor).writeAll(initialValues(11)));
    const auto states = readStates(compiled->plan, *executor);
    if (expected.empty())
      expected = states;
    EXPECT_EQ(states, expected) << data << " x " << tensor;
  }
}

TEST(Tensor, checkpointsGoBetweenMeshes) {
  std::vector<Job> jobs;
  for (const MeshShape &mesh : {MeshShape{1, 2}, {4, 1}, {2, 2}, {1, 1}})
    jobs.push_back(onMesh(oddGpt2(1), mesh));
  expectCheckpointsGoRound(jobs);
}

/// Both axes have two ranks, so that sizes do not reveal a wrong axis. Between two products ranks have all
/// rows, or their own rows, which are divided like the batch along the other axis.
TEST(Tensor, theCheckerFindsAWrongGroup) {
  for (const Job &job : {biasFreeMlp({256, 256, 64}, 1, 2), tinyGpt2(1, 2), tinyLlama(1, 2)})
    for (bool ownRows : {false, true}) {
      SCOPED_TRACE(job.model.value("model_type", "mlp") + (ownRows ? ", own rows" : ", all rows"));
      std::unique_ptr<Compiled> compiled =
          compileJob(onMesh(job.with({{"sequence_parallel", ownRows}}), {2, 2}));
      ASSERT_TRUE(compiled);
      ASSERT_EQ(plan::findFaults(compiled->plan), std::vector<std::string>());
      expectWrongGroupsAreFound(compiled->plan, 10);
    }
  std::unique_ptr<Compiled> owned =
      compileJob(onMesh(tinyGpt2(1, 2).with({{"zero_stage", 3}, {"gather", "broadcast"}}), {2, 2}));
  ASSERT_TRUE(owned);
  ASSERT_EQ(plan::findFaults(owned->plan), std::vector<std::string>());
  expectWrongGroupsAreFound(owned->plan, 10);
}

TEST(Tensor, whatCannotBeSharedOutIsRefusedInWords) {
  const auto refused = [](const json &patch) { return refusalOf(onMesh(oddGpt2(1), {1, 2}).with(patch)); };
  const std::vector<std::pair<json, std::string>> cases = {
      {{{"tile", {{"limit", 64}}}}, "tile.limit: must be at least 128, the bytes of the smallest tile of"},
      {{{"parallel", {{"data", 2}}}}, "parallel.data x parallel.tensor asks for 4 ranks"},
      {{{"parallel", {{"tensor", 0}}}}, "parallel.tensor: must be a whole number from 1 to 1024, is 0"}};
  for (const auto &[patch, message] : cases)
    EXPECT_NE(refused(patch).find(message), std::string::npos) << refused(patch);
}

} // namespace
