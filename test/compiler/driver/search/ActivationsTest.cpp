// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Recomputation per activation: the activations of a strategy's list are kept, the others are recomputed, and
// no bit changes. Where not all activations fit, the planner keeps the most valuable.
#include "runtime/plan/Layout.h"
#include "runtime/plan/Reasons.h"
#include "test/support/Canaries.h"
#include <algorithm>
#include <gtest/gtest.h>

using namespace windlass;
using namespace windlass::test;

namespace {

int64_t repeated(const plan::Plan &plan) {
  return countTraining(plan, [](const plan::Instruction &instruction) {
    return instruction.op == plan::Opcode::Launch && instruction.origin.phase == plan::Phase::Recompute;
  });
}

const plan::Arena &deviceOf(const Compiled &compiled) {
  return *plan::arenaOf(compiled.plan.programs[0], plan::Tier::Device);
}

/// Four layers, with all homes on the device.
Job fourLayers() {
  Job job = tinyGpt2(2, 2).with(
      {{"zero_stage", 2},
       {"placement",
        {{"param", "device"}, {"grad", "device"}, {"moments", "device"}, {"checkpoint", "device"}}}});
  job.model["n_layer"] = 4;
  return job;
}

const json kSome = {"attention.0", "matmul.0", "matmul.2"};

json keeping(const std::string &function, const json &names) { return {{"keep", {{function, names}}}}; }

TEST(Activations, thatAreNotKeptAreRepeatedAndNoBitIsAnother) {
  std::unique_ptr<Compiled> none = compileJob(fourLayers().with({{"recompute", "none"}})),
                            some = compileJob(fourLayers().with({{"recompute", keeping("block", kSome)}})),
                            nothing = compileJob(
                                fourLayers().with({{"recompute", keeping("block", json::array())}})),
                            full = compileJob(fourLayers().with({{"recompute", "full"}}));
  ASSERT_TRUE(none && some && nothing && full);
  EXPECT_GT(repeated(some->plan), 0);
  EXPECT_LT(repeated(some->plan), repeated(full->plan));
  EXPECT_LT(deviceOf(*some).lowerBound, deviceOf(*none).lowerBound);
  EXPECT_GT(deviceOf(*some).lowerBound, deviceOf(*full).lowerBound);
  EXPECT_EQ(programText(nothing->plan), programText(full->plan));
  const Outcome expected = train(*none);
  expectSameBits(expected, train(*some));
  expectSameBits(expected, train(*full));
}

TEST(Activations, replayDropout) {
  Job job = fourLayers();
  for (const char *rate : {"embd_pdrop", "attn_pdrop", "resid_pdrop"})
    job.model[rate] = 0.1;
  std::unique_ptr<Compiled> none = compileJob(job.with({{"recompute", "none"}})),
                            some = compileJob(job.with({{"recompute", keeping("block.train", kSome)}}));
  ASSERT_TRUE(none && some);
  EXPECT_GT(repeated(some->plan), 0);
  expectSameBits(train(*none), train(*some));
}

TEST(Activations, restWhereCheckpointsDo) {
  const json onHost = {{"placement", {{"checkpoint", "host"}}}, {"recompute", keeping("block", kSome)}};
  std::unique_ptr<Compiled> device = compileJob(fourLayers().with({{"recompute", keeping("block", kSome)}})),
                            host = compileJob(fourLayers().with(onHost));
  ASSERT_TRUE(device && host);
  EXPECT_LT(deviceOf(*host).lowerBound, deviceOf(*device).lowerBound);
  const json homes = json::parse(host->plan.strategy)["placement"]["checkpoint"];
  EXPECT_EQ(homes, "host");
  expectSameBits(train(*device), train(*host));
}

/// A layer's input has 7680 bytes, and its statistics 120. The disk stores them in whole blocks.
TEST(Activations, restOnADiskWhoseBlocksTheyDoNotFill) {
  const Job job = fourLayers().with({{"sequence", 30}});
  const json onDisk = {{"placement", {{"checkpoint", "nvme"}}}};
  std::unique_ptr<Compiled> none = compileJob(job.with({{"recompute", "none"}}));
  ASSERT_TRUE(none);
  const Outcome expected = train(*none);
  for (const json &kept : {json::array(), json({"layer_norm.0", "layer_norm.0#1", "layer_norm.0#2"})}) {
    std::unique_ptr<Compiled> some =
        compileJob(job.with({{"recompute", keeping("block", kept)}}).with(onDisk));
    ASSERT_TRUE(some);
    EXPECT_TRUE(std::ranges::any_of(some->plan.programs[0].buffers, [](const plan::Buffer &buffer) {
      return buffer.cls == plan::BufferClass::Checkpoint && buffer.tier == plan::Tier::Nvme;
    }));
    expectSameBits(expected, expectOnlyPlannedBytes(*some));
  }
}

/// The device has room for half of the bytes that the recomputation of every layer saves.
TEST(Activations, areChosenWhereNotAllFindRoom) {
  std::unique_ptr<Compiled> none = compileJob(fourLayers().with({{"recompute", "none"}})),
                            full = compileJob(fourLayers().with({{"recompute", "full"}}));
  ASSERT_TRUE(none && full);
  Job job = fourLayers();
  job.hardware["device"]["capacity"] =
      (deviceOf(*full).lowerBound + deviceOf(*none).lowerBound) / 2 / 4096 * 4096;
  std::unique_ptr<Compiled> repeatsAll = compileJob(job.with({{"recompute", "full"}})),
                            chosen = compileJob(job.with({{"recompute", "per-activation"}}));
  ASSERT_TRUE(repeatsAll && chosen);
  const json taken = json::parse(chosen->plan.strategy)["recompute"];
  ASSERT_TRUE(taken.is_object()) << taken;
  EXPECT_LT(repeated(chosen->plan), repeated(full->plan));
  EXPECT_LT(chosen->plan.prediction.stepSeconds, repeatsAll->plan.prediction.stepSeconds);
  const plan::Reason &why = whyOf(chosen->plan, "recompute");
  ASSERT_TRUE(plan::takenTrial(why));
  const plan::Figures &keeps = plan::takenTrial(why)->figures;
  EXPECT_GT(plan::wholeOf(keeps, plan::Figure::KeptBytes), 0);
  EXPECT_LT(plan::wholeOf(keeps, plan::Figure::KeptBytes), plan::wholeOf(keeps, plan::Figure::ResidualBytes));
  EXPECT_TRUE(plan::findTrial(why, "full"));
  expectSameBits(train(*none), train(*chosen));
  Job again = job;
  again.strategy = chosen->folder.write("strategy.json", chosen->plan.strategy);
  std::unique_ptr<Compiled> given = compileJob(again);
  ASSERT_TRUE(given);
  EXPECT_EQ(programText(given->plan), programText(chosen->plan));
}

/// A layer that is recomputed whole needs all of its parameters and activations at once. Activations that are
/// kept may rest on another tier, and do not lie on the device twice.
TEST(Activations, thatLeaveTheDeviceFitWhereRepeatingLayersWholeDoesNot) {
  Job job = tinyGpt2(2, 2).with({{"bucket", "16KiB"}}); // far below the 196 KiB of a layer
  job.model["n_layer"] = 4;
  job.hardware["device"]["capacity"] = "256KiB";
  TemporaryFolder folder;
  EXPECT_EQ(tryCompile(job.with({{"recompute", "full"}}), folder).status().code(), ExitCode::CannotFit);
  std::unique_ptr<Compiled> chosen = compileJob(job.with({{"recompute", "auto"}})),
                            none = compileJob(fourLayers().with({{"recompute", "none"}}));
  ASSERT_TRUE(chosen && none);
  EXPECT_TRUE(json::parse(chosen->plan.strategy)["recompute"].contains("keep")) << chosen->plan.strategy;
  EXPECT_TRUE(std::ranges::any_of(chosen->plan.programs[0].buffers, [](const plan::Buffer &buffer) {
    return buffer.cls == plan::BufferClass::Checkpoint && buffer.tier == plan::Tier::Host;
  }));
  const plan::Reason &why = whyOf(chosen->plan, "recompute");
  EXPECT_EQ(why.basis, plan::Basis::FirstThatFits);
  ASSERT_TRUE(plan::findTrial(why, "full"));
  EXPECT_EQ(plan::findTrial(why, "full")->outcome, plan::Outcome::DoesNotFit);
  expectSameBits(train(*none), train(*chosen));
}

std::string refusal(const json &recompute) {
  TemporaryFolder folder;
  Result<plan::Plan> plan = tryCompile(fourLayers().with({{"recompute", recompute}}), folder);
  EXPECT_EQ(plan.status().code(), ExitCode::BadInput);
  return plan.status().message();
}

TEST(Activations, thatAreNotThereAreRefused) {
  EXPECT_EQ(refusal(keeping("block", {"matmul.9"})),
            "recompute: \"block\" has no activation \"matmul.9\", did you mean \"matmul.0\"?");
  EXPECT_EQ(refusal(keeping("blocks", json::array())),
            "recompute: no layer function \"blocks\" is trained, did you mean \"block\"?");
}

} // namespace
