// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What few layers of a deep model need, all of them need; and a refusal's work does not grow with layers.
#include "passes/Graph/FewLayers.h"
#include "compiler/driver/candidates/Enumeration.h"
#include "compiler/driver/capacity/Refusal.h"
#include "dialects/Graph/IR/GraphDialect.h"
#include "test/compiler/driver/Planning.h"
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

/// Matrices of equal size, in blocks.
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

TEST_P(FewLayers, needNoMoreThanAllOfThem) {
  Planning planning(GetParam()(30));
  for (Recompute::Kind kind : {Recompute::None, Recompute::Full})
    for (int64_t zero : zeroChoices(planning.training)) {
      const Candidate candidate = makeCandidate(kind, zero, false, 30, planning.training, planning.machine);
      const int64_t least = planning.planner->leastOnDevice(candidate);
      EXPECT_GT(least, 0) << "the model is deep";
      mlir::OwningOpRef<mlir::ModuleOp> all = planning.imported->clone();
      const Status lowered = planning.levels->lowerToFlow(*all, candidate);
      ASSERT_TRUE(lowered) << lowered.message();
      Result<flow::Workspace> workspace = flow::workspaceOf(*all, candidate.chunkElements);
      ASSERT_TRUE(workspace) << workspace.status().message();
      EXPECT_LE(least, workspace->leastOnDevice) << "zero " << zero;
    }
}

/// Candidates lowered and plans made, of a machine with little of the device.
CandidatePlanner::Work workOfRefusing(Job job, int64_t layers) {
  job.hardware["device"]["capacity"] = "48KiB";
  Planning planning(job);
  const Status refusal = Refusal(planning.training, planning.machine, layers, *planning.planner).describe([] {
    return Status::internal("nothing would help");
  });
  EXPECT_EQ(refusal.code(), ExitCode::CannotFit) << refusal.message();
  return planning.planner->workSoFar();
}

/// Bounds find the change that is quoted. One plan tells that it fits, and what fills the device then.
TEST(Refusing, isNoMoreWorkForMoreLayers) {
  for (int64_t layers : {32, 64, 128}) {
    const CandidatePlanner::Work work = workOfRefusing(deepMlp(layers), layers);
    EXPECT_EQ(work.lowered, 1) << layers << " layers";
    EXPECT_EQ(work.planned, 1) << layers << " layers";
  }
}

/// A hint is not worth many tiles; whoever asks for tiles gets them, of however many layers.
TEST(TileLimits, ofADeepModelAreLeftOutByTheTilesTheyMakeAlone) {
  Planning planning(deepGpt2(100));
  const int64_t states = llvm::range_size(planning.imported->getOps<graph::StateOp>());
  ASSERT_GT(states, 1024) << "of which most are whole";
  Result<std::vector<int64_t>> all = planning.levels->smallerTileLimits(*planning.imported, INT64_MAX),
                               some = planning.levels->smallerTileLimits(*planning.imported, 1024),
                               none = planning.levels->smallerTileLimits(*planning.imported, 0);
  ASSERT_TRUE(all && some && none);
  EXPECT_FALSE(some->empty());
  EXPECT_LT(some->size(), all->size());
  EXPECT_TRUE(std::ranges::equal(*some, *all | std::views::take(some->size()))) << "the largest limits";
  EXPECT_TRUE(none->empty());
}

INSTANTIATE_TEST_SUITE_P(Models, FewLayers, ::testing::Values(deepMlp, deepGpt2));

TEST(FewLayersOf, aShallowModelAreNone) {
  Planning planning(deepMlp(8));
  EXPECT_FALSE(graph::withFewLayers(*planning.imported));
}

} // namespace
