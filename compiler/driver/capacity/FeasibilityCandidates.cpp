// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/driver/capacity/FeasibilityCandidates.h"

#include "compiler/driver/candidates/Enumeration.h"
#include <algorithm>

namespace windlass {

/// Recomputations of which one needs least memory of some tier (FeasibilityCandidates::smallest()).
static constexpr size_t kSmallest = 2;

Result<FeasibilityCandidates> FeasibilityCandidates::of(const TrainingOptions &training,
                                                        const ModelSize &size, CandidatePlanner &planner) {
  FeasibilityCandidates found(training, size, planner);
  found.zeros = zeroChoices(training);
  std::ranges::reverse(found.zeros);
  Result<std::vector<Recompute>> recomputes = recomputesUnder(limitsOf(training), training, planner);
  if (!recomputes)
    return recomputes.status();
  found.recomputes = recomputes.take();
  return found;
}

Result<std::vector<Recompute>> FeasibilityCandidates::recomputesUnder(const Limits &limits,
                                                                      const TrainingOptions &training,
                                                                      CandidatePlanner &planner) {
  std::vector<Recompute> kinds = recomputeChoices(training), recomputes = {kinds.back()};
  kinds.pop_back();
  if (kinds.empty()) // recomputation is not open
    return recomputes;
  Result<ActivationChoices> choices = planner.activationChoices(limits);
  if (!choices && !cannotFit(choices.status()))
    return choices.status();
  if (choices)
    for (size_t choice : choices->spread())
      recomputes.push_back(choices->recompute(choice));
  recomputes.insert(recomputes.end(), kinds.begin(), kinds.end());
  return recomputes;
}

Candidate FeasibilityCandidates::candidate(size_t index, const model::Machine &machine) const {
  return makeCandidate(recomputes[index / zeros.size()], zeros[index % zeros.size()],
                       /*prefetchReserve=*/false, model, training, machine);
}

Result<std::optional<plan::Shortage>>
FeasibilityCandidates::certainShortage(size_t index, const model::Machine &machine) const {
  return planner.certainShortage(candidate(index, machine), machine);
}

Result<Planned> FeasibilityCandidates::plan(size_t index, const model::Machine &machine,
                                            const Wanted &wanted) const {
  return plan(candidate(index, machine), machine, wanted);
}

Result<Planned> FeasibilityCandidates::plan(Candidate candidate, const model::Machine &machine,
                                            Wanted wanted) const {
  Result<Planned> planned = planner.plan(candidate, machine, wanted);
  if (planned || !cannotFit(planned.status()))
    return planned;
  candidate.prefetchReserve = true; // needs more memory, but another order of transfers may pack better
  wanted.shortage = nullptr;
  return planner.plan(candidate, machine, wanted);
}

Candidate FeasibilityCandidates::cut(const Recompute &recompute, const model::Machine &machine,
                                     const Limits &limits) const {
  Candidate candidate =
      makeCandidate(recompute, zeros.front(), /*prefetchReserve=*/false, model, training, machine);
  candidate.limits = limits;
  return candidate;
}

Result<std::vector<Candidate>> FeasibilityCandidates::smallest(const model::Machine &machine,
                                                               const Limits &limits) const {
  Result<std::vector<Recompute>> found = recomputesUnder(limits, training, planner);
  if (!found)
    return found.status();
  std::vector<Candidate> candidates;
  for (size_t index = 0; index < std::min(kSmallest, found->size()); ++index)
    candidates.push_back(cut((*found)[index], machine, limits));
  return candidates;
}

Result<bool> FeasibilityCandidates::smallestFit(const model::Machine &machine, const Limits &limits) const {
  Result<std::vector<Candidate>> candidates = smallest(machine, limits);
  if (!candidates)
    return candidates.status();
  for (const Candidate &candidate : *candidates) {
    if (!isOpen(training.recompute) && !planner.hasKept(candidate)) // open ones keep what there is
      continue;
    Status planned = plan(candidate, machine, {.ask = Ask::WhetherItFits}).status();
    if (planned || !cannotFit(planned))
      return planned ? Result<bool>(true) : Result<bool>(planned);
  }
  return false;
}

/// Whether one of the candidates may fit, as far as a module with few of the layers says.
static bool fewLayersMayFit(const std::vector<Candidate> &candidates, CandidatePlanner &planner,
                            const model::Machine &machine) {
  return std::ranges::any_of(candidates, [&](const Candidate &candidate) {
    const std::optional<planning::StepBound> bound = planner.boundOfFew(candidate, machine);
    return !bound || !CandidatePlanner::shortageOf(*bound, machine);
  });
}

Result<bool> FeasibilityCandidates::smallestMayFit(const model::Machine &machine,
                                                   const Limits &limits) const {
  if (fewLayersMayFit({cut(recomputes.front(), machine, limits)}, planner, machine))
    return true;
  Result<std::vector<Candidate>> candidates = smallest(machine, limits); // lowers the layers to find choices
  if (!candidates)
    return candidates.status();
  return fewLayersMayFit(*candidates, planner, machine);
}

Result<bool> FeasibilityCandidates::anyMayFit(const TrainingOptions &training, const ModelSize &size,
                                              CandidatePlanner &planner, const model::Machine &machine) {
  const Candidate repeating = makeCandidate(recomputeChoices(training).back(), zeroChoices(training).back(),
                                            /*prefetchReserve=*/false, size, training, machine);
  if (fewLayersMayFit({repeating}, planner, machine))
    return true;
  Result<FeasibilityCandidates> found = of(training, size, planner); // lowers the layers to find choices
  if (!found)
    return found.status();
  std::vector<Candidate> all;
  for (size_t index = 0; index < found->size(); ++index)
    all.push_back(found->candidate(index, machine));
  return fewLayersMayFit(all, planner, machine);
}

/// The first candidate repeats most, the last keeps most: one of them has the most bytes.
Result<int64_t> FeasibilityCandidates::bytesOfEverything(const model::Machine &machine) const {
  int64_t most = 0;
  for (size_t index : {size_t{0}, size() - 1}) {
    Result<int64_t> bytes = planner.bytesOfEverything(candidate(index, machine));
    if (!bytes)
      return bytes;
    most = std::max(most, *bytes);
  }
  return most;
}

} // namespace windlass
