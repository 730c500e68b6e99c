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

Result<bool> LeanWays::mayFit(size_t way, const model::Machine &machine) const {
  return planner.mayFit(candidate(way, machine), machine);
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

std::vector<Candidate> LeanWays::leanest(const model::Machine &machine, const Limits &limits) const {
  std::vector<Candidate> candidates;
  for (size_t recompute = 0; recompute < std::min(kLeanest, recomputes.size()); ++recompute) {
    candidates.push_back(candidate(recompute * stagesTried.size(), machine));
    candidates.back().limits = limits;
  }
  return candidates;
}

Result<bool> LeanWays::leanestFit(const model::Machine &machine, const Limits &limits) const {
  for (const Candidate &cut : leanest(machine, limits)) {
    Status planned = plan(cut, machine, Ask::WhetherItFits).status();
    if (planned || !cannotFit(planned))
      return planned ? Result<bool>(true) : Result<bool>(planned);
  }
  return false;
}

/// Whether few of the layers of one find room.
static bool fewLayersMayFit(const std::vector<Candidate> &candidates, CandidatePlanner &planner,
                            const model::Machine &machine) {
  return std::ranges::any_of(candidates, [&](const Candidate &candidate) {
    return planner.leastOnDevice(candidate) <= machine.capacity(plan::Tier::Device);
  });
}

bool LeanWays::leanestMayFit(const model::Machine &machine, const Limits &limits) const {
  return fewLayersMayFit(leanest(machine, limits), planner, machine);
}

Result<bool> LeanWays::anyMayFit(const TrainingOptions &training, int64_t layers, CandidatePlanner &planner,
                                 const model::Machine &machine) {
  const Candidate repeating = makeCandidate(recomputeKinds(training).back(), stages(training).back(),
                                            /*prefetchRoom=*/false, layers, training, machine);
  if (fewLayersMayFit({repeating}, planner, machine))
    return true;
  Result<LeanWays> ways = of(training, layers, planner); // which takes longer to find
  if (!ways)
    return ways.status();
  std::vector<Candidate> all;
  for (size_t way = 0; way < ways->size(); ++way)
    all.push_back(ways->candidate(way, machine));
  return fewLayersMayFit(all, planner, machine);
}

/// The first and the last are those that repeat most and keep most.
Result<int64_t> LeanWays::bytesOfEverything(const model::Machine &machine) const {
  int64_t most = 0;
  for (size_t way : {size_t{0}, size() - 1}) {
    Result<int64_t> bytes = planner.bytesOfEverything(candidate(way, machine));
    if (!bytes)
      return bytes;
    most = std::max(most, *bytes);
  }
  return most;
}

} // namespace windlass
