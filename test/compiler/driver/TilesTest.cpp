// A linear layer over tile.limit becomes tiles, each a state of its own. What a person sees stays: initial
// values, and tensors of checkpoints, are those of the untiled model.
#include "runtime/base/Safetensors.h"
#include "runtime/training/Checkpoint.h"
#include "test/support/EndToEnd.h"
#include <gtest/gtest.h>

using namespace windlass;
using namespace windlass::test;

namespace {

/// GPT-2 whose four linear layers (48, 16, 64 and 64 KiB) exceed the limit; the tied embedding is no linear
/// layer where it embeds, so it stays whole.
Job tiledGpt2(const std::string &limit) { return tinyGpt2(2, 2).with({{"tile", {{"limit", limit}}}}); }

int64_t slicesOf(const plan::Plan &plan, const std::string &name) {
  return std::count_if(plan.states.begin(), plan.states.end(), [&](const plan::State &state) {
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

/// Trains and saves; the states as they are in memory.
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
  EXPECT_EQ(slicesOf(tiled->plan, "transformer.wte.weight"), 0);
  EXPECT_NE(whole->plan.numerics, tiled->plan.numerics);
  RunSettings settings;
  settings.steps = 0;
  EXPECT_EQ(train(*whole, settings).states, train(*tiled, settings).states);
  settings.steps = 5;
  const std::vector<double> expected = train(*whole, settings).losses, found = train(*tiled, settings).losses;
  ASSERT_EQ(expected.size(), 5u);
  ASSERT_EQ(found.size(), 5u);
  // Tiles change the order in which f32 sums are made, and AdamW turns a gradient near zero into a step of
  // the learning rate: five steps stay well within 1e-4.
  for (size_t step = 0; step < 5; ++step)
    EXPECT_NEAR(found[step], expected[step], (step == 0 ? 1e-6 : 1e-4) * expected[step]) << step;
}

/// An MLP's second matrix has outputs of 256 values each: nothing smaller than one of them can be a tile.
TEST(TilesTest, aTileHoldsAtLeastOneOutput) {
  for (const char *compute : {"fp32", "bf16"}) {
    const int64_t least = 256 * (compute == std::string("fp32") ? 4 : 2);
    auto limited = [&](int64_t bytes) {
      return tinyGpt2(1, 1).with({{"precision", {{"compute", compute}}}, {"tile", {{"limit", bytes}}}});
    };
    for (int64_t bytes : {int64_t(1), int64_t(64), least - 1}) {
      TemporaryFolder folder;
      Result<plan::Plan> plan = tryCompile(limited(bytes), folder);
      ASSERT_FALSE(plan) << bytes;
      EXPECT_EQ(plan.status().code(), ExitCode::BadInput);
      EXPECT_EQ(plan.status().message(),
                folder / "training.json" + ": tile.limit: must be at least " + std::to_string(least) +
                    ", the bytes of one output of \"transformer.h.0.mlp.c_proj.weight\", is " +
                    std::to_string(bytes));
    }
    std::unique_ptr<Compiled> smallest = compileJob(limited(least));
    ASSERT_TRUE(smallest);
    EXPECT_EQ(slicesOf(smallest->plan, "transformer.h.0.mlp.c_proj.weight"), 64);
  }
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

TEST(TilesTest, decisionsDoNotChangeThem) {
  std::unique_ptr<Compiled> base = compileJob(tiledGpt2("16KiB"));
  ASSERT_TRUE(base);
  const Outcome expected = train(*base);
  const json nvme = {{"param", "nvme"}, {"grad", "nvme"}, {"moments", "nvme"}};
  const std::vector<json> patches = {{{"recompute", "full"}},
                                     {{"placement", nvme}},
                                     {{"zero_stage", 1}},
                                     {{"placement", nvme}, {"recompute", "full"}, {"bucket", "16KiB"}}};
  for (const json &patch : patches) {
    SCOPED_TRACE(patch.dump());
    std::unique_ptr<Compiled> decided = compileJob(tiledGpt2("16KiB").with(patch));
    ASSERT_TRUE(decided);
    ASSERT_EQ(decided->plan.numerics, base->plan.numerics);
    EXPECT_NE(programText(decided->plan), programText(base->plan));
    expectSameBits(expected, train(*decided));
  }
}

TEST(TilesTest, aTileIsAShardUnitOfItsOwn) {
  std::unique_ptr<Compiled> tiled =
      compileJob(biasFreeMlp({64, 512, 512, 16}, 2, 2).with({{"tile", {{"limit", "256KiB"}}}}));
  ASSERT_TRUE(tiled);
  std::map<std::string, int64_t> units;
  for (const plan::State &state : tiled->plan.states)
    if (state.cls == plan::StateClass::Parameter && state.name == "fc.1.weight")
      units[state.unit] += elementsOf(state);
  EXPECT_EQ(units, (std::map<std::string, int64_t>{{"fc.1.weight.tile0", 512 * 128},
                                                   {"fc.1.weight.tile1", 512 * 128},
                                                   {"fc.1.weight.tile2", 512 * 128},
                                                   {"fc.1.weight.tile3", 512 * 128}}));
}

} // namespace
