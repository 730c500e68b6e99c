// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The part of PlanSearch.h that searches the activations that layers keep. The candidates are the choices of
// a front (ActivationChoices.h), in which each choice keeps fewer bytes and repeats for longer than the one
// before.
#include "compiler/driver/search/PlanSearch.h"

#include "compiler/driver/candidates/Enumeration.h"
#include "compiler/driver/candidates/StageLags.h"
#include "compiler/driver/search/Neighbours.h"
#include "passes/Flow/layout/Consumers.h"
#include "planning/Recompute/RecomputeSolver.h"
#include <algorithm>

namespace windlass {
namespace {

/// The most choices that are tried, and the number of choices on the grid, about, that they are taken from.
constexpr int64_t kMostTried = 8, kGrid = 12;
/// The search in one direction ends after more than so many slower choices in a row. A faster choice may lie
/// behind slower ones, for homes change tier one whole class of a bucket at a time.
constexpr int64_t kPatience = 2;

/// The first stage of a pipeline has a part of the layers, whose activations wait of several micro-batches.
ActivationChoices::Share shareOfStage(const TrainingOptions &training) {
  if (training.stages == 1)
    return {};
  const double stages = static_cast<double>(training.stages);
  return {1 / stages, static_cast<double>(slotsOfParts(training).front())};
}

} // namespace

/// Searches the front around the choice of least cost by the rates of the machine. A layer that keeps some
/// activations repeats for fewer seconds than one that is repeated whole.
Status PlanSearch::searchActivations(Incumbent &incumbent, const Neighbourhood &around, Trials &trials) {
  Result<ActivationChoices> choices = planner.activationChoices(limitsOf(training));
  if (!choices && !cannotFit(choices.status()))
    return choices.status();
  if (!choices) {
    plan::Trial open = {.value = word(Recompute(Recompute::PerActivation)),
                        .outcome = plan::Outcome::TooMany};
    open.figures = {
        {plan::Figure::OpenChoices, static_cast<double>(planning::RecomputeOptions().labelLimit)}};
    record(trials, std::move(open));
  }
  const int64_t last = choices ? static_cast<int64_t>(choices->size()) - 2 : 0;
  if (last < 1) // no choice lies between keeping all and keeping none
    return Status::ok();
  Result<double> compute = computeSeconds(around.zeros.front());
  if (!compute)
    return compute.status();
  Result<planning::RecomputeSolution> best =
      choices->choose(*incumbent.planned.stages.front(), around.keepsAll,
                      *compute / static_cast<double>(training.microBatches), machine, shareOfStage(training));
  if (!best && !cannotFit(best.status()))
    return best.status();
  const int64_t start = best ? std::clamp<int64_t>(static_cast<int64_t>(best->choice), 1, last) : last;
  WINDLASS_TRY(searchFront(start, *choices, *compute, around, incumbent, trials));
  return incumbent.keeps.empty() ? Status::ok() : reviseOrder(incumbent);
}

/// The seconds that the device computes in a step without repetition.
Result<double> PlanSearch::computeSeconds(int64_t zero) {
  return planner.leastSeconds(makeCandidate(Recompute::None, zero, true, size, training, machine), machine);
}

/// Local search along the front: from `start` towards choices that keep more, as long as they fit and become
/// faster; then from `start` towards choices that keep less, if the first direction ended soon or found
/// nothing faster. `compute`: computeSeconds().
Status PlanSearch::searchFront(int64_t start, const ActivationChoices &choices, double compute,
                               const Neighbourhood &around, Incumbent &incumbent, Trials &trials) {
  const int64_t last = static_cast<int64_t>(choices.size()) - 2;
  const int64_t step = std::max<int64_t>(1, last / kGrid);
  fixedOrder = incumbent.planned.candidate.order;
  int64_t tries = 0;
  // Tries the choices `from`, `from + by`, ... until one does not fit, or kPatience is over. `isShort`: no
  // choice fits so far, and those that do not fit are passed over.
  auto searchFrom = [&](int64_t from, int64_t by, bool isShort) -> Result<Outcome> {
    Outcome outcome = Outcome::Infeasible;
    int64_t slower = 0;
    for (int64_t choice = from; choice >= 1 && choice <= last && tries < kMostTried; choice += by) {
      ++tries;
      Result<Outcome> next =
          tryChoice(choices, static_cast<size_t>(choice), compute, around, incumbent, trials);
      if (!next)
        return next;
      if (outcome != Outcome::Faster)
        outcome = *next;
      isShort &= *next == Outcome::Infeasible;
      slower = *next == Outcome::Slower ? slower + 1 : 0;
      if (slower > kPatience || (*next == Outcome::Infeasible && !isShort))
        break;
    }
    return outcome;
  };
  Result<Outcome> found = searchFrom(start, -step, false);
  if (found && (tries < 3 || *found != Outcome::Faster))
    found = searchFrom(start + step, step, *found == Outcome::Infeasible);
  fixedOrder.reset();
  return found.status();
}

/// Neither keeping all residuals nor repeating whole layers fits. A choice between the two may: kept
/// activations may rest on another tier, and activations that are not repeated take memory once. Tries a few
/// choices that are spread over the front, and searches the front around the fastest. `best`: none if no
/// choice fits.
Status PlanSearch::repair(std::optional<Incumbent> &best, Trials &trials) {
  Result<ActivationChoices> choices = planner.activationChoices(limitsOf(training));
  if (!choices)
    return cannotFit(choices.status()) ? Status::ok() : choices.status();
  const Neighbourhood around{false, zeroChoices(training), kAllLayers};
  size_t start = 0;
  for (size_t choice : choices->spread()) {
    const Recompute recompute = choices->recompute(choice);
    Result<Incumbent> next =
        planFastestZero(recompute, around.zeros, best ? worthwhileSeconds(best->planned.memory) : kNoLimit);
    if (!next && !cannotFit(next.status()))
      return next.status();
    if (next) {
      next->keeps = choices->figures(choice);
      recordFit(*next, trials);
    } else {
      record(trials, infeasible(word(recompute), shortage, choices->figures(choice)));
    }
    if (next && (!best || isBetter(next->planned.memory, best->planned.memory))) {
      best = next.take();
      start = choice;
    }
  }
  if (!best || best->planned.memory.isSlow)
    return Status::ok();
  Result<double> compute = computeSeconds(around.zeros.front());
  if (!compute)
    return compute.status();
  WINDLASS_TRY(searchFront(static_cast<int64_t>(start), *choices, *compute, around, *best, trials));
  return reviseOrder(*best);
}

/// Tries the other order of micro-batches for a plan whose order was fixed by an earlier incumbent.
Status PlanSearch::reviseOrder(Incumbent &incumbent) {
  if (training.microBatchOrder != MicroBatchOrder::Auto)
    return Status::ok();
  const Candidate candidate = incumbent.planned.candidate;
  Result<Incumbent> again = candidate.order == MicroBatchOrder::Horizontal
                                ? tryVertical(std::move(incumbent.planned))
                                : planZero(candidate.recompute, candidate.zero, kNoLimit);
  if (!again)
    return cannotFit(again.status()) ? Status::ok() : again.status();
  // Of a horizontal incumbent, tryVertical() returned the incumbent or a faster plan.
  if (candidate.order == MicroBatchOrder::Vertical &&
      again->planned.memory.step.seconds > incumbent.planned.memory.step.seconds)
    return Status::ok();
  incumbent.planned = std::move(again->planned);
  incumbent.ordersTried = std::move(again->ordersTried);
  return Status::ok();
}

Result<PlanSearch::Outcome> PlanSearch::tryChoice(const ActivationChoices &choices, size_t choice,
                                                  double compute, const Neighbourhood &around,
                                                  Incumbent &incumbent, Trials &trials) {
  Recompute recompute = choices.recompute(choice);
  recompute.layers = around.layers;
  if (recompute == incumbent.planned.candidate.recompute) // the start of the search
    return Outcome::Slower;
  const plan::Figures keeps = choices.figures(choice);
  // Nobody says which of several stages repeats what: the cut between them follows.
  const double least = training.stages > 1
                           ? 0
                           : compute + static_cast<double>(training.microBatches) * choices.seconds(choice);
  const double limit = worthwhileSeconds(incumbent.planned.memory);
  if (least >= limit) {
    record(trials, bounded(word(recompute), least, keeps));
    return Outcome::Slower;
  }
  Result<Incumbent> next = planFastestZero(recompute, around.zeros, limit);
  if (!next && !cannotFit(next.status()))
    return next.status();
  if (!next) {
    record(trials, infeasible(word(recompute), shortage, keeps));
    return Outcome::Infeasible;
  }
  next->keeps = keeps;
  recordFit(*next, trials);
  const bool isFaster = isBetter(next->planned.memory, incumbent.planned.memory);
  if (isFaster) {
    next->zerosTried.insert(incumbent.zerosTried.begin(), incumbent.zerosTried.end());
    std::swap(*next, incumbent);
  }
  return isFaster ? Outcome::Faster : Outcome::Slower;
}

} // namespace windlass
