// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The cut of the solver is the best one. For small chains the test compares it with all cuts.
#include "planning/StageCut/StageCutSolver.h"
#include "planning/StageCut/StageCutChecker.h"
#include <algorithm>
#include <functional>
#include <gtest/gtest.h>
#include <limits>
#include <random>

using namespace windlass;
using namespace windlass::planning;

namespace {

using Layers = std::vector<int64_t>;

StageCutProblem problemOf(const std::string &text) {
  Result<StageCutProblem> problem = parseStageCut(text);
  EXPECT_TRUE(problem) << problem.status().message();
  return problem ? problem.take() : StageCutProblem();
}

Layers cutOf(const std::string &text) {
  const StageCutProblem problem = problemOf(text);
  Result<StageCutSolution> solution = solveStageCut(problem);
  EXPECT_TRUE(solution) << solution.status().message();
  if (!solution)
    return {};
  const Status sound = checkStageCut(problem, *solution);
  EXPECT_TRUE(sound) << sound.message();
  return solution->layers;
}

const std::string kEven = "rank capacity=100\nstage slots=2\nstage slots=1\n";

TEST(StageCutSolver, equalLayersAreCutEvenly) {
  EXPECT_EQ(cutOf(kEven + "layer seconds=1\nlayer seconds=1\nlayer seconds=1\nlayer seconds=1\n"),
            (Layers{2, 2}));
}

/// The head takes as long as two layers, so that the last stage has fewer layers.
TEST(StageCutSolver, theEndsAreSeen) {
  EXPECT_EQ(cutOf(kEven + "layer seconds=1\nlayer seconds=1\nlayer seconds=1\nlayer seconds=3\n"),
            (Layers{3, 1}));
}

/// The first stage keeps two micro-batches, so that only one layer fits it, though this cut is slower.
TEST(StageCutSolver, whatWaitsFindsRoom) {
  EXPECT_EQ(cutOf(kEven + "layer seconds=1 kept=40\nlayer seconds=1 kept=40\nlayer seconds=1 kept=40\n"),
            (Layers{1, 2}));
  EXPECT_EQ(cutOf("rank capacity=1000\nstage slots=2\nstage slots=1\nlayer seconds=1 kept=40\n"
                  "layer seconds=1 kept=40\nlayer seconds=2 kept=40\n"),
            (Layers{2, 1}));
}

/// Without the joint the best cut would be 2 and 2.
TEST(StageCutSolver, layersRepeatedTogetherStayTogether) {
  const std::string layers =
      "layer seconds=1\nlayer seconds=1 joined=1\nlayer seconds=1\nlayer seconds=1.5\n";
  EXPECT_EQ(cutOf(kEven + layers), (Layers{3, 1}));
  const Status none =
      solveStageCut(problemOf(kEven + "layer seconds=1 joined=1\nlayer seconds=1\n")).status();
  EXPECT_EQ(none.code(), ExitCode::BadInput);
  EXPECT_EQ(
      none.message(),
      "layers that are repeated together, or whose gradients need what later layers make, leave no cut into "
      "2 stages: 1 stage would do");
}

TEST(StageCutSolver, saysWhatItCannotDo) {
  EXPECT_EQ(solveStageCut(problemOf(kEven + "layer seconds=1\n")).status().message(), "1 layer for 2 stages");
  const Status full =
      solveStageCut(problemOf(kEven + "layer seconds=1 kept=60\nlayer seconds=1 kept=60\n")).status();
  EXPECT_EQ(full.code(), ExitCode::CannotFit);
}

TEST(StageCutSolver, textReadsBack) {
  const std::string text =
      "rank capacity=7\nstage slots=3\nlayer seconds=0.5 kept=2 joined=1\nlayer seconds=1 kept=0\n";
  EXPECT_EQ(printStageCut(problemOf(text)), text);
  EXPECT_FALSE(parseStageCut("stages 3"));
}

/// The seconds of the slowest stage of the best cut; infinite if no cut fits.
double bestByAll(const StageCutProblem &problem) {
  double best = std::numeric_limits<double>::infinity();
  std::function<void(size_t, size_t, double)> go = [&](size_t stage, size_t first, double slowest) {
    if (stage == problem.slots.size()) {
      if (first == problem.layers.size())
        best = std::min(best, slowest);
      return;
    }
    double seconds = 0;
    int64_t kept = 0;
    for (size_t layer = first; layer < problem.layers.size(); ++layer) {
      seconds += problem.layers[layer].seconds;
      kept += problem.layers[layer].kept * problem.slots[stage];
      const bool isParted = layer + 1 < problem.layers.size() && problem.layers[layer].joined;
      if (kept <= problem.capacity && !isParted)
        go(stage + 1, layer + 1, std::max(slowest, seconds));
    }
  };
  go(0, 0, 0);
  return best;
}

TEST(StageCutSolver, noCutOfSmallChainsIsBetter) {
  std::mt19937 random(7);
  auto draw = [&](int64_t low, int64_t high) {
    return low + static_cast<int64_t>(random() % static_cast<uint64_t>(high - low + 1));
  };
  int fit = 0, full = 0;
  for (int round = 0; round < 400; ++round) {
    StageCutProblem problem;
    problem.capacity = draw(20, 80);
    const int64_t stages = draw(1, 4);
    for (int64_t stage = 0; stage < stages; ++stage)
      problem.slots.push_back(stages - stage);
    for (int64_t layer = draw(stages, 8); layer > 0; --layer)
      problem.layers.push_back({static_cast<double>(draw(1, 9)), draw(0, 15), draw(0, 5) == 0});
    SCOPED_TRACE(printStageCut(problem));
    const double best = bestByAll(problem);
    Result<StageCutSolution> solution = solveStageCut(problem);
    ASSERT_EQ(static_cast<bool>(solution), best < std::numeric_limits<double>::infinity());
    ++(solution ? fit : full);
    if (!solution)
      continue;
    EXPECT_TRUE(checkStageCut(problem, *solution));
    EXPECT_EQ(solution->seconds, best);
  }
  EXPECT_GT(fit, 100);
  EXPECT_GT(full, 20);
}

} // namespace
