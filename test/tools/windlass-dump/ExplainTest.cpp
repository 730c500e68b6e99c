// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The reasons of a plan, and the reasons for which another plan differs.
#include "runtime/plan/Reasons.h"
#include "test/tools/windlass-dump/DumpTool.h"

using namespace windlass;
using plan::BufferClass;
using plan::State;
using plan::StateClass;
using plan::Tier;
using test::Answer;
using test::WindlassDump;

namespace {

TEST_F(WindlassDump, SaysWhatAnotherPlanDecidesOtherwiseAndWhy) {
  const std::filesystem::path other = folder / "other";
  const auto answer = [&] {
    EXPECT_TRUE(plan::writePlan(plan, other.string()).isOk());
    return ask("--diff " + other.string()).text;
  };
  plan.strategy = R"({"format": "windlass.strategy/1", "zero_stage": 3, "bucket": 4096,
                      "placement": {"moments": {"*": "auto", "a": "host", "b": "nvme"}}})";
  plan.numerics = R"({"compute": "fp32"})";
  write();
  EXPECT_EQ(answer(), "the plans decide, hold and predict the same\n");
  plan.strategy = R"({"format": "windlass.strategy/1", "zero_stage": 2, "bucket": 4096,
                      "placement": {"moments": {"*": "auto", "a": "host", "b": "host"}}})";
  plan.reasons[0].rests = {{Tier::Host, 2, 4096}};
  plan.reasons.push_back(
      {.decision = plan::Decision::ZeroStage,
       .taken = "2",
       .trials = {
           {.value = "2", .outcome = plan::Outcome::Taken, .clock = plan::Clock::LaidOut, .seconds = 0.1},
           {.value = "3", .clock = plan::Clock::LaidOut, .seconds = 0.2}}});
  EXPECT_EQ(answer(), "decisions\n"
                      "  placement.moments, b: \"nvme\" -> \"host\"\n"
                      "    before: nvme (4.00 KiB on each rank), pinned there\n"
                      "    after: host (4.00 KiB on each rank), pinned there\n"
                      "  zero_stage: 3 -> 2\n"
                      "    after: 2: 100 ms a step as laid out (taken); 3: 200 ms a step as laid out\n");
  plan.strategy = R"({"format": "windlass.strategy/1", "zero_stage": 3, "bucket": 4096,
                      "placement": {"moments": "host"}})";
  EXPECT_NE(answer().find("  placement.moments: each its own -> \"host\"\n"), std::string::npos);
  plan.numerics = R"({"compute": "bf16"})";
  plan.prediction.stepSeconds = 1;
  plan.prediction.boundBy = "compute";
  plan.programs[0].arenas[0].bytes += 4096;
  State &moved = plan.programs[0].states.front();
  const bool wasOnHost = plan.programs[0].buffers[moved.home.buffer].tier == Tier::Host;
  plan.programs[0].buffers[moved.home.buffer].tier = wasOnHost ? Tier::Device : Tier::Host;
  const std::string text = answer();
  for (const char *part :
       {"numbers: the two train to other bits\n  compute: \"fp32\" -> \"bf16\"\n", "\nhomes\n",
        "1 tensor: layer.", "\nsizes\n  device of a rank: ", "\nprediction\n  a step: 0.00 us -> 1.00 s\n"})
    EXPECT_NE(text.find(part), std::string::npos) << part << " is missing in\n" << text;
  EXPECT_EQ(ask("--diff " + (folder / "nowhere").string()).exitCode, 1);
}

TEST_F(WindlassDump, SaysWhatCameInEachPlanOfWhatTheOtherTook) {
  const std::filesystem::path other = folder / "other";
  const plan::Trial fits = {
      .value = "none", .outcome = plan::Outcome::Taken, .clock = plan::Clock::LaidOut, .seconds = 0.1};
  const plan::Trial slower = {
      .value = "full", .outcome = plan::Outcome::Slower, .clock = plan::Clock::LaidOut, .seconds = 0.2};
  plan.strategy = R"({"recompute": "none"})";
  plan.reasons = {{.decision = plan::Decision::Recompute,
                   .taken = "none",
                   .basis = plan::Basis::FirstThatFits,
                   .trials = {fits, slower}}};
  write();
  plan.strategy = R"({"recompute": "full"})";
  plan::Reason &reason = plan.reasons[0];
  reason.taken = "full";
  reason.trials[0] = {"none", plan::Outcome::DoesNotFit};
  reason.trials[1].outcome = plan::Outcome::Taken;
  ASSERT_TRUE(plan::writePlan(plan, other.string()).isOk());
  EXPECT_EQ(ask("--diff " + other.string()).text, "decisions\n"
                                                  "  recompute: \"none\" -> \"full\"\n"
                                                  "    before: none: all residuals fit\n"
                                                  "    before, tried: full: 200 ms a step as laid out\n"
                                                  "    after: full: each layer keeps its input and repeats "
                                                  "its forward pass, because what was tried before "
                                                  "did not fit\n"
                                                  "    after, tried: none: does not fit\n");
}

TEST_F(WindlassDump, ExplainsOrNamesTheNearest) {
  EXPECT_NE(ask("--explain layer.1").text.find("layer.1 (parameter"), std::string::npos);
  EXPECT_EQ(ask("--explain moments").text,
            "placement of moments: nvme (4.00 KiB on each rank), pinned there\n");
  Answer unknown = ask("--explain layr.1");
  EXPECT_EQ(unknown.exitCode, 1);
  EXPECT_EQ(unknown.text, "error: the plan says nothing of \"layr.1\", did you mean \"layer.1\"?\n");
}

/// A plan with a bucket "b" of two tensors, whose moments rest on the disk, and with a checkpoint "h.0.x"
/// that goes to the disk through the host.
class Explanations : public WindlassDump {
protected:
  Explanations() {
    plan.programs[0].buffers.push_back(
        {"b.parameter.u0", BufferClass::Parameter, Tier::Device, 0, 8192, true});
    plan.programs[0].buffers.push_back({"b.momentum", BufferClass::Momentum, Tier::Nvme, 0, 8192, true});
    plan.programs[0].buffers.push_back({"b.gradient.0", BufferClass::Gradient, Tier::Host, 0, 8192, true});
    const uint32_t first = static_cast<uint32_t>(plan.programs[0].buffers.size()) - 3;
    for (const char *name : {"wpe.weight", "wte.weight"}) {
      State state;
      state.name = name;
      state.bucket = "b";
      state.shape = {2, 512};
      state.sharded = false;
      state.home = {first, name == std::string("wte.weight") ? 4096 : 0, 4096, {}};
      plan.programs[0].states.push_back(state);
      state.cls = StateClass::Momentum;
      state.sharded = true;
      state.home.buffer = first + 1;
      plan.programs[0].states.push_back(state);
      state.cls = StateClass::Gradient;
      state.home.buffer = first + 2;
      plan.programs[0].gradients.push_back(state);
    }
    for (Tier tier : {Tier::Device, Tier::Host, Tier::Nvme})
      plan.programs[0].buffers.push_back({"h.0.x", BufferClass::Checkpoint, tier, 0, 4096, false});
    plan.programs[0].buffers.push_back({"h.0.x", BufferClass::Activation, Tier::Device, 0, 512, false});
    plan.strategy = R"({"format": "windlass.strategy/1", "zero_stage": {"*": 2, "b": 3}, "persistence": 77,
      "bucket": 8192, "placement": {"param": "device", "master": "auto"}, "prefetch": {"nc": 3, "cg": 4}})";
    const auto resting = [](const char *cls, Tier tier, plan::Basis basis) {
      return plan::Reason{
          .decision = plan::Decision::Placement, .subject = cls, .basis = basis, .rests = {{tier, 1, 8192}}};
    };
    const plan::Trial full = {
        .value = "full", .outcome = plan::Outcome::Taken, .clock = plan::Clock::LaidOut, .seconds = 0.001};
    const plan::Trial none = {
        .value = "none", .outcome = plan::Outcome::Slower, .clock = plan::Clock::LaidOut, .seconds = 0.002};
    const plan::Trial third = {
        .value = "3", .outcome = plan::Outcome::Taken, .clock = plan::Clock::LaidOut, .seconds = 0.001};
    plan.reasons = {{.decision = plan::Decision::Placement},
                    resting("param", Tier::Device, plan::Basis::Asked),
                    resting("moments", Tier::Nvme, plan::Basis::Solved),
                    resting("grad", Tier::Host, plan::Basis::Solved),
                    resting("checkpoint", Tier::Nvme, plan::Basis::Solved),
                    {.decision = plan::Decision::Recompute, .taken = "full", .trials = {none, full}},
                    {.decision = plan::Decision::ZeroStage, .taken = "3", .trials = {third}},
                    {.decision = plan::Decision::Prefetch,
                     .subject = "cg",
                     .taken = "4",
                     .window = {.what = "upload b",
                                .function = "h.0",
                                .ahead = 4e-6,
                                .seconds = 3e-6,
                                .latency = {"links.cg.latency", 1e-6},
                                .bytes = 8192,
                                .rate = {"links.cg.in", 4e9, "B"},
                                .late = 1e-6}}};
    write();
  }
  inline static const std::string kPrefetch =
      "prefetch.cg: 4 under way: \"upload b h.0\" begins 4.00 us before its user, itself taking 3.00 us "
      "(links.cg.latency 1.00 us, 8.00 KiB at links.cg.in 4.00 GB/s (declared)); with 3 it would begin 1.00 "
      "us "
      "too late\n"
      "prefetch.nc: 3, asked for or the default: no other value was tried\n";
  inline static const std::string kWhole =
      "recompute: full: each layer keeps its input and repeats its forward pass, because that is faster\n";
  inline static const std::string kOfB =
      "placement of param, b on device: device (8.00 KiB on each rank), pinned there\n"
      "zero_stage, 3 for b: 3: 1.00 ms a step as laid out\n"
      "persistence, b whole on every rank: 77, asked for or the default: no other "
      "value was tried\n"
      "placement of moments, b on nvme: nvme (8.00 KiB on each rank)\n" +
      kPrefetch + "placement of grad, b on host: host (8.00 KiB on each rank)\n";
};

TEST_F(Explanations, SayWhyATensorRestsWhereItDoes) {
  EXPECT_EQ(ask("--explain wte.weight").text,
            "wte.weight (parameter, 2x512 f32): whole, 4.00 KiB at device 4096 on each rank, in buffer "
            "\"b.parameter.u0\"\n"
            "wte.weight (momentum, 2x512 f32): a piece of 4.00 KiB at nvme 4096 on each rank, in buffer "
            "\"b.momentum\"\n"
            "wte.weight (gradient, 2x512 f32): a piece of 4.00 KiB at host 4096 on each rank, in buffer "
            "\"b.gradient.0\"\n" +
                kOfB);
}

TEST_F(Explanations, SayWhyABucketRestsWhereItDoes) {
  EXPECT_EQ(ask("--explain b").text,
            "b (parameter): whole, 8.00 KiB at device 0 on each rank, in buffer \"b.parameter.u0\"\n"
            "b (momentum): a piece of 8.00 KiB at nvme 0 on each rank, in buffer \"b.momentum\"\n"
            "b (gradient): a piece of 8.00 KiB at host 0 on each rank, in buffer \"b.gradient.0\"\n"
            "b holds wpe.weight, wte.weight\n" +
                kOfB);
  EXPECT_TRUE(ask("--explain b.momentum").text.starts_with("b.momentum (momentum): a piece of 8.00 KiB"));
}

TEST_F(Explanations, SayWhyACheckpointRestsWhereItDoes) {
  EXPECT_EQ(ask("--explain h.0.x").text,
            "h.0.x: 1 checkpoint buffer on device, 4.00 KiB\n"
            "h.0.x: 1 checkpoint buffer on host, 4.00 KiB\n"
            "h.0.x: 1 checkpoint buffer on nvme, 4.00 KiB\n"
            "h.0.x: 1 activation buffer on device, 512 B\n"
            "placement of checkpoint, h.0.x on nvme: nvme (8.00 KiB on each rank)\n" +
                kPrefetch + kWhole);
}

/// A part of the model stands for its tensors, and a layer for its buckets and checkpoints.
TEST_F(Explanations, OfALayerAreThoseOfAllThatItHolds) {
  EXPECT_EQ(ask("--explain wte").text, ask("--explain wte.weight").text);
  EXPECT_EQ(ask("--explain h.0").text, ask("--explain h.0.x").text);
  plan.programs[0].states[0].bucket = "h.0.decay.0";
  write();
  const std::string layer = ask("--explain h.0").text;
  for (const char *part : {"h.0.decay.0 holds ", "h.0.x: 1 checkpoint buffer on nvme, 4.00 KiB\n"})
    EXPECT_NE(layer.find(part), std::string::npos) << layer;
}

TEST_F(Explanations, AnswerEveryDecision) {
  EXPECT_EQ(ask("--explain bucket").text,
            "bucket: 8192, asked for or the default: no other value was tried\n");
  EXPECT_EQ(ask("--explain prefetch").text, kPrefetch);
  EXPECT_EQ(ask("--explain placement.master").text, "placement.master: the plan has nothing of this class\n");
  EXPECT_EQ(ask("--explain placement.param").text,
            "placement of param: device (8.00 KiB on each rank), pinned there\n");
  const std::string tried =
      "recompute.tried: none: 2.00 ms a step as laid out; full: 1.00 ms a step as laid out (taken)\n";
  EXPECT_EQ(ask("--explain recompute").text, kWhole + tried);
  EXPECT_EQ(ask("--explain recompute.tried").text, tried);
  const std::string all = ask("--explain placement").text;
  for (const char *part :
       {"placement: no placement has a bound that is lower (proven)\n",
        "placement of param: device (8.00 KiB", "placement of checkpoint: nvme (8.00 KiB on each rank)\n"})
    EXPECT_NE(all.find(part), std::string::npos) << all;
  const std::string none = ": nothing is to be decided in this plan";
  EXPECT_EQ(ask("--explain sequence_parallel").text,
            "sequence_parallel" + none + ": it has no tensor ranks\n");
  EXPECT_EQ(ask("--explain pipeline.schedule").text, "pipeline.schedule" + none + ": it has one stage\n");
  EXPECT_EQ(ask("--explain parallel").text, "parallel" + none + ": the training file says it\n");
  EXPECT_EQ(ask("--explain wte.wait").text,
            "error: the plan says nothing of \"wte.wait\", did you mean \"wte.weight\"?\n");
  const std::string part = ask("--explain ght").text;
  EXPECT_EQ(part.find("error: the plan says nothing of \"ght\"; these contain it: wpe.weight, wte.weight\n"),
            0u)
      << part;
}

TEST_F(Explanations, OfWhatElseWasTriedAreNotInTheOverview) {
  const std::string overview = ask("").text;
  EXPECT_NE(overview.find("  recompute: full: each layer keeps its input"), std::string::npos) << overview;
  EXPECT_EQ(overview.find("recompute.tried"), std::string::npos) << overview;
}

} // namespace
