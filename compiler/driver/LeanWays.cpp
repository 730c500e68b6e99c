// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/driver/LeanWays.h"

#include <algorithm>

namespace windlass {

/// Repeating layers whole needs least of all tiers together, and keeping most elsewhere least of the device.
static constexpr size_t kLeanest = 2;

Result<LeanWays> LeanWays::of(const TrainingOptions &training, int64_t layers, CandidatePlanner &planner) {
  LeanWays ways(training, layers, planner);
  std::vector<Recompute> kinds = recomputeKinds(training);
  ways.recomputes = {kinds.back()};
  kinds.pop_back();
  ways.stagesTried = stages(training);
  std::ranges::reverse(ways.stagesTried);
  if (kinds.empty()) // as asked
    return ways;
  Result<ActivationChoices> choices = planner.activationChoices();
  if (!choices && !cannotFit(choices.status()))
    return choices.status();
  if (choices)
    for (size_t choice : choices->spread())
      ways.recomputes.push_back(choices->recompute(choice));
  ways.recomputes.insert(ways.recomputes.end(), kinds.begin(), kinds.end());
  return ways;
}

Candidate LeanWays::candidate(size_t way, const model::Machine &machine) const {
  return makeCandidate(recomputes[way / stagesTried.size()], stagesTried[way % stagesTried.size()],
                       /*prefetchRoom=*/false, layers, training, machine);
}

Result<Planned> LeanWays::plan(size_t way, const model::Machine &machine, Ask ask) const {
  return plan(candidate(way, machine), machine, ask);
}

Result<Planned> LeanWays::plan(Candidate candidate, const model::Machine &machine, Ask ask) const {
  Result<Planned> planned = planner.plan(candidate, machine, {.ask = ask});
  if (planned || !cannotFit(planned.status()))
    return planned;
  candidate.prefetchRoom = true; // needs more, but bytes that move otherwise may pack better
  return planner.plan(candidate, machine, {.ask = ask});
}

Result<bool> LeanWays::leanestFit(const model::Machine &machine, const Limits &limits) const {
  for (size_t recompute = 0; recompute < std::min(kLeanest, recomputes.size()); ++recompute) {
    Candidate cut = candidate(recompute * stagesTried.size(), machine);
    cut.limits = limits;
    Status planned = plan(cut, machine, Ask::WhetherItFits).status();
    if (planned || !cannotFit(planned))
      return planned ? Result<bool>(true) : Result<bool>(planned);
  }
  return false;
}

} // namespace windlass
