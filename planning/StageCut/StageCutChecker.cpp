// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "planning/StageCut/StageCutChecker.h"

#include <algorithm>
#include <cmath>

namespace windlass::planning {

Status checkStageCut(const StageCutProblem &problem, const StageCutSolution &solution) {
  if (solution.layers.size() != problem.slots.size())
    return Status::internal(std::to_string(solution.layers.size()) + " stages of " +
                            std::to_string(problem.slots.size()) + " have layers");
  size_t layer = 0;
  double slowest = 0;
  for (size_t stage = 0; stage < solution.layers.size(); ++stage) {
    const std::string name = "stage " + std::to_string(stage);
    if (solution.layers[stage] < 1)
      return Status::internal(name + " has " + std::to_string(solution.layers[stage]) + " layers");
    double seconds = 0;
    int64_t kept = 0;
    for (int64_t i = 0; i < solution.layers[stage]; ++i, ++layer) {
      if (layer == problem.layers.size())
        return Status::internal(name + " has a layer behind the last");
      seconds += problem.layers[layer].seconds;
      kept += problem.layers[layer].kept * problem.slots[stage];
    }
    if (layer < problem.layers.size() && problem.layers[layer - 1].joined)
      return Status::internal(name + " ends with layer " + std::to_string(layer - 1) +
                              ", which is joined to the next");
    if (kept > problem.capacity)
      return Status::internal(name + " keeps " + std::to_string(kept) + " bytes, its rank holds " +
                              std::to_string(problem.capacity));
    slowest = std::max(slowest, seconds);
  }
  if (layer != problem.layers.size())
    return Status::internal("layer " + std::to_string(layer) + " has no stage");
  if (std::abs(slowest - solution.seconds) > 1e-9 * slowest)
    return Status::internal("the slowest stage takes " + std::to_string(slowest) + " s, not " +
                            std::to_string(solution.seconds));
  return Status::ok();
}

} // namespace windlass::planning
