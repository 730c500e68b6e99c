// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An fp16 run scales its loss. Scales change only exponents. An overflow on any rank and in any micro-batch
// skips the step on all ranks, and a skipped step changes no bit of a state on any tier.
#include "runtime/plan/Enums.h"
#include "runtime/plan/Layout.h"
#include "runtime/training/Run.h"
#include "test/support/Folders.h"
#include "test/support/MeshJobs.h"
#include "test/support/TensorFile.h"
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <gtest/gtest.h>
#include <map>

using namespace windlass;
using namespace windlass::test;
using plan::BufferClass;
using plan::Tier;

namespace {

json fp16(json scale) {
  scale["compute"] = "fp16";
  return {{"precision", scale}};
}

json placed(Tier tier) {
  const std::string_view word = plan::textOf(tier);
  return {{"placement", {{"param", word}, {"grad", word}, {"master", word}, {"moments", word}}}};
}

/// Trains up to `steps` in `out`, from the newest checkpoint there, and returns the folder of the last
/// checkpoint. Writes the gradients of the first step to OUT/gradients.safetensors.
std::string runDumping(const Compiled &compiled, int64_t steps, const std::string &out) {
  RunOptions options;
  options.planFolder = compiled.planFolder();
  options.data = "synthetic:5";
  options.steps = steps;
  options.outFolder = out;
  options.gradientsFile = out + "/gradients.safetensors";
  options.quiet = true;
  Status status = runPlan(compiled.plan, options, [](const plan::Plan &plan, const ExecutorOptions &chosen) {
    return Executor::create(plan, chosen);
  });
  EXPECT_TRUE(status) << status.message();
  char name[64];
  std::snprintf(name, sizeof name, "/checkpoints/step-%08d", static_cast<int>(steps));
  return out + name;
}

/// x -> 8 -> 4 without activation functions, so that every gradient is a sum of products of inputs.
Job linear(int64_t ranks, int64_t microBatches) { return biasFreeMlp({16, 8, 4}, ranks, microBatches); }

TEST(LossScaleTest, scalesOfTheRangeGiveTheSameBits) {
  std::unique_ptr<Compiled> small = compileJob(linear(2, 2).with(fp16({{"loss_scale", 1024}})));
  std::unique_ptr<Compiled> large = compileJob(linear(2, 2).with(fp16({{"loss_scale", 16384}})));
  ASSERT_TRUE(small && large);
  EXPECT_EQ(json::parse(small->plan.numerics)["loss_scale"], 1024.0);
  const Outcome expected = train(*small);
  EXPECT_EQ(expected.scales.front(), 1024);
  expectSameBits(expected, train(*large));
}

/// Gradients are dumped in f32, in which they lose no bit. With one micro-batch they rest in f16.
TEST(LossScaleTest, gradientsAreDumpedUnscaled) {
  for (int64_t microBatches : {1, 2}) {
    TemporaryFolder folder;
    std::string dumped;
    for (double scale : {256., 16384.}) {
      std::unique_ptr<Compiled> compiled =
          compileJob(linear(2, microBatches).with(fp16({{"loss_scale", scale}})));
      ASSERT_TRUE(compiled);
      for (const plan::State &gradient : compiled->plan.programs[0].gradients)
        EXPECT_EQ(gradient.type, microBatches == 1 ? plan::ElementType::F16 : plan::ElementType::F32);
      const std::string out = folder / std::to_string(scale);
      runDumping(*compiled, 1, out);
      const std::string file = readText(out + "/gradients.safetensors");
      EXPECT_NE(file.find("\"F32\""), std::string::npos);
      EXPECT_EQ(file.find("\"F16\""), std::string::npos);
      EXPECT_TRUE(dumped.empty() || file == dumped);
      dumped = file;
    }
  }
}

/// The smallest gradient of f16 is 2^-24. At scale 1 many gradients are lost, but the losses of a short run
/// stay close.
TEST(LossScaleTest, aScaleOfOneStaysWithinTheToleranceOfF16) {
  std::unique_ptr<Compiled> none = compileJob(tinyGpt2(2, 2).with(fp16({{"loss_scale", 1}})));
  std::unique_ptr<Compiled> some = compileJob(tinyGpt2(2, 2).with(fp16({{"loss_scale", 1024}})));
  ASSERT_TRUE(none && some);
  const Outcome unscaled = train(*none), scaled = train(*some);
  EXPECT_NE(unscaled.reports.at("grad_norm"), scaled.reports.at("grad_norm"));
  for (size_t step = 0; step < 3; ++step)
    EXPECT_NEAR(unscaled.losses[step], scaled.losses[step], 2e-3 * scaled.losses[step]) << step;
}

/// The scale begins far too high, and grows after every two finite steps.
Job overflowing(int64_t ranks, int64_t microBatches) {
  return tinyGpt2(ranks, microBatches).with(fp16({{"initial_loss_scale", 0x1p40}, {"loss_scale_window", 2}}));
}

/// Each plan has its states on one tier. All skip the same steps, and end with the same bits.
TEST(LossScaleTest, aSkippedStepChangesNothingOnAnyTier) {
  Outcome first;
  for (Tier tier : {Tier::Device, Tier::Host, Tier::Nvme}) {
    SCOPED_TRACE(plan::textOf(tier));
    std::unique_ptr<Compiled> compiled = compileJob(overflowing(2, 2).with(placed(tier)));
    ASSERT_TRUE(compiled);
    for (const plan::State &state : compiled->plan.programs[0].states)
      ASSERT_EQ(compiled->plan.programs[0].buffers[state.home.buffer].tier, tier) << state.name;
    RunSettings settings;
    settings.steps = 30;
    const Outcome all = train(*compiled, settings);
    ASSERT_EQ(all.skipped.size(), 30u);
    const int64_t start = std::ranges::find(all.skipped, false) - all.skipped.begin();
    const int64_t later =
        std::find(all.skipped.begin() + start, all.skipped.end(), true) - all.skipped.begin();
    ASSERT_GT(start, 5);
    ASSERT_LT(later, 30) << "no overflow after the states began to move";
    for (int64_t step = 0; step < start; ++step)
      EXPECT_EQ(all.scales[step], std::ldexp(1.0, 40 - static_cast<int>(step)));
    // States before and after a skipped step are equal, at the start and later.
    auto statesAfter = [&](int64_t steps) {
      settings.steps = steps;
      return train(*compiled, settings).states;
    };
    const auto untouched = statesAfter(0), moved = statesAfter(later);
    EXPECT_EQ(statesAfter(start), untouched);
    EXPECT_NE(moved, untouched);
    EXPECT_EQ(statesAfter(later + 1), moved);
    if (first.reports.empty())
      first = all;
    expectSameBits(first, all);
    EXPECT_EQ(first.skipped, all.skipped);
  }
}

/// One example of eight has features so large that its gradient overflows.
TEST(LossScaleTest, anOverflowOnOneRankInOneMicroBatchSkipsTheStepForAll) {
  std::unique_ptr<Compiled> compiled =
      compileJob(biasFreeMlp({16, 8, 4}, 2, 2, 2).with(fp16({{"loss_scale", 1024}})));
  ASSERT_TRUE(compiled);
  TemporaryFolder folder;
  for (int64_t place = 0; place < 8; ++place) {
    std::vector<float> x(8 * 16, 0.25f), y(8 * 4, 0.5f);
    x[static_cast<size_t>(place * 16)] = 60000;
    RunSettings settings;
    settings.steps = 1;
    settings.data = writeTensors(folder / ("data" + std::to_string(place) + ".safetensors"),
                                 {{"x", tensorOf("F32", {8, 16}, x)}, {"y", tensorOf("F32", {8, 4}, y)}});
    const Outcome outcome = train(*compiled, settings);
    EXPECT_EQ(outcome.skipped, std::vector<bool>{true}) << place;
    const std::vector<uint32_t> &norms = outcome.reports.at("grad_norm");
    ASSERT_EQ(norms.size(), 2u);
    for (uint32_t norm : norms)
      EXPECT_FALSE(std::isfinite(std::bit_cast<float>(norm))) << place;
    settings.steps = 0;
    EXPECT_EQ(outcome.states, train(*compiled, settings).states) << place;
  }
}

/// The largest element of each gradient in the file of a run of one step.
std::map<std::string, float> largestIn(const std::string &gradients) {
  const std::string text = readText(gradients);
  uint64_t headerBytes = 0;
  std::memcpy(&headerBytes, text.data(), sizeof headerBytes);
  const json header = json::parse(text.substr(sizeof headerBytes, headerBytes));
  std::map<std::string, float> largest;
  for (const auto &[name, tensor] : header.items()) {
    if (name == "__metadata__")
      continue;
    const auto begin = tensor["data_offsets"][0].get<size_t>(), end = tensor["data_offsets"][1].get<size_t>();
    for (size_t at = begin; at < end; at += sizeof(float)) {
      float value = 0;
      std::memcpy(&value, text.data() + sizeof headerBytes + headerBytes + at, sizeof value);
      largest[name] = std::max(largest[name], std::fabs(value));
    }
  }
  return largest;
}

/// The scale lies between those at which the gradients of one stage overflow and those at which the gradients
/// of a second stage do. All stages skip the step.
TEST(LossScaleTest, anOverflowOnOneStageSkipsTheStepForAll) {
  constexpr double kMost = 65504;
  for (const MeshShape &mesh : {MeshShape{1, 1, 4}, {1, 2, 2}}) {
    SCOPED_TRACE(std::to_string(mesh.tensor) + " x " + std::to_string(mesh.stages));
    const Job job = onMesh(deepGpt2().with({{"micro_batches", 1}}), mesh);
    const auto compiledAt = [&](double scale) {
      return compileJob(job.with(fp16({{"initial_loss_scale", scale}})));
    };
    TemporaryFolder folder;
    std::unique_ptr<Compiled> small = compiledAt(1024);
    ASSERT_TRUE(small);
    runDumping(*small, 1, folder / "out");
    const auto largest = largestIn(folder / "out" + "/gradients.safetensors");
    std::vector<double> byStage;
    for (const plan::Program &program : small->plan.programs) {
      double &most = byStage.emplace_back();
      for (const plan::State &gradient : program.gradients)
        most = std::max<double>(most, largest.at(gradient.name));
    }
    std::ranges::sort(byStage, std::greater());
    ASSERT_GT(byStage[0], 1.01 * byStage[1]);
    std::unique_ptr<Compiled> between = compiledAt(kMost / std::sqrt(byStage[0] * byStage[1])),
                              below = compiledAt(kMost / byStage[0] / 1.01);
    ASSERT_TRUE(between && below);
    RunSettings settings;
    settings.steps = 1;
    const Outcome outcome = train(*between, settings);
    EXPECT_TRUE(outcome.skipped.front());
    EXPECT_FALSE(train(*below, settings).skipped.front());
    for (uint32_t norm : outcome.reports.at("grad_norm"))
      EXPECT_FALSE(std::isfinite(std::bit_cast<float>(norm)));
    settings.steps = 0;
    EXPECT_EQ(outcome.states, train(*between, settings).states);
  }
}

/// In PyTorch the forward pass changes running statistics even in a step that overflows. Here they are
/// states, and stay.
TEST(LossScaleTest, aSkippedStepKeepsRunningStatistics) {
  Job job = tinyGpt2(2, 1, 4).with(fp16({{"initial_loss_scale", 0x1p40}}));
  job.modelFile = std::string(WINDLASS_SOURCE_DIR) + "/test/fixtures/onnx/resnet.script.17.raw.onnx";
  std::unique_ptr<Compiled> compiled = compileJob(job);
  ASSERT_TRUE(compiled);
  ASSERT_TRUE(std::ranges::any_of(compiled->plan.programs[0].states,
                                  [](const plan::State &state) { return state.group == "statistics"; }));
  RunSettings settings;
  settings.steps = 2;
  const Outcome skipped = train(*compiled, settings);
  EXPECT_EQ(skipped.skipped, (std::vector<bool>{true, true}));
  settings.steps = 0;
  EXPECT_EQ(skipped.states, train(*compiled, settings).states);
}

/// In fp16, every launch that writes a master reads the norm, even without clipping.
TEST(LossScaleTest, noUpdateBeginsBeforeTheNormIsKnown) {
  for (const std::string compute : {"bf16", "fp16"}) {
    Job job = tinyGpt2(2, 2).with({{"precision", {{"compute", compute}}}, {"clip", 0}});
    std::unique_ptr<Compiled> compiled = compileJob(job.with(placed(Tier::Device)));
    ASSERT_TRUE(compiled);
    const plan::Plan &plan = compiled->plan;
    std::optional<uint32_t> reported, norm; // buffers of the norm on the host and on the device
    int64_t updates = 0, informed = 0;
    for (const plan::Section &section : plan.programs[0].sections)
      for (const plan::Instruction &instruction : section.instructions)
        if (instruction.op == plan::Opcode::Report && instruction.item == "grad_norm")
          reported = instruction.operands[0].buffer;
    for (const plan::Section &section : plan.programs[0].sections)
      for (const plan::Instruction &instruction : section.instructions)
        if (instruction.op == plan::Opcode::Offload && instruction.operands[1].buffer == reported)
          norm = instruction.operands[0].buffer;
    ASSERT_TRUE(norm);
    for (const plan::Section &section : plan.programs[0].sections)
      for (const plan::Instruction &instruction : section.instructions) {
        bool writesMaster = false, readsNorm = false;
        for (size_t i = 0; i < instruction.operands.size(); ++i) {
          const plan::Operand &operand = instruction.operands[i];
          const plan::Access access = accessOf(plan, instruction, i);
          writesMaster |=
              plan.programs[0].buffers[operand.buffer].cls == BufferClass::Master && plan::writes(access);
          readsNorm |= operand.buffer == *norm && plan::reads(access);
        }
        updates += writesMaster;
        informed += writesMaster && readsNorm;
      }
    EXPECT_GT(updates, 0);
    EXPECT_EQ(informed, compute == "fp16" ? updates : 0);
  }
}

/// The run is interrupted while the scale falls and while it grows, and goes on with states on another tier.
TEST(LossScaleTest, aResumedRunGoesOnWithItsScale) {
  TemporaryFolder folder;
  std::unique_ptr<Compiled> device = compileJob(overflowing(2, 1).with(placed(Tier::Device)));
  std::unique_ptr<Compiled> nvme = compileJob(overflowing(2, 1).with(placed(Tier::Nvme)));
  ASSERT_TRUE(device && nvme);
  const std::string straight = runDumping(*device, 32, folder / "straight");
  runDumping(*device, 7, folder / "broken");
  runDumping(*nvme, 27, folder / "broken");
  const std::string resumed = runDumping(*device, 32, folder / "broken");
  for (const char *file : {"/model.safetensors", "/optimizer.safetensors", "/trainer_state.json"})
    EXPECT_EQ(readText(resumed + file), readText(straight + file)) << file;
  const json trainer = json::parse(readText(straight + "/trainer_state.json"));
  EXPECT_GT(trainer["loss_scale"]["skipped_steps"].get<int64_t>(), 7);
  EXPECT_LT(trainer["loss_scale"]["skipped_steps"].get<int64_t>(), 32);
}

} // namespace
