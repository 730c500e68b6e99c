// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The texts of reasons, per decision and outcome. Each word of a plan's reasons can be read.
#include "runtime/plan/text/ReasonText.h"
#include "runtime/base/File.h"
#include "test/support/Folders.h"

#include <gtest/gtest.h>

using namespace windlass::plan;

namespace {

const Shortage kArena = {Lack::Arena, Tier::Device, 774144,
                         10213376,    9437184,      {{"activation", 9059696}, {"gathered", 1048576}}};
const Figures kKept = {{Figure::KeptBytes, 1048576},
                       {Figure::ResidualBytes, 4194304},
                       {Figure::RepeatedSeconds, 0.005},
                       {Figure::RepeatableSeconds, 0.01},
                       {Figure::Gap, 0}};

Trial laidOut(std::string value, double seconds, Outcome outcome = Outcome::Slower) {
  return {.value = std::move(value), .outcome = outcome, .clock = Clock::LaidOut, .seconds = seconds};
}
Trial taken(std::string value, double seconds) { return laidOut(std::move(value), seconds, Outcome::Taken); }
Trial unfit(std::string value) {
  return {.value = std::move(value), .outcome = Outcome::DoesNotFit, .shortages = {kArena}};
}

TEST(ShortageText, namesWhatIsMissingAndWhatFillsTheTier) {
  EXPECT_EQ(shortageText(kArena),
            "the device arena of a rank is short by 774144 bytes (756 KiB): it needs 9.74 "
            "MiB, the machine has 9.00 MiB (largest: activation 8.64 MiB, gathered 1.00 MiB)");
  Shortage states = {
      .of = Lack::States, .tier = Tier::Host, .bytes = 4096, .largest = {{"h.0.moments", 2048}}};
  EXPECT_EQ(shortageText(states), "tier \"host\" is 4096 bytes (4.00 KiB) short on each rank; the largest "
                                  "items are \"h.0.moments\" 2.00 KiB");
  states.of = Lack::EveryTier;
  EXPECT_EQ(shortageText(states), "the states fit no tier: no single tier made larger would hold them; the "
                                  "largest are \"h.0.moments\" 2.00 KiB");
  EXPECT_EQ(shortageBriefly(kArena), "device is 756 KiB short");
}

TEST(ShortageText, listsNoMoreThanALineHolds) {
  EXPECT_EQ(
      consumersText(std::vector<Consumer>(20, {"activation", 1 << 20})),
      "activation 1.00 MiB, activation 1.00 MiB, activation 1.00 MiB, activation 1.00 MiB, activation 1.00 "
      "MiB, activation 1.00 MiB");
}

TEST(ReasonText, saysWhatTheSecondsOfATrialAre) {
  const Reason reason{.decision = Decision::MicroBatchOrder};
  auto text = [&](Clock clock) {
    return trialText(reason, {.value = "vertical", .clock = clock, .seconds = 0.2});
  };
  EXPECT_EQ(text(Clock::LaidOut), "vertical: 200 ms a step as laid out");
  EXPECT_EQ(text(Clock::InOrder), "vertical: 200 ms a step, not laid out");
  EXPECT_EQ(text(Clock::Computation), "vertical: 200 ms a step of computation alone");
  EXPECT_EQ(text(Clock::Bound), "vertical: at least 200 ms a step");
  EXPECT_EQ(
      trialText({.decision = Decision::Strategy}, {.value = "zero-3", .clock = Clock::Bound, .seconds = 0.2}),
      "zero-3: at least 200 ms a step with the choices tried");
  EXPECT_EQ(text(Clock::None), "vertical: fits");
  EXPECT_EQ(trialText(reason, {.value = "vertical", .outcome = Outcome::DoesNotFit}),
            "vertical: does not fit");
  EXPECT_EQ(trialText(reason, unfit("vertical")), "vertical: does not fit: " + shortageText(kArena));
}

TEST(ReasonText, saysWhyAWayThatIsNotSlowerWasLeft) {
  auto text = [](Outcome outcome, double seconds) {
    return reasonText(
        {.decision = Decision::MicroBatchOrder,
         .trials = {taken("horizontal", 0.1),
                    {.value = "vertical", .outcome = outcome, .clock = Clock::LaidOut, .seconds = seconds}}});
  };
  const std::string both = "horizontal: 100 ms a step as laid out (taken); vertical: ";
  EXPECT_EQ(text(Outcome::Slower, 0.2), both + "200 ms a step as laid out");
  EXPECT_EQ(text(Outcome::Alike, 0.1), both + "100 ms a step as laid out, as fast");
  EXPECT_EQ(text(Outcome::TooLittle, 0.099), both + "99.0 ms a step as laid out, faster by too little");
}

TEST(ReasonText, ofRecomputation) {
  Reason reason{.decision = Decision::Recompute, .taken = "full", .basis = Basis::Asked};
  EXPECT_EQ(reasonText(reason), "full, as asked");
  reason.basis = Basis::Implied;
  EXPECT_EQ(reasonText(reason), "full: activation checkpoints are placed by name");
  reason.rests = {{.tier = Tier::Nvme}};
  EXPECT_EQ(reasonText(reason),
            "full: placement.checkpoint \"nvme\" asks for it: what rests there is what layers "
            "keep in place of their residuals");
  reason = {.decision = Decision::Recompute,
            .taken = "full",
            .basis = Basis::FirstThatFits,
            .trials = {unfit("none"), taken("full", 0.1)}};
  EXPECT_EQ(reasonText(reason),
            "full: each layer keeps its input and repeats its forward pass, because what was "
            "tried before did not fit: " +
                shortageText(kArena));
  EXPECT_EQ(triedText(reason),
            "none: does not fit (device is 756 KiB short); full: 100 ms a step as laid out (taken)");
  reason.taken = "none";
  reason.trials = {taken("none", 0.1)};
  EXPECT_EQ(reasonText(reason), "none: all residuals fit");
  EXPECT_EQ(triedText(reason), "") << "nothing else was tried";
}

TEST(ReasonText, ofRepeatingSomeLayersOrActivations) {
  Reason reason{.decision = Decision::Recompute,
                .taken = "layers:2",
                .figures = {{Figure::RepeatedLayers, 2}, {Figure::TrainedLayers, 4}},
                .trials = {taken("layers:2", 0.1), laidOut("none", 0.2)}};
  EXPECT_EQ(reasonText(reason),
            "layers:2: the first 2 of 4 layers keep their input and repeat their forward pass, "
            "because that is faster");
  reason.taken = reason.trials[0].value = "block: map.0";
  reason.trials[0].figures = kKept;
  reason.trials.push_back(
      {.value = "per-activation", .outcome = Outcome::TooMany, .figures = {{Figure::OpenChoices, 1000}}});
  const std::string kept =
      "1.00 MiB of 4.00 MiB of residuals kept, repeating 5.00 ms of 10.0 ms a micro-batch, ";
  EXPECT_EQ(reasonText(reason), "block: map.0: a rank keeps no more than these and the inputs of layers, " +
                                    kept + "the least for these bytes (proven), because that is faster");
  reason.trials[0].figures.back().second = 0.05;
  EXPECT_EQ(triedText(reason),
            kept + "by no more than 5 % over the least for these bytes: 100 ms a step as laid out (taken); "
                   "none: 200 ms a step as laid out; per-activation: more than 1000 choices of what "
                   "to repeat are open at once");
}

TEST(ReasonText, ofAStrategyIsInAnOverviewOnlyIfItHasAName) {
  Reason reason{
      .decision = Decision::Strategy, .taken = "auto", .trials = {taken("auto", 0.1), unfit("zero-1")}};
  reason.trials[1].shortages.clear();
  EXPECT_EQ(reasonText(reason), "");
  EXPECT_EQ(triedText(reason), "auto: 100 ms a step as laid out (taken); zero-1: does not fit");
  reason.taken = "zero-2";
  reason.trials = {laidOut("auto", 0.2), taken("zero-2", 0.1)};
  EXPECT_EQ(reasonText(reason),
            "zero-2: auto: 200 ms a step as laid out; zero-2: 100 ms a step as laid out (taken)");
  EXPECT_EQ(triedText(reason), "");
}

TEST(ReasonText, ofAStrategySaysHowFarThePlanIsFromTheLeast) {
  Reason reason{.decision = Decision::Strategy,
                .taken = "auto",
                .figures = {{Figure::Gap, 0.034}},
                .trials = {taken("auto", 0.1), unfit("zero-1")}};
  EXPECT_EQ(reasonText(reason), "100 ms a step, no more than 3.4 % over what every plan takes");
  reason.figures = {{Figure::Gap, 1.304}};
  EXPECT_EQ(reasonText(reason), "100 ms a step, no more than 130 % over what every plan takes");
  reason.figures = {{Figure::Gap, 0.034}};
  reason.taken = "zero-2";
  reason.trials = {laidOut("auto", 0.2), taken("zero-2", 0.1)};
  EXPECT_EQ(reasonText(reason),
            "zero-2: auto: 200 ms a step as laid out; zero-2: 100 ms a step as laid out (taken); "
            "100 ms a step, no more than 3.4 % over what every plan takes");
}

TEST(ReasonText, ofStagesSizesAndOrders) {
  Trial second = unfit("2");
  second.wholeParameters = true;
  EXPECT_EQ(reasonText({.decision = Decision::ZeroStage, .taken = "3", .trials = {second, taken("3", 0.1)}}),
            "2 with whole parameters on the device: does not fit: " + shortageText(kArena) +
                "; 3: 100 ms a step as laid out (taken)");
  EXPECT_EQ(reasonText({.decision = Decision::Bucket,
                        .taken = "1048576",
                        .trials = {taken("1048576", 0.1), laidOut("262144", 0.2)}}),
            "1.00 MiB of parameters by one collective; 1.00 MiB: 100 ms a step as laid out (taken); 256 KiB: "
            "200 ms a "
            "step as laid out");
  EXPECT_EQ(reasonText({.decision = Decision::Persistence, .taken = "0", .trials = {taken("0", 0.1)}}),
            "parameters of up to 0 elements stay whole; parameters of up to 0: 100 ms a step as laid out");
  EXPECT_EQ(reasonText({.decision = Decision::ReshardAfterForward,
                        .taken = "0",
                        .figures = {{Figure::Buckets, 17}},
                        .trials = {taken("0", 0.1), laidOut("4", 0.2)}}),
            "none of 17 buckets stay gathered for the backward pass; none: 100 ms a step as laid out "
            "(taken); 4: 200 ms "
            "a step as laid out");
  EXPECT_EQ(valueText(Decision::Bucket, "a word"), "a word") << "in a plan that somebody wrote";
}

TEST(ReasonText, ofPlacements) {
  Reason all{.decision = Decision::Placement, .taken = "least_busy", .figures = {{Figure::Gap, 0.053}}};
  all.trials = {taken("least_busy", 0.2)};
  all.trials[0].price = {Resource::CgOut, 0.1, 0.1, {}};
  EXPECT_EQ(reasonText(all), "cg_out, the busiest resource, takes 100 ms a step; no placement has a bound "
                             "that is lower by more than 5.3 %");
  all.taken = all.trials[0].value = "on_device";
  all.figures = {{Figure::Gap, 0}};
  all.trials.push_back(laidOut("least_busy", 0.3));
  EXPECT_EQ(reasonText(all),
            "cg_out, the busiest resource, takes 100 ms a step; no placement has a bound that is lower "
            "(proven); all on "
            "the device a step is laid out in 200 ms, where homes keep the busiest resource least "
            "busy in 300 ms");
}

TEST(ReasonText, ofAClassNamesThePriceOfEveryOtherTier) {
  const QuotedRate write = {"nvme.write", 1e9, "B", true};
  const Shortage missing = {.of = Lack::Class, .tier = Tier::Device, .bytes = 3072};
  Reason reason{
      .decision = Decision::Placement, .subject = "moments", .taken = "split", .basis = Basis::Solved};
  reason.rests = {{Tier::Device, 2, 1024}, {Tier::Host, 4, 4096}};
  reason.trials = {
      {.value = "split", .outcome = Outcome::Taken, .clock = Clock::Bound, .seconds = 0.1},
      {.value = "device", .outcome = Outcome::DoesNotFit, .shortages = {missing}},
      {.value = "host",
       .outcome = Outcome::LessBusy,
       .clock = Clock::Bound,
       .seconds = 0.08,
       .shortages = {missing},
       .price = {Resource::HostCompute, 0.05, 0.06, {}}},
      {.value = "nvme", .clock = Clock::Bound, .seconds = 0.15, .price = {Resource::NcOut, 0.15, 0, write}}};
  EXPECT_EQ(titleOf(reason), "placement of moments");
  EXPECT_EQ(
      reasonParts(reason),
      (std::vector<std::string>{"device 2 of 6 (1.00 KiB on each rank), host 4 of 6 (4.00 KiB on each rank)",
                                "all on device: device is 3.00 KiB short of it, whatever else moves",
                                "all on host: device is 3.00 KiB short of it; making room, the busiest "
                                "resource takes 20.0 ms less a "
                                "step, but host_compute is busy 50.0 ms, 10.0 ms less",
                                "all on nvme: a step takes at least 150 ms, 50.0 ms more, for nc_out is busy "
                                "150 ms at nvme.write 1.00 "
                                "GB/s (measured), idle now"}));
  reason.trials[1].shortages.clear();
  reason.trials[3].outcome = Outcome::Alike;
  reason.basis = Basis::Asked;
  EXPECT_EQ(reasonParts(reason)[1], "all on device: nothing fits");
  EXPECT_EQ(reasonParts(reason)[3],
            "all on nvme: no faster, and nc_out is busy 150 ms at nvme.write 1.00 GB/s "
            "(measured), idle now, pinned there");
}

TEST(ReasonText, ofWindows) {
  Reason reason{.decision = Decision::Prefetch, .subject = "gg", .taken = "3", .basis = Basis::Solved};
  reason.window = {"gather b",
                   "h.0",
                   2e-4,
                   1e-4,
                   {"links.gg.latency", 7e-5},
                   1 << 20,
                   2,
                   {"links.gg.bandwidth", 2e10, "B"},
                   "gather a",
                   "",
                   1e-5,
                   0};
  const std::string begin =
      "\"gather b h.0\" begins 200 us before its user, itself taking 100 us (links.gg.latency "
      "70.0 us, 1.00 MiB at 2 x links.gg.bandwidth 20.0 GB/s (declared))";
  EXPECT_EQ(reasonText(reason),
            "3 under way: " + begin + "; with 2 \"gather a\" would begin 10.0 us too late");
  reason.window.lastWhat.clear();
  reason.window.held = 2;
  EXPECT_EQ(reasonText(reason),
            "3 would be under way, memory holds 2: " + begin + "; with 2 it would begin 10.0 us too late");
  reason.taken = "1";
  reason.window.held = 0;
  EXPECT_EQ(reasonText(reason), "1 under way: " + begin + ", and no other begins earlier");
}

TEST(ReasonText, ofCadenceAndTiles) {
  Reason reason{
      .decision = Decision::Cadence, .taken = "micro_batch", .figures = {{Figure::HeldBytes, 1 << 20}}};
  reason.trials = {{.value = "micro_batch",
                    .outcome = Outcome::Taken,
                    .figures = {{Figure::Sums, 2}, {Figure::SummedBytes, 2 << 20}}},
                   {.value = "step",
                    .outcome = Outcome::OtherBits,
                    .figures = {{Figure::Sums, 1}, {Figure::SummedBytes, 1 << 20}}}};
  EXPECT_EQ(reasonText(reason),
            "micro_batch: gradients are summed over ranks 2 times a step, 2.00 MiB; \"step\" would "
            "do so once, 1.00 MiB, keep 1.00 MiB more on each rank, need zero_stage 0 or 1 and "
            "change last bits");
  reason.taken = "step";
  EXPECT_EQ(reasonText(reason),
            "step: gradients are summed over ranks once a step, 1.00 MiB; \"micro_batch\" would do "
            "so 2 times a step, 2.00 MiB, keep 1.00 MiB less on each rank, allow every zero_stage "
            "and change last bits");
  EXPECT_EQ(trialText(reason, reason.trials[1]), "step: changes last bits");
  const Figures limits = {
      {Figure::TileBytes, 65536}, {Figure::ActivationBytes, 65536}, {Figure::AttentionBytes, 4096}};
  EXPECT_EQ(tileKeysText(limits), R"("tile": {"limit": 65536, "activation": 65536, "attention": 4096})");
  EXPECT_EQ(
      reasonText({.decision = Decision::Tile, .taken = "auto", .figures = limits}),
      "auto: tiles of 64.0 KiB and blocks of attention of 4.00 KiB at most, the largest tried that fit; " +
          tileKeysText(limits) + " in the training file makes the same numbers on any machine");
}

/// The text has the mesh that was taken, the keys of a training file for it, and then the other meshes.
TEST(ReasonText, ofMeshes) {
  const auto mesh = [](const std::string &value, double microBatches, Trial trial) {
    trial.value = value;
    trial.figures.insert(trial.figures.begin(), {Figure::MicroBatches, microBatches});
    return trial;
  };
  const Figures limits = {{Figure::TileBytes, 65536}, {Figure::ActivationBytes, 65536}};
  Reason reason{.decision = Decision::Parallel, .taken = "data=2,tensor=2"};
  reason.trials = {
      mesh("data=4,tensor=1", 1, {.outcome = Outcome::DoesNotFit, .shortages = {{.bytes = 1 << 20}}}),
      mesh("data=2,tensor=2", 2,
           {.outcome = Outcome::Taken, .clock = Clock::LaidOut, .seconds = 0.02, .figures = limits}),
      mesh("data=1,tensor=4", 4,
           {.clock = Clock::LaidOut,
            .seconds = 0.03,
            .price = {.resource = Resource::Nodes, .seconds = 0.025, .before = 0.01}}),
      mesh("data=1,tensor=8", 4, {.clock = Clock::Bound, .seconds = 0.04}),
      mesh("data=1,tensor=3", 4,
           {.outcome = Outcome::RuledOut, .refusal = "no dimension of h.0 is made of 3 parts"})};
  EXPECT_EQ(
      reasonParts(reason),
      (std::vector<std::string>{
          "data=2,tensor=2, 2 micro-batches: tiles of 64.0 KiB, 20.0 ms a step as laid out; "
          R"("parallel": {"data": 2, "tensor": 2}, "micro_batches": 2, "tile": {"limit": 65536, "activation": 65536})"
          " in the training file, whose other keys stay, says the same; another number of tensor ranks "
          "changes last "
          "bits",
          "data=4,tensor=1, 1 micro-batch: does not fit (device is 1.00 MiB short)",
          "data=1,tensor=4, 4 micro-batches: 30.0 ms a step as laid out, for nodes is busy 25.0 ms, 15.0 ms "
          "more",
          "data=1,tensor=8, 4 micro-batches: at least 40.0 ms a step",
          "data=1,tensor=3, 4 micro-batches: ruled out, no dimension of h.0 is made of 3 parts"}));
}

/// The text has the factor by which the taken training is faster, the keys of a training file for it, and
/// then the others.
TEST(ReasonText, ofTrainingFiles) {
  Reason reason{.decision = Decision::Training,
                .taken = "micro_batch=4,parallel.optimizer_shard=all,parallel.shard=2"};
  reason.trials = {
      {.value = "as_written", .clock = Clock::LaidOut, .seconds = 0.053},
      {.value = reason.taken, .outcome = Outcome::Taken, .clock = Clock::LaidOut, .seconds = 0.01},
      {.value = "cadence=step", .outcome = Outcome::DoesNotFit, .shortages = {{.bytes = 1 << 20}}},
      {.value = "parallel.shard=auto", .clock = Clock::Bound, .seconds = 0.02}};
  EXPECT_EQ(
      reasonParts(reason),
      (std::vector<std::string>{
          reason.taken +
              R"(: 10.0 ms a step as laid out, 5.3 times as fast; "micro_batch": 4, )"
              R"("parallel": {"optimizer_shard": "all", "shard": 2} in the training file says the same, )"
              "which changes last bits",
          "as the training file says: 53.0 ms a step as laid out",
          "cadence=step: does not fit (device is 1.00 MiB short)",
          "parallel.shard=auto: at least 20.0 ms a step"}));
  reason.trials[0].seconds = 0.0125;
  EXPECT_NE(reasonParts(reason).front().find(" 10.0 ms a step as laid out, 20 % less time; "),
            std::string::npos);
  std::swap(reason.trials[0].outcome, reason.trials[1].outcome);
  EXPECT_EQ(reasonParts(reason).front(), "as the training file says: 12.5 ms a step as laid out");
}

TEST(ReasonText, ofSlack) {
  Reason reason{.decision = Decision::Slack, .subject = "device", .taken = "65536"};
  reason.trials = {{.value = "0", .outcome = Outcome::DoesNotFit, .shortages = {{.bytes = 4096}}},
                   {.value = "65536", .outcome = Outcome::Taken, .clock = Clock::LaidOut, .seconds = 0.02}};
  EXPECT_EQ(titleOf(reason) + ": " + reasonText(reason),
            "slack.device: 64.0 KiB stay free of fetches ahead, so that buffers pack; 0 B: does not fit "
            "(device is 4.00 KiB short); 64.0 KiB: 20.0 ms a step as laid out (taken)");
}

/// The reasons of a stage are its own and those of all stages.
TEST(ReasonText, ofAStage) {
  const std::vector<Reason> reasons = {
      {.decision = Decision::Placement, .subject = "param", .stage = 1, .taken = "host"},
      {.decision = Decision::Placement, .subject = "param", .stage = 0, .taken = "device"},
      {.decision = Decision::ZeroStage, .taken = "3"}};
  EXPECT_EQ(titleOf(reasons[0]), "placement of param, stage 1");
  EXPECT_EQ(titleOfAllStages(reasons[0]), "placement of param");
  EXPECT_EQ(pathOf(reasons[0]), "placement.param");
  EXPECT_EQ(titleOf({.decision = Decision::Placement, .stage = 2}), "placement, stage 2");
  EXPECT_EQ(findReason(reasons, "placement.param"), &reasons[0]);
  EXPECT_EQ(findReason(reasons, "placement.param", 0), &reasons[1]);
  EXPECT_EQ(findReason(reasons, "placement.param", 2), nullptr);
  EXPECT_EQ(findReason(reasons, "zero_stage", 0), &reasons[2]);
}

/// The page of the format explains every word of a plan.
template <typename Enum> void expectOnPage(const std::string &page) {
  for (std::string_view word : wordsOf<Enum>())
    EXPECT_NE(page.find("`" + std::string(word) + "`"), std::string::npos) << word;
}

TEST(ReasonWords, standOnThePageOfTheFormat) {
  const windlass::Result<std::string> text = windlass::readFile(WINDLASS_SOURCE_DIR "/docs/plan-format.md");
  ASSERT_TRUE(text) << text.status().message();
  const std::string page = *text;
#define WINDLASS_ENUM_BEGIN(Name) expectOnPage<Name>(page);
#include "runtime/plan/Reasons.def"
}

TEST(ReasonText, ofAnotherScheduleSaysWhatHasTheSecondsOfTheFirst) {
  Reason reason{
      .decision = Decision::PipelineSchedule,
      .taken = "zb-h1",
      .basis = Basis::Fastest,
      .trials = {{.value = "1f1b", .clock = Clock::LaidOut, .seconds = 0.2},
                 {.value = "zb-h1", .outcome = Outcome::Taken, .clock = Clock::LaidOut, .seconds = 0.1}}};
  const std::string tried = "1f1b: 200 ms a step as laid out; zb-h1: 100 ms a step as laid out";
  EXPECT_EQ(reasonText(reason),
            tried + " (taken); what stages decide was decided under 1f1b, and has its seconds");
  reason.taken = "1f1b";
  reason.trials[0].outcome = Outcome::Taken;
  reason.trials[1].outcome = Outcome::Slower;
  EXPECT_EQ(reasonText(reason).find("decided under"), std::string::npos);
}

} // namespace
