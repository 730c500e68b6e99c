// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The activations that layers may keep are those under the limits of tiles that are tried. Under the smallest
// limits of these tests, tiles repeat all that the backward pass of a layer reads but its input, so that the
// layer has nothing to keep.
#include "compiler/driver/capacity/FeasibilityCandidates.h"
#include "test/compiler/driver/Planning.h"

using namespace windlass;
using namespace windlass::test;

namespace {

constexpr int64_t kWidth = 24, kLayers = 2;
const Limits kWhole, kSomeTiles{288, 288, {}}, kAllTiles{144, 144, {}};

/// A gated MLP without norms, on a machine that no plan fits.
Job gatedMlp() {
  const json weight = {{"shape", {kWidth, kWidth}}, {"init", {{"normal", 0.2}}}};
  const auto matmul = [](const char *input, const char *weight, const char *result) -> json {
    return {{"op", "matmul"}, {"in", {input, weight}}, {"out", result}, {"trans_b", true}};
  };
  const json block = {{"in", {"h"}},
                      {"params", {{"gate", weight}, {"up", weight}, {"down", weight}}},
                      {"ops",
                       {matmul("h", "gate", "opened"),
                        {{"op", "silu"}, {"in", {"opened"}}, {"out", "open"}},
                        matmul("h", "up", "wide"),
                        {{"op", "mul"}, {"in", {"open", "wide"}}, {"out", "gated"}},
                        matmul("gated", "down", "narrow"),
                        {{"op", "add"}, {"in", {"h", "narrow"}}, {"out", "sum"}}}},
                      {"out", {"sum"}}};
  Job job;
  job.model = {{"format", "windlass.model/1"},
               {"dims", {{"B", "batch"}}},
               {"inputs",
                {{"x", {{"role", "features"}, {"shape", {"B", kWidth}}}},
                 {"labels", {{"role", "classes"}, {"shape", {"B"}}, {"bound", 10}}}}},
               {"params", {{"head", {{"shape", {10, kWidth}}, {"init", {{"normal", 0.2}}}}}}},
               {"blocks", {{"mlp", block}}},
               {"ops",
                {{{"repeat", kLayers}, {"block", "mlp"}, {"carry", {"x"}}, {"name", "mlp.{i}"}},
                 matmul("x", "head", "logits"),
                 {{"op", "cross_entropy"}, {"in", {"logits", "labels"}}, {"out", "loss"}}}},
               {"loss", "loss"}};
  job.training = {{"format", "windlass.training/1"}, {"steps", 2}, {"micro_batch", 2}, {"micro_batches", 4}};
  job.hardware = roomyMachine(1);
  job.hardware.merge_patch(
      {{"device", {{"capacity", "24KiB"}}}, {"host", {{"capacity", "80KiB"}}}, {"nvme", nullptr}});
  return job;
}

Candidate candidateOf(const Planning &planning, const Recompute &recompute, const Limits &limits) {
  Candidate candidate = makeCandidate(recompute, 0, false, {kLayers, 0}, planning.training, planning.machine);
  candidate.limits = limits;
  return candidate;
}

TEST(TileRefusal, choicesOfActivationsAreThoseUnderTheLimits) {
  Planning planning(gatedMlp());
  for (const Limits &limits : {kWhole, kSomeTiles}) {
    Result<ActivationChoices> choices = planning.planner->activationChoices(limits);
    ASSERT_TRUE(choices) << choices.status().message();
    EXPECT_GT(choices->size(), 2u);
    for (size_t choice = 0; choice < choices->size(); ++choice)
      EXPECT_TRUE(planning.planner->hasKept(candidateOf(planning, choices->recompute(choice), limits)));
    EXPECT_FALSE(planning.planner->hasKept(candidateOf(planning, choices->recompute(0), kAllTiles)));
  }
  Result<ActivationChoices> none = planning.planner->activationChoices(kAllTiles);
  ASSERT_TRUE(none) << none.status().message();
  EXPECT_EQ(none->size(), 1u);
  EXPECT_TRUE(none->recompute(0).kept.empty());
}

TEST(TileRefusal, limitsWithoutAnActivationThatIsAskedForDoNotFit) {
  Planning planning(gatedMlp().with({{"recompute", {{"keep", {{"mlp", {"map.1"}}}}}}}));
  Result<FeasibilityCandidates> candidates =
      FeasibilityCandidates::of(planning.training, {kLayers, 0}, *planning.planner);
  ASSERT_TRUE(candidates) << candidates.status().message();
  model::Machine roomy = planning.machine;
  roomy.deviceCapacity = roomy.hostCapacity = 64 << 20;
  for (const Limits &limits : {kWhole, kSomeTiles, kAllTiles}) {
    Result<bool> fit = candidates->smallestFit(roomy, limits);
    ASSERT_TRUE(fit) << fit.status().message();
    EXPECT_EQ(*fit, limits != kAllTiles);
  }
}

/// Refusals try smaller and smaller tiles, whatever the recomputation is.
TEST(TileRefusal, tilesThatRepeatWholeLayersEndInARefusal) {
  const json asked = {{"keep", {{"mlp", {"map.1"}}}}};
  for (const json &recompute : {json("auto"), asked, json("none"), json("full")})
    for (bool chooseTiles : {false, true}) {
      SCOPED_TRACE(recompute.dump() + (chooseTiles ? " with --tile auto" : ""));
      Job job = gatedMlp().with({{"recompute", recompute}});
      job.chooseTiles = chooseTiles;
      TemporaryFolder folder;
      const Status refusal = tryCompile(job, folder).status();
      EXPECT_EQ(refusal.code(), ExitCode::CannotFit) << refusal.message();
      EXPECT_NE(refusal.message().find("what would fit: "), std::string::npos) << refusal.message();
    }
}

} // namespace
