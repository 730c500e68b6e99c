// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "planning/StageCut/StageCutSolver.h"

#include "runtime/base/Counted.h"
#include <algorithm>
#include <limits>

namespace windlass::planning {
namespace {

/// Seconds of stages, as cuts are compared: equal to rounding, the second number decides.
struct Cost {
  double slowest = std::numeric_limits<double>::infinity(), squares = 0;

  bool isBetter(const Cost &other) const {
    constexpr double kRounding = 1e-12; // seconds that differ by no larger share are equal
    if (slowest < other.slowest * (1 - kRounding) || other.slowest < slowest * (1 - kRounding))
      return slowest < other.slowest;
    return squares < other.squares * (1 - kRounding);
  }
};

/// The best cut of the first layers into the first stages.
struct Entry {
  Cost cost;
  size_t first = 0; ///< layer of the last of these stages
};

/// The most stages into which the layers can be cut; joined layers stay in one stage.
int64_t mostStages(const StageCutProblem &problem) {
  int64_t most = 1;
  for (size_t layer = 0; layer + 1 < problem.layers.size(); ++layer)
    most += problem.layers[layer].joined ? 0 : 1;
  return most;
}

Status refuseCut(const StageCutProblem &problem) {
  const int64_t most = mostStages(problem), stages = std::ssize(problem.slots);
  if (stages <= most)
    return Status::cannotFit("no cut leaves every stage room for what waits in it");
  return Status::badInput(
      "layers that are repeated together, or whose gradients need what later layers make, "
      "leave no cut into " +
      counted(stages, "stage") + ": " + counted(most, "stage") + " would do");
}

} // namespace

Result<StageCutSolution> solveStageCut(const StageCutProblem &problem) {
  const size_t layers = problem.layers.size(), stages = problem.slots.size();
  if (stages == 0 || layers < stages)
    return Status::badInput(counted(static_cast<int64_t>(layers), "layer") + " for " +
                            counted(static_cast<int64_t>(stages), "stage"));
  std::vector<std::vector<Entry>> best(stages + 1, std::vector<Entry>(layers + 1));
  best[0][0].cost = {0, 0};
  for (size_t stage = 0; stage < stages; ++stage)
    for (size_t first = stage; first < layers; ++first) {
      double seconds = 0;
      __int128 kept = 0;
      for (size_t behind = first + 1; behind <= layers - (stages - 1 - stage); ++behind) {
        seconds += problem.layers[behind - 1].seconds;
        kept += problem.layers[behind - 1].kept;
        if (kept * problem.slots[stage] > problem.capacity)
          break;
        if (behind < layers && problem.layers[behind - 1].joined)
          continue;
        const Cost &before = best[stage][first].cost;
        const Cost cost = {std::max(before.slowest, seconds), before.squares + seconds * seconds};
        if (Entry &entry = best[stage + 1][behind]; cost.isBetter(entry.cost))
          entry = {cost, first};
      }
    }
  if (best[stages][layers].cost.slowest == Cost().slowest)
    return refuseCut(problem);
  StageCutSolution solution{std::vector<int64_t>(stages), best[stages][layers].cost.slowest};
  for (size_t stage = stages, behind = layers; stage-- > 0;) {
    const size_t first = best[stage + 1][behind].first;
    solution.layers[stage] = static_cast<int64_t>(behind - first);
    behind = first;
  }
  return solution;
}

} // namespace windlass::planning
