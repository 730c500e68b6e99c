// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Bounds from few layers of a deep model hold for all layers, and the work of a refusal does not grow with
// the number of layers.
#include "passes/Graph/FewLayers.h"
#include "compiler/driver/candidates/Enumeration.h"
#include "compiler/driver/candidates/TileBounds.h"
#include "compiler/driver/capacity/FeasibilityCandidates.h"
#include "compiler/driver/capacity/Refusal.h"
#include "compiler/driver/search/PlanSearch.h"
#include "compiler/training/Strategy.h"
#include "dialects/Graph/IR/GraphDialect.h"
#include "passes/Flow/layout/CountStep.h"
#include "test/compiler/driver/Planning.h"
#include "test/support/Dice.h"
#include "test/support/MeshJobs.h"
#include <gtest/gtest.h>
#include <ranges>

using namespace windlass;
using namespace windlass::test;

namespace {

Job deepGpt2(int64_t layers) {
  Job job = tinyGpt2(2, 2);
  job.model["n_layer"] = layers;
  return job;
}

/// The layers have a second function for sampling, as sampling has one example where training has two.
Job pairedGpt2(int64_t layers) {
  Job job = tinyGpt2(2, 2, /*microBatch=*/2);
  job.model["n_layer"] = layers;
  return job;
}

/// A model of equal matrices in blocks.
Job deepMlp(int64_t layers) {
  Job job = biasFreeMlp({64, 64}, 2, 2);
  job.model = json::parse(R"({
    "format": "windlass.model/1", "dims": {"B": "batch", "H": 64, "L": 0},
    "inputs": {"x": {"role": "features", "shape": ["B", "H"]}, "y": {"role": "targets", "shape": ["B", "H"]}},
    "params": {},
    "blocks": {"layer": {"in": ["h"], "params": {"weight": {"shape": ["H", "H"], "init": {"normal": 0.1}}},
      "ops": [{"op": "matmul", "in": ["h", "weight"], "out": "linear"},
              {"op": "relu", "in": ["linear"], "out": "active"}], "out": ["active"]}},
    "ops": [{"op": "relu", "in": ["x"], "out": "h"},
            {"repeat": "L", "block": "layer", "carry": ["h"], "name": "layer.{i}"},
            {"op": "mse", "in": ["h", "y"], "out": "losses"}],
    "loss": "losses"})");
  job.model["dims"]["L"] = layers;
  return job;
}

class FewLayers : public ::testing::TestWithParam<Job (*)(int64_t)> {};

planning::StepCounts countsOf(Planning &planning, mlir::ModuleOp lowered, const Candidate &candidate) {
  const planning::ClassTiers tiers = flow::classTiersOf(pinsOf(planning.training));
  const mlir::OwningOpRef<mlir::ModuleOp> placed = flow::placedCopy(lowered, tiers, candidate.chunkElements);
  return flow::countStep(lowered, *placed, planning.machine, tiers);
}

/// The counts of all layers, from the candidate as it is lowered.
planning::StepCounts countsOfAll(Planning &planning, const Candidate &candidate) {
  mlir::OwningOpRef<mlir::ModuleOp> all = planning.imported->clone();
  const Status lowered = planning.levels->lowerToFlow(*all, candidate);
  EXPECT_TRUE(lowered) << lowered.message();
  return countsOf(planning, *all, candidate);
}

/// Expects nearly all of a count: few layers miss only the kernels that sum over all layers, whose cost grows
/// in jumps.
void expectNearlyAll(double found, double all, const std::string &what) {
  EXPECT_LE(found, all * (1 + 1e-9)) << what;
  EXPECT_GE(found, all * (1 - 1e-3)) << what;
}

/// The strategies by name.
std::vector<std::pair<std::string, Decisions>> strategies() {
  std::vector<std::pair<std::string, Decisions>> all = {{"auto", {}}};
  for (const NamedStrategy &named : namedStrategies())
    all.emplace_back(named.name, named.decisions);
  return all;
}

TEST_P(FewLayers, countAsAllOfThem) {
  for (const auto &[name, decisions] : strategies()) {
    Planning planning(GetParam()(30));
    static_cast<Decisions &>(planning.training) = decisions;
    ModelGraphs graphs(*planning.imported);
    CandidateCounts counts(planning.training, *planning.levels, graphs);
    for (Recompute::Kind kind : {Recompute::None, Recompute::Full})
      for (int64_t zero : zeroChoices(planning.training)) {
        SCOPED_TRACE(name + ", zero " + std::to_string(zero));
        const Candidate candidate =
            makeCandidate(kind, zero, false, {30}, planning.training, planning.machine);
        const std::optional<planning::StepCounts> few = counts.of(candidate, planning.machine);
        ASSERT_TRUE(few) << "the model is deep";
        const planning::StepCounts all = countsOfAll(planning, candidate);
        EXPECT_GT(few->working, 0);
        EXPECT_LE(few->working, all.working);
        if (kind == Recompute::None)
          EXPECT_GT(few->working, all.working / 2) << "what layers keep is counted for all of them";
        EXPECT_EQ(few->resting, all.resting);
        expectNearlyAll(few->compute, all.compute, "computation");
        for (size_t lane = 0; lane < plan::kLanes; ++lane)
          expectNearlyAll(few->busy[lane], all.busy[lane],
                          std::string(plan::textOf(static_cast<plan::Lane>(lane))));
      }
  }
}

/// The most that any stage holds, per count.
planning::StepCounts mostOfStages(Planning &planning, const Candidate &candidate) {
  planning::StepCounts most;
  Result<windlass::Stages> stages = planning.levels->lowerToStages(planning.imported->clone(), candidate);
  EXPECT_TRUE(stages) << stages.status().message();
  if (!stages)
    return most;
  for (mlir::OwningOpRef<mlir::ModuleOp> &stage : stages->modules) {
    const planning::StepCounts one = countsOf(planning, *stage, candidate);
    most.working = std::max(most.working, one.working);
    for (size_t cls = 0; cls < one.resting.size(); ++cls)
      most.resting[cls] = std::max(most.resting[cls], one.resting[cls]);
  }
  return most;
}

/// The counts of few layers, which are not cut into stages, bound what the fullest stage of all layers holds.
void expectBound(Planning &planning, const Candidate &candidate) {
  ModelGraphs graphs(*planning.imported);
  CandidateCounts counts(planning.training, *planning.levels, graphs);
  const std::optional<planning::StepCounts> few = counts.of(candidate, planning.machine);
  ASSERT_TRUE(few);
  const planning::StepCounts most = mostOfStages(planning, candidate);
  EXPECT_GT(few->working, 0);
  EXPECT_LE(few->working, most.working);
  for (size_t cls = 0; cls < most.resting.size(); ++cls)
    EXPECT_LE(few->resting[cls], most.resting[cls]) << plan::kPlacementClasses[cls];
  EXPECT_EQ(few->compute, 0) << "nobody says what a stage does";
  const size_t moments = static_cast<size_t>(plan::PlacementClass::Moments);
  EXPECT_GT(few->resting[moments], most.resting[moments] / 3) << "stages are nearly equal";
}

/// Draws a deep model in a pipeline, with decisions. A seed that failed can be run again by its number.
class PipelineGenerator : Dice {
public:
  using Dice::Dice;

  Job draw(const std::string &schedule) {
    Job job = between(0, 1) ? deepMlp(kLayers) : deepGpt2(kLayers);
    const int64_t stages = between(2, 4);
    job.training["micro_batches"] = schedule == "interleaved" ? stages * between(1, 3) : between(1, 6);
    job.training.erase("recompute");
    job.training["zero_stage"] = between(0, 3);
    if (schedule != "interleaved" && between(0, 1))
      job.training["precision"] = {{"compute", "bf16"}};
    const std::vector<std::string> tiers = {"auto", "device", "host", "nvme"};
    job.training["placement"] = {{"grad", oneOf(tiers)}, {"moments", oneOf(tiers)}};
    job.training["pipeline"] = {{"schedule", schedule}};
    return onMesh(job, {between(1, 2), 1, stages});
  }

  Recompute recompute() {
    return oneOf<Recompute>({Recompute::None, Recompute::Full, {Recompute::Full, 1, between(1, kLayers)}});
  }

  static constexpr int64_t kLayers = 26;
};

class PipelineBounds : public ::testing::TestWithParam<const char *> {};

TEST_P(PipelineBounds, areNoMoreThanTheFullestStageHolds) {
  for (unsigned seed = 1; seed <= 6; ++seed) {
    PipelineGenerator draws(seed);
    const Job job = draws.draw(GetParam());
    Planning planning(job);
    const Candidate candidate =
        makeCandidate(draws.recompute(), *planning.training.zeroStage.others, false,
                      {PipelineGenerator::kLayers}, planning.training, planning.machine);
    SCOPED_TRACE(std::to_string(seed) + " " + word(candidate.recompute) + " " + job.training.dump());
    expectBound(planning, candidate);
  }
}

INSTANTIATE_TEST_SUITE_P(Schedules, PipelineBounds,
                         ::testing::Values("gpipe", "1f1b", "interleaved", "zb-h1"), [](const auto &info) {
                           std::string name = info.param;
                           std::erase(name, '-');
                           return name;
                         });

/// The counts of one program with all layers are no bound of a stage, also where only some layers are
/// recomputed.
TEST(FewLayersOf, aPipelineLeaveOutNoPlanThatFits) {
  constexpr int64_t layers = 26;
  Job job = deepMlp(layers);
  job.training.update({{"micro_batches", 4}, {"zero_stage", 0}, {"recompute", "layers:4"}});
  job.training["placement"] = {{"param", "device"}, {"grad", "device"}, {"moments", "device"}};
  job = onMesh(job, {1, 1, 4});
  job.hardware["device"]["capacity"] = "1MiB"; // all states take 1.63 MiB
  Planning planning(job);
  const Candidate candidate =
      makeCandidate({Recompute::Full, 1, 4}, 0, false, {layers}, planning.training, planning.machine);
  const Result<Planned> planned = planning.planner->plan(candidate, planning.machine);
  EXPECT_TRUE(planned) << planned.status().message();
}

/// The machines have much or little of a tier.
TEST(FewLayersOf, aDeepModelBoundWhatPlansTake) {
  int fit = 0, bounded = 0;
  for (const char *device : {"64KiB", "512KiB", "64MiB"})
    for (const auto &[name, decisions] : strategies()) {
      SCOPED_TRACE(std::string(device) + " " + name);
      Job job = deepMlp(30);
      job.hardware["device"]["capacity"] = device;
      Planning planning(job);
      static_cast<Decisions &>(planning.training) = decisions;
      Result<bool> may =
          FeasibilityCandidates::anyMayFit(planning.training, {30}, *planning.planner, planning.machine);
      ASSERT_TRUE(may) << may.status().message();
      const PlanSearch::Progress silent = [](const std::string &) {};
      PlanSearch search(planning.training, planning.machine, {30}, *planning.planner, silent);
      const double least = search.leastSeconds();
      Result<Planned> planned = search.run();
      ASSERT_TRUE(planned || cannotFit(planned.status())) << planned.status().message();
      fit += planned.status().isOk();
      bounded += !*may;
      EXPECT_TRUE(*may || !planned) << "a plan fits that the bound refused";
      if (planned)
        EXPECT_LE(least, planned->memory.step.seconds);
    }
  EXPECT_GT(fit, 0);
  EXPECT_GT(bounded, 0);
}

/// Rows are divided in every way. The way with the fewest exchanges counts.
TEST(FewLayersOf, tensorRanksBoundWhatPlansTake) {
  for (const json &rows : {json::object(), json{{"sequence_parallel", false}, {"recompute", "full"}},
                           json{{"reshard_activations", true}}, json{{"sequence_parallel", true}}}) {
    SCOPED_TRACE(rows.dump());
    Job job = onMesh(deepGpt2(6), {1, 2}).with(rows);
    job.hardware["links"]["gg"] = {{"bandwidth", "1MB/s"}, {"latency", "0us"}};
    Planning planning(job);
    const PlanSearch::Progress silent = [](const std::string &) {};
    PlanSearch search(planning.training, planning.machine, {6}, *planning.planner, silent);
    const double least = search.leastSeconds();
    Result<Planned> planned = search.run();
    ASSERT_TRUE(planned) << planned.status().message();
    EXPECT_GT(least, 0);
    EXPECT_LE(least, planned->memory.step.seconds);
  }
}

/// The result of a search is tried for other decisions, which saves a search around each of them.
TEST(FewLayersOf, aDeepModelAreSearchedOnceForAllStrategies) {
  constexpr int64_t layers = 14;
  Job job = deepGpt2(layers);
  job.training["recompute"] = "auto";
  job.hardware["device"]["capacity"] = "5MiB"; // some states do not fit
  job.hardware["links"]["cg"] = {{"in", "400MB/s"}, {"out", "400MB/s"}};
  Planning planning(job);
  const PlanSearch::Progress silent = [](const std::string &) {};
  PlanSearch search(planning.training, planning.machine, {layers}, *planning.planner, silent);
  Result<Planned> found = search.run();
  ASSERT_TRUE(found) << found.status().message();
  const std::vector<PlanSearch::Finding> findings = search.findings();
  ASSERT_FALSE(findings.empty()) << "neither none nor full is the fastest";
  EXPECT_EQ(word(findings.front().recompute), word(found->candidate.recompute));
  CandidatePlanner planner(planning.training, *planning.levels,
                           std::make_shared<ModelGraphs>(*planning.imported));
  PlanSearch again(planning.training, planning.machine, {layers}, planner, silent);
  Result<Planned> planned = again.runWith(findings, 1.25 * found->memory.step.seconds);
  ASSERT_TRUE(planned) << planned.status().message();
  EXPECT_EQ(word(planned->candidate.recompute), word(found->candidate.recompute));
  EXPECT_DOUBLE_EQ(planned->memory.step.seconds, found->memory.step.seconds);
  EXPECT_LT(planner.workSoFar().planned, planning.planner->workSoFar().planned);
}

/// Some sizes of buckets, and of parameters that stay whole, change nothing.
TEST(FewLayersOf, aDeepModelSayWhetherSizesChangeAnything) {
  constexpr int64_t layers = 30;
  Planning planning(deepGpt2(layers));
  const auto lowered = [&](const Candidate &candidate) {
    mlir::OwningOpRef<mlir::ModuleOp> all = planning.imported->clone();
    EXPECT_TRUE(planning.levels->lowerToFlow(*all, candidate));
    return all;
  };
  const Candidate plain =
      makeCandidate(Recompute::Full, 3, true, {layers}, planning.training, planning.machine);
  mlir::OwningOpRef<mlir::ModuleOp> expected = lowered(plain);
  int alike = 0, different = 0;
  for (const int64_t bucket : {plain.bucketBytes, plain.bucketBytes / 8, plain.bucketBytes * 4})
    for (const int64_t persistence : {plain.persistence, int64_t(0), int64_t(1000), int64_t(100'000)}) {
      SCOPED_TRACE(std::to_string(bucket) + " bytes, " + std::to_string(persistence) + " elements");
      Candidate other = plain;
      other.bucketBytes = bucket;
      other.persistence = persistence;
      const Result<bool> found = planning.planner->areAlike(plain, other, planning.machine);
      ASSERT_TRUE(found);
      EXPECT_EQ(*found, areSame(*expected, *lowered(other)));
      ++(*found ? alike : different);
    }
  EXPECT_GT(alike, 1);
  EXPECT_GT(different, 1);
  EXPECT_EQ(planning.planner->workSoFar().lowered, 0);
}

/// A launch that reads a whole parameter computes on the device, wherever the parameter rests.
TEST(FewLayersOf, aDeepModelComputeTheSameWhateverIsSharedOut) {
  Job job = deepGpt2(30);
  job.training.erase("zero_stage");
  Planning planning(job);
  ModelGraphs graphs(*planning.imported);
  CandidateCounts counts(planning.training, *planning.levels, graphs);
  const auto computation = [&](int64_t zero) {
    const Candidate candidate =
        makeCandidate(Recompute::None, zero, true, {30}, planning.training, planning.machine);
    const std::optional<planning::StepCounts> few = counts.of(candidate, planning.machine);
    EXPECT_TRUE(few);
    return few ? few->compute : 0;
  };
  const double ofShards = computation(3);
  EXPECT_GT(ofShards, 0);
  for (int64_t zero : {0, 1, 2})
    EXPECT_NEAR(computation(zero), ofShards, 0.01 * ofShards) << "zero " << zero;
}

/// If parameters without shards stay on the device, the bound of few layers says that they do not fit.
TEST(FewLayersOf, aDeepModelKeepWholeParametersOnTheDevice) {
  Job job = deepMlp(30);
  job.training.erase("zero_stage");
  job.hardware["device"]["capacity"] = "256KiB"; // the parameters take 480 KiB
  Planning planning(job);
  const auto bound = [&](int64_t zero) {
    return planning.planner->boundOfFew(
        makeCandidate(Recompute::Full, zero, false, {30}, planning.training, planning.machine),
        planning.machine);
  };
  const std::optional<planning::StepBound> whole = bound(2), shards = bound(3);
  ASSERT_TRUE(whole && shards);
  EXPECT_TRUE(CandidatePlanner::shortageOf(*whole, planning.machine));
  EXPECT_FALSE(CandidatePlanner::shortageOf(*shards, planning.machine));
}

/// The candidates that are lowered and the plans that are made for a refusal, on a machine with little device
/// memory.
CandidatePlanner::Work workOfRefusing(Job job, int64_t layers) {
  job.hardware["device"]["capacity"] = "48KiB";
  Planning planning(job);
  const Status refusal =
      Refusal(planning.training, planning.machine, {layers}, *planning.planner).describe([] {
        return Status::internal("nothing would help");
      });
  EXPECT_EQ(refusal.code(), ExitCode::CannotFit) << refusal.message();
  return planning.planner->workSoFar();
}

/// Bounds find the quoted change. One plan shows that it fits, and what then fills the device.
TEST(Refusing, isNoMoreWorkForMoreLayers) {
  for (int64_t layers : {32, 64, 128}) {
    const CandidatePlanner::Work work = workOfRefusing(deepMlp(layers), layers);
    EXPECT_EQ(work.lowered, 1) << layers << " layers";
    EXPECT_EQ(work.planned, 1) << layers << " layers";
  }
}

/// A hint is not worth many tiles. A caller that asks for tiles gets them for any number of layers.
TEST(TileLimits, ofADeepModelAreLeftOutByTheTilesTheyMakeAlone) {
  Planning planning(deepGpt2(100));
  const int64_t states = llvm::range_size(planning.imported->getOps<graph::StateOp>());
  ASSERT_GT(states, 1024) << "of which most are whole";
  const TileBounds bounds(*planning.levels, planning.training);
  Result<std::vector<int64_t>> all = bounds.smallerLimits(*planning.imported, INT64_MAX),
                               some = bounds.smallerLimits(*planning.imported, 1024),
                               none = bounds.smallerLimits(*planning.imported, 0);
  ASSERT_TRUE(all && some && none);
  EXPECT_FALSE(some->empty());
  EXPECT_LT(some->size(), all->size());
  EXPECT_TRUE(std::ranges::equal(*some, *all | std::views::take(some->size()))) << "the largest limits";
  EXPECT_TRUE(none->empty());
}

INSTANTIATE_TEST_SUITE_P(Models, FewLayers, ::testing::Values(deepMlp, deepGpt2, pairedGpt2));

TEST(FewLayersOf, aShallowModelAreNone) {
  Planning planning(deepMlp(8));
  EXPECT_FALSE(graph::withFewLayers(*planning.imported).module);
}

} // namespace
