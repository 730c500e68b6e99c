// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A linear layer over tile.limit becomes tiles, each a state of its own. Initial values and tensors of
// checkpoints are those of the untiled model.
#include "compiler/driver/Compile.h"
#include "runtime/base/Safetensors.h"
#include "runtime/plan/text/ReasonText.h"
#include "runtime/training/checkpoint/Checkpoint.h"
#include "runtime/training/step/StepHosts.h"
#include "test/support/EndToEnd.h"
#include <gtest/gtest.h>
#include <regex>

using namespace windlass;
using namespace windlass::test;

namespace {

/// GPT-2 whose four linear layers (48, 16, 64 and 64 KiB) and tied embedding (64 KiB) exceed the limit.
Job tiledGpt2(const std::string &limit) { return tinyGpt2(2, 2).with({{"tile", {{"limit", limit}}}}); }

int64_t slicesOf(const plan::Plan &plan, const std::string &name) {
  return std::count_if(
      plan.programs[0].states.begin(), plan.programs[0].states.end(), [&](const plan::State &state) {
        return state.cls == plan::StateClass::Momentum && state.name == name && !state.slice.whole.empty();
      });
}

using TensorList = std::map<std::string, std::pair<std::string, std::vector<int64_t>>>;

TensorList tensorsOf(const std::string &file) {
  TensorList list;
  Result<SafetensorsReader> reader = SafetensorsReader::open(file);
  EXPECT_TRUE(reader) << reader.status().message();
  if (reader)
    for (const auto &[name, entry] : reader->tensors())
      list[name] = {entry.type, entry.shape};
  return list;
}

/// Trains and saves a checkpoint. Returns the states as they are in memory.
std::map<std::string, std::vector<std::byte>> trainAndSave(const Compiled &compiled,
                                                           const std::string &folder) {
  std::filesystem::create_directories(folder);
  std::unique_ptr<Executor> executor = openExecutor(compiled, compiled.plan);
  if (!executor)
    return {};
  Outcome outcome = trainOn(compiled.plan, *executor);
  StateStream states(compiled.plan, *executor);
  Status written = writeCheckpoint(folder, compiled.plan, states, {});
  EXPECT_TRUE(written) << written.message();
  return outcome.states;
}

std::map<std::string, std::vector<std::byte>> loaded(const Compiled &compiled, const std::string &folder) {
  std::unique_ptr<Executor> executor = openExecutor(compiled, compiled.plan);
  if (!executor)
    return {};
  StateStream states(compiled.plan, *executor);
  Status read = loadCheckpoint(folder, compiled.plan, states);
  EXPECT_TRUE(read) << read.message();
  return readStates(compiled.plan, *executor);
}

TEST(TilesTest, startEqualAndTrainAlike) {
  std::unique_ptr<Compiled> whole = compileJob(tinyGpt2(2, 2)), tiled = compileJob(tiledGpt2("16KiB"));
  ASSERT_TRUE(whole && tiled);
  EXPECT_EQ(slicesOf(whole->plan, "transformer.h.0.mlp.c_fc.weight"), 0);
  EXPECT_EQ(slicesOf(tiled->plan, "transformer.h.0.mlp.c_fc.weight"), 4);   // 64 x 256, cut in columns
  EXPECT_EQ(slicesOf(tiled->plan, "transformer.h.1.mlp.c_proj.weight"), 4); // 256 x 64
  EXPECT_EQ(slicesOf(tiled->plan, "transformer.h.1.mlp.c_fc.bias"), 4);     // between the two
  EXPECT_EQ(slicesOf(tiled->plan, "transformer.wte.weight"), 4);
  EXPECT_NE(whole->plan.numerics, tiled->plan.numerics);
  RunSettings settings;
  settings.steps = 0;
  EXPECT_EQ(train(*whole, settings).states, train(*tiled, settings).states);
  settings.steps = 5;
  const std::vector<double> expected = train(*whole, settings).losses, found = train(*tiled, settings).losses;
  ASSERT_EQ(expected.size(), 5u);
  ASSERT_EQ(found.size(), 5u);
  // Tiles change the order of f32 sums, and AdamW turns a gradient near zero into a step of the size of the
  // learning rate. Five steps stay well within 1e-4.
  for (size_t step = 0; step < 5; ++step)
    EXPECT_NEAR(found[step], expected[step], (step == 0 ? 1e-6 : 1e-4) * expected[step]) << step;
}

/// Parameters are cut along an output or, behind a wide activation, along an input. Every slice of a
/// parameter over the limit has 8 values here.
Job narrowGpt2(const std::string &compute) {
  Job job = tinyGpt2(1, 1).with({{"precision", {{"compute", compute}}}});
  job.model.update({{"n_layer", 1}, {"n_embd", 8}, {"vocab_size", 16}, {"n_positions", 8}});
  return job;
}

TEST(TilesTest, aTileHoldsAtLeastOneSlice) {
  for (const char *compute : {"fp32", "bf16", "fp16"}) {
    const int64_t least = 8 * (compute == std::string("fp32") ? 4 : 2);
    const Job job = narrowGpt2(compute);
    for (int64_t bytes : {int64_t(1), least - 1}) {
      TemporaryFolder folder;
      Result<plan::Plan> plan = tryCompile(job.with({{"tile", {{"limit", bytes}}}}), folder);
      ASSERT_FALSE(plan) << bytes;
      EXPECT_EQ(plan.status().code(), ExitCode::BadInput);
      EXPECT_EQ(plan.status().message(),
                folder / "training.json" + ": tile.limit: must be at least " + std::to_string(least) +
                    ", the bytes of the smallest tile of \"transformer.wpe.weight\", is " +
                    std::to_string(bytes));
    }
  }
  std::unique_ptr<Compiled> smallest = compileJob(narrowGpt2("fp32").with({{"tile", {{"limit", 8 * 4}}}}));
  ASSERT_TRUE(smallest);
  EXPECT_EQ(slicesOf(smallest->plan, "transformer.h.0.mlp.c_proj.weight"), 32);  // its 32 inputs
  EXPECT_EQ(slicesOf(smallest->plan, "transformer.h.0.attn.c_attn.weight"), 24); // its 24 outputs
}

/// Logits of 8 tokens: the smallest tile has a column of them.
TEST(TilesTest, aTileOfAnActivationHoldsAtLeastOneColumn) {
  TemporaryFolder folder;
  Result<plan::Plan> plan = tryCompile(narrowGpt2("fp32").with({{"tile", {{"activation", 31}}}}), folder);
  ASSERT_FALSE(plan);
  EXPECT_EQ(plan.status().message(),
            folder / "training.json" +
                ": tile.activation: must be at least 32, the bytes of the smallest tile behind "
                "\"transformer.wte.weight\", is 31");
}

TEST(TilesTest, checkpointsHoldTheWholeTensorsAndLoadUnderOtherLimits) {
  std::unique_ptr<Compiled> whole = compileJob(tinyGpt2(2, 2)), coarse = compileJob(tiledGpt2("32KiB")),
                            fine = compileJob(tiledGpt2("8KiB"));
  ASSERT_TRUE(whole && coarse && fine);
  TemporaryFolder folder;
  trainAndSave(*whole, folder / "whole");
  const auto states = trainAndSave(*coarse, folder / "coarse");
  for (const char *file : {"/model.safetensors", "/optimizer.safetensors"})
    EXPECT_EQ(tensorsOf(folder / "whole" + file), tensorsOf(folder / "coarse" + file));
  ASSERT_FALSE(states.empty());
  for (const Compiled *other : {whole.get(), coarse.get(), fine.get()})
    EXPECT_EQ(loaded(*other, folder / "coarse"), states);
}

/// The bytes of the largest value that a section computes.
int64_t largestActivation(const plan::Plan &plan) {
  int64_t bytes = 0;
  for (const plan::Buffer &buffer : plan.programs[0].buffers)
    if (buffer.cls == plan::BufferClass::Activation || buffer.cls == plan::BufferClass::Checkpoint ||
        buffer.cls == plan::BufferClass::Feed)
      bytes = std::max(bytes, buffer.bytes);
  return bytes;
}

/// Logits of training, validation and sampling, and inner activations, have 2 x 32 x 256 elements. The
/// largest remaining value is queries, keys and values, with 2 x 32 x 192.
TEST(TilesTest, wideActivationsNeverExistWhole) {
  const Job job = tinyGpt2(2, 1, 2).with({{"validation", {{"fraction", 0.1}, {"every", 2}}}});
  std::unique_ptr<Compiled> whole = compileJob(job);
  ASSERT_TRUE(whole);
  EXPECT_GE(largestActivation(whole->plan), 2 * 32 * 256 * 4);
  RunSettings settings;
  settings.steps = 5;
  const std::vector<double> expected = train(*whole, settings).losses;
  for (const char *compute : {"fp32", "bf16"})
    for (const char *recompute : {"none", "full"}) {
      SCOPED_TRACE(std::string(compute) + " " + recompute);
      std::unique_ptr<Compiled> tiled = compileJob(job.with({{"tile", {{"activation", "16KiB"}}},
                                                             {"recompute", recompute},
                                                             {"precision", {{"compute", compute}}}}));
      ASSERT_TRUE(tiled);
      const bool isNarrow = compute == std::string("bf16");
      EXPECT_EQ(slicesOf(tiled->plan, "transformer.wte.weight"), isNarrow ? 2 : 4);
      EXPECT_EQ(slicesOf(tiled->plan, "transformer.h.0.mlp.c_proj.weight"), isNarrow ? 2 : 4);
      EXPECT_EQ(slicesOf(tiled->plan, "transformer.h.0.attn.c_attn.weight"), 0);
      EXPECT_LE(largestActivation(tiled->plan), 2 * 32 * 192 * 4);
      const std::vector<double> found = train(*tiled, settings).losses;
      ASSERT_EQ(found.size(), 5u);
      for (size_t step = 0; step < 5; ++step)
        EXPECT_NEAR(found[step], expected[step],
                    (isNarrow    ? 0.02
                     : step == 0 ? 1e-6
                                 : 1e-4) *
                        expected[step])
            << step;
    }
}

TEST(TilesTest, gatedMlpsWithBiasesAndUntiedHeads) {
  Job job = tinyGpt2(2, 1);
  job.model = {{"model_type", "llama"},
               {"hidden_size", 64},
               {"intermediate_size", 160},
               {"num_hidden_layers", 2},
               {"num_attention_heads", 4},
               {"num_key_value_heads", 2},
               {"vocab_size", 256},
               {"max_position_embeddings", 32},
               {"tie_word_embeddings", false},
               {"mlp_bias", true}};
  std::unique_ptr<Compiled> whole = compileJob(job),
                            tiled = compileJob(
                                job.with({{"tile", {{"activation", "8KiB"}, {"limit", "32KiB"}}}}));
  ASSERT_TRUE(whole && tiled);
  // Inner activations of 32 x 160 floats, of which 32 x 64 may exist.
  for (const char *part : {"gate", "up", "down"})
    EXPECT_EQ(slicesOf(tiled->plan, "model.layers.1.mlp." + std::string(part) + "_proj.weight"), 3) << part;
  EXPECT_EQ(slicesOf(tiled->plan, "model.layers.1.mlp.gate_proj.bias"), 3);
  EXPECT_EQ(slicesOf(tiled->plan, "model.layers.1.mlp.down_proj.bias"), 0);
  EXPECT_EQ(slicesOf(tiled->plan, "lm_head.weight"), 4);
  EXPECT_EQ(slicesOf(tiled->plan, "model.embed_tokens.weight"), 2);
  // Logits have 32 x 256 elements, inner activations 32 x 160. The largest remaining value is the scores of 4
  // heads, 32 x 32 each.
  EXPECT_GE(largestActivation(whole->plan), 32 * 256 * 4);
  EXPECT_LE(largestActivation(tiled->plan), 4 * 32 * 32 * 4);
  const std::vector<double> expected = train(*whole).losses, found = train(*tiled).losses;
  ASSERT_EQ(found.size(), expected.size());
  for (size_t step = 0; step < found.size(); ++step)
    EXPECT_NEAR(found[step], expected[step], (step == 0 ? 1e-6 : 1e-4) * expected[step]) << step;
}

/// The logits of the sample section after these tokens, with initial values.
std::vector<float> sampledLogits(const Compiled &compiled) {
  std::unique_ptr<Executor> executor = openExecutor(compiled, compiled.plan);
  if (!executor)
    return {};
  RunSettings settings;
  settings.steps = 0;
  trainOn(compiled.plan, *executor, settings);
  SamplingHost host(compiled.plan);
  const std::vector<int32_t> tokens = {119, 105, 110, 100};
  host.begin(tokens);
  Status run = executor->run(plan::Purpose::Sample, host);
  EXPECT_TRUE(run) << run.message();
  return {host.logits().begin(), host.logits().end()};
}

TEST(TilesTest, logitsOfOneTokenAreThoseOfAll) {
  std::unique_ptr<Compiled> whole = compileJob(tinyGpt2(2, 1, 2)),
                            tiled = compileJob(tinyGpt2(2, 1, 2).with({{"tile", {{"activation", "16KiB"}}}}));
  ASSERT_TRUE(whole && tiled);
  const std::vector<float> expected = sampledLogits(*whole), found = sampledLogits(*tiled);
  ASSERT_EQ(expected.size(), 256u);
  ASSERT_EQ(found.size(), 256u);
  for (size_t i = 0; i < found.size(); ++i)
    EXPECT_NEAR(found[i], expected[i], 1e-5) << i;
}

/// The size of the vocabulary is a prime: the last of its four tiles is narrower.
TEST(TilesTest, tilesNeedNotDivideWhatTheyCut) {
  Job job = tinyGpt2(2, 2);
  job.model["vocab_size"] = 257;
  std::unique_ptr<Compiled> whole = compileJob(job),
                            tiled = compileJob(
                                job.with({{"tile", {{"limit", "20KiB"}, {"activation", "9KiB"}}}}));
  ASSERT_TRUE(whole && tiled);
  std::map<int64_t, int64_t> tiles; // first row -> rows
  for (const plan::State &state : tiled->plan.programs[0].states)
    if (state.cls == plan::StateClass::Momentum && state.name == "transformer.wte.weight")
      tiles[state.slice.begin[0]] = state.shape[0];
  EXPECT_EQ(tiles, (std::map<int64_t, int64_t>{{0, 65}, {65, 65}, {130, 65}, {195, 62}}));
  const std::vector<double> expected = train(*whole).losses, found = train(*tiled).losses;
  ASSERT_EQ(found.size(), expected.size());
  for (size_t step = 0; step < found.size(); ++step)
    EXPECT_NEAR(found[step], expected[step], (step == 0 ? 1e-6 : 1e-4) * expected[step]) << step;
  TemporaryFolder folder;
  const auto states = trainAndSave(*tiled, folder / "tiled");
  EXPECT_EQ(loaded(*whole, folder / "tiled"), states);
}

class TilesOnRanks : public testing::TestWithParam<int> {};

TEST_P(TilesOnRanks, decisionsDoNotChangeThem) {
  Job job = tinyGpt2(GetParam(), 2);
  job.training["tile"] = {{"limit", "16KiB"}, {"activation", "8KiB"}};
  std::unique_ptr<Compiled> base = compileJob(job);
  ASSERT_TRUE(base);
  const Outcome expected = train(*base);
  const json nvme = {{"param", "nvme"}, {"grad", "nvme"}, {"moments", "nvme"}},
             host = {{"param", "host"}, {"grad", "host"}, {"moments", "host"}};
  const std::vector<json> patches = {
      {{"recompute", "full"}},
      {{"placement", nvme}, {"zero_stage", 3}},
      {{"placement", host}, {"zero_stage", 3}, {"recompute", "full"}},
      {{"zero_stage", 1}, {"placement", {{"moments", "host"}}}},
      {{"placement", nvme}, {"zero_stage", 3}, {"recompute", "full"}, {"bucket", "16KiB"}}};
  for (const json &patch : patches) {
    SCOPED_TRACE(patch.dump());
    std::unique_ptr<Compiled> decided = compileJob(job.with(patch));
    ASSERT_TRUE(decided);
    ASSERT_EQ(decided->plan.numerics, base->plan.numerics);
    EXPECT_NE(programText(decided->plan), programText(base->plan));
    expectSameBits(expected, train(*decided));
  }
}

INSTANTIATE_TEST_SUITE_P(Ranks, TilesOnRanks, testing::Values(1, 4), testing::PrintToStringParamName());

/// The model has a matrix of 4 MiB, which no device of the job holds beside its gradient.
TEST(TilesTest, aRefusalNamesTheTilesThatFitAndAutoTakesThem) {
  Job job = biasFreeMlp({64, 1024, 1024, 16}, 2, 1);
  job.hardware["device"]["capacity"] = "4MiB";
  TemporaryFolder folder;
  Result<plan::Plan> refused = tryCompile(job, folder);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.status().code(), ExitCode::CannotFit);
  static const std::regex keys(
      R"re("tile": (\{"limit": (\d+), "activation": \d+\}) in .*, or --tile auto)re");
  const std::string message = refused.status().message();
  std::smatch found;
  ASSERT_TRUE(std::regex_search(message, found, keys)) << message;
  const Job named = job.with({{"tile", json::parse(found[1].str())}});
  EXPECT_TRUE(compileJob(named));
  Job larger = named;
  larger.training["tile"]["limit"] = 2 * std::stoll(found[2]);
  EXPECT_FALSE(tryCompile(larger, TemporaryFolder())) << "of the limits tried, the next fits too";

  job.chooseTiles = true;
  std::unique_ptr<Compiled> chosen = compileJob(job), asked = compileJob(named);
  ASSERT_TRUE(chosen && asked);
  EXPECT_EQ(json::parse(chosen->plan.numerics)["tile_limit"].dump(), found[2].str());
  EXPECT_TRUE(json::parse(chosen->plan.numerics)["attention_blocking"].is_null());
  EXPECT_EQ(chosen->plan.numerics, asked->plan.numerics);
  EXPECT_EQ(programText(chosen->plan), programText(asked->plan));
  const plan::Reason &why = whyOf(chosen->plan, "tile");
  EXPECT_EQ(std::to_string(plan::wholeOf(why.figures, plan::Figure::TileBytes)), found[2].str());
  EXPECT_NE(plan::reasonText(why).find(plan::tileKeysText(why.figures)), std::string::npos);
  expectSameBits(train(*chosen), train(*asked));
}

/// Two tensor ranks have halves of a matrix of 4 MiB, which no device holds beside their gradients.
TEST(TilesTest, autoCutsWhatATensorRankHas) {
  Job job = biasFreeMlp({64, 1024, 1024, 16}, 2, 1).with({{"parallel", {{"data", 1}, {"tensor", 2}}}});
  job.hardware["device"]["capacity"] = "2MiB";
  TemporaryFolder folder;
  Result<plan::Plan> refused = tryCompile(job, folder);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.status().message().find(", or --tile auto"), std::string::npos)
      << refused.status().message();
  job.chooseTiles = true;
  std::unique_ptr<Compiled> chosen = compileJob(job);
  ASSERT_TRUE(chosen);
  EXPECT_TRUE(std::ranges::any_of(chosen->plan.programs[0].states, [](const plan::State &state) {
    return !state.slice.whole.empty() && !state.split.whole.empty();
  }));
}

/// The warnings of compiling a job, without the name of the training file. With a strategy, which replaces
/// decisions of the training file: the warnings without the name of the strategy file.
std::vector<std::string> warningsOf(const Job &job, const json &strategy = {}) {
  TemporaryFolder folder;
  CompileRequest request;
  request.model = folder.write("config.json", job.model.dump());
  request.training = folder.write("training.json", job.training.dump());
  request.hardware = folder.write("machine.json", job.hardware.dump());
  if (!strategy.is_null())
    request.strategy = folder.write("strategy.json", strategy.dump());
  std::vector<std::string> warnings;
  request.warn = [&](const std::string &text) {
    const std::string &file = request.decisions();
    warnings.push_back(text.starts_with(file + ": ") ? text.substr(file.size() + 2) : text);
  };
  Result<plan::Plan> plan = compile(request);
  EXPECT_TRUE(plan) << plan.status().message();
  return warnings;
}

/// A matrix of queries, keys and values has parts that no tile lies in. It stays whole, and a warning names
/// it.
TEST(TilesTest, whatStaysWholeBesideTensorRanksIsNamed) {
  const json tensor = {{"tile", {{"limit", "16KiB"}}}, {"parallel", {{"data", 1}, {"tensor", 2}}}};
  const std::string expected =
      "tile.limit: leaves whole what tiles cut on one rank: "
      "\"transformer.h.0.attn.c_attn.weight\" and 1 other parameter, of which ranks of "
      "parallel.tensor 2 have parts that no tile lies in";
  EXPECT_EQ(warningsOf(tinyGpt2(2, 1).with(tensor)), std::vector<std::string>{expected});
}

/// Two ranks do not divide fifteen rows of activations, so that the rows lie whole on each of them.
TEST(TilesTest, rowsThatRanksDoNotDivideAreNamed) {
  const std::string expected =
      "sequence_parallel: has no effect: what lies whole between products has no rows that "
      "2 ranks divide";
  for (int64_t sequence : {15, 16}) {
    Job job = tinyGpt2(2, 1).with({{"sequence", sequence}, {"sequence_parallel", true}});
    job.training["parallel"] = {{"data", 1}, {"tensor", 2}};
    job.model["n_positions"] = 16;
    EXPECT_EQ(warningsOf(job),
              sequence == 15 ? std::vector<std::string>{expected} : std::vector<std::string>());
  }
}

TEST(TilesTest, decisionsAboutRanksThatAreNotThereAreNamed) {
  const Job job = tinyGpt2(2, 2).with(
      {{"sequence_parallel", false}, {"pipeline", {{"schedule", "gpipe"}, {"cut", {2}}}}});
  EXPECT_EQ(warningsOf(job),
            (std::vector<std::string>{"sequence_parallel: has no effect without parallel.tensor",
                                      "pipeline.schedule: has no effect without parallel.pipeline",
                                      "pipeline.cut: has no effect without parallel.pipeline"}));
  EXPECT_EQ(warningsOf(tinyGpt2(2, 2)), std::vector<std::string>());
  const json whole = {{"parallel", {{"data", 1}, {"tensor", 2}}},
                      {"sequence_parallel", false},
                      {"reshard_activations", true}};
  EXPECT_EQ(warningsOf(tinyGpt2(2, 2).with(whole)),
            std::vector<std::string>{"reshard_activations: has no effect without sequence_parallel"});
  const json rows = {{"parallel", {{"data", 1}, {"tensor", 2}}},
                     {"sequence_parallel", true},
                     {"checkpoint_partition", false}};
  EXPECT_EQ(warningsOf(tinyGpt2(2, 2).with(rows)),
            std::vector<std::string>{"checkpoint_partition: has no effect beside sequence_parallel: each "
                                     "rank keeps rows of its own"});
  const auto groups = [](int64_t ranksOfAGroup) {
    return tinyGpt2(4, 2).with(
        {{"parallel", {{"data", 4}, {"shard", ranksOfAGroup}, {"optimizer_shard", "all"}}}});
  };
  EXPECT_EQ(warningsOf(groups(2)), std::vector<std::string>());
  EXPECT_EQ(
      warningsOf(groups(4)),
      std::vector<std::string>{"parallel.optimizer_shard: has no effect: no groups of ranks hold copies"});
}

TEST(TilesTest, decisionsOfAStrategyAreNamedByItsFile) {
  EXPECT_EQ(warningsOf(tinyGpt2(2, 2), {{"format", "windlass.strategy/1"}, {"sequence_parallel", true}}),
            std::vector<std::string>{"sequence_parallel: has no effect without parallel.tensor"});
}

/// No mesh holds the whole matrix, so that meshes are tried with tiles. The reason of the mesh names the
/// tiles.
TEST(TilesTest, autoCutsWhatNoMeshHolds) {
  Job job = biasFreeMlp({64, 1024, 1024, 16}, 2, 1);
  job.hardware["device"]["capacity"] = "2MiB";
  TemporaryFolder folder;
  CompileRequest request;
  request.model = folder.write("model.json", job.model.dump());
  request.training = folder.write("training.json", job.training.dump());
  request.hardware = folder.write("machine.json", job.hardware.dump());
  request.output = folder / "plan";
  request.parallel = "auto";
  Result<plan::Plan> whole = compile(request);
  ASSERT_FALSE(whole);
  EXPECT_EQ(whole.status().code(), ExitCode::CannotFit);
  request.chooseTiles = true;
  Result<plan::Plan> plan = compile(request);
  ASSERT_TRUE(plan) << plan.status().message();
  const std::string tried = plan::reasonText(whyOf(*plan, "parallel"));
  EXPECT_NE(tried.find("data=1,tensor=2, 2 micro-batches: tiles of "), std::string::npos) << tried;
  EXPECT_NE(tried.find(plan::tileKeysText(whyOf(*plan, "tile").figures)), std::string::npos) << tried;
  EXPECT_TRUE(std::filesystem::exists(folder / "plan/kernels.so"));
}

TEST(TilesTest, autoLeavesWhatFitsAsItIs) {
  Job job = tinyGpt2(1, 1);
  std::unique_ptr<Compiled> whole = compileJob(job);
  job.chooseTiles = true;
  std::unique_ptr<Compiled> open = compileJob(job);
  ASSERT_TRUE(whole && open);
  EXPECT_EQ(open->plan.numerics, whole->plan.numerics);
}

TEST(TilesTest, aTileIsAShardUnitOfItsOwn) {
  std::unique_ptr<Compiled> tiled =
      compileJob(biasFreeMlp({64, 512, 512, 16}, 2, 2).with({{"tile", {{"limit", "256KiB"}}}}));
  ASSERT_TRUE(tiled);
  std::map<std::string, int64_t> units;
  for (const plan::State &state : tiled->plan.programs[0].states)
    if (state.cls == plan::StateClass::Parameter && state.name == "fc.1.weight")
      units[state.unit] += elementsOf(state);
  EXPECT_EQ(units, (std::map<std::string, int64_t>{{"fc.1.weight.tile0", 512 * 128},
                                                   {"fc.1.weight.tile1", 512 * 128},
                                                   {"fc.1.weight.tile2", 512 * 128},
                                                   {"fc.1.weight.tile3", 512 * 128}}));
}

} // namespace
