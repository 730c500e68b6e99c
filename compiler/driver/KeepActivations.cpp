// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The part of the search for a plan that chooses which activations are kept.

#include "compiler/driver/PlanSearch.h"
#include "passes/Flow/layout/Consumers.h"
#include "planning/Recompute/RecomputeSolver.h"
#include <algorithm>

namespace windlass {
namespace {

/// Choices of activations that are planned, and to choose from, about.
constexpr int64_t kTriedChoices = 8, kChoices = 12;
/// So many that are slower may lie before one that is faster: homes move in lumps.
constexpr int64_t kPatience = 2;

} // namespace

/// Keeping some activations takes less time than repeating layers whole. Begins with the choice that the
/// rates of the machine call best, and goes on to what keeps more, as long as that fits and is faster; and to
/// what keeps less, where the first does not fit or nothing that keeps more is faster.
Status PlanSearch::keepSome(Taken &taken, const Ground &ground, Trials &trials) {
  Result<ActivationChoices> choices = planner.activationChoices();
  if (!choices && !cannotFit(choices.status()))
    return choices.status();
  if (!choices) {
    plan::Trial open = {.value = word(Recompute(Recompute::PerActivation)),
                        .outcome = plan::Outcome::TooMany};
    open.figures = {
        {plan::Figure::OpenChoices, static_cast<double>(planning::RecomputeOptions().labelLimit)}};
    note(trials, std::move(open));
  }
  const int64_t last = choices ? static_cast<int64_t>(choices->size()) - 2 : 0;
  if (last < 1) // nothing between all and nothing
    return Status::ok();
  Result<double> compute = computeSeconds(ground.stages.front());
  if (!compute)
    return compute.status();
  Result<planning::RecomputeSolution> best = choices->choose(
      *taken.planned.module, ground.keepsAll, *compute / static_cast<double>(training.microBatches), machine);
  if (!best && !cannotFit(best.status()))
    return best.status();
  const int64_t start = best ? std::clamp<int64_t>(static_cast<int64_t>(best->choice), 1, last) : last;
  WINDLASS_TRY(walkFrom(start, *choices, *compute, ground, taken, trials));
  return taken.keeps.empty() ? Status::ok() : tryOrders(taken);
}

/// Of a step without repetition.
Result<double> PlanSearch::computeSeconds(int64_t stage) {
  return planner.leastSeconds(makeCandidate(Recompute::None, stage, true, layers, training, machine),
                              machine);
}

/// To what keeps more, and to what keeps less, as said above.
Status PlanSearch::walkFrom(int64_t start, const ActivationChoices &choices, double compute,
                            const Ground &ground, Taken &taken, Trials &trials) {
  const int64_t last = static_cast<int64_t>(choices.size()) - 2;
  const int64_t step = std::max<int64_t>(1, last / kChoices);
  settled = taken.planned.candidate.order;
  int64_t tries = 0;
  /// Until something fits, if nothing did, and more than `kPatience` in turn are slower; whether something
  /// was faster.
  auto walk = [&](int64_t from, int64_t by, bool isShort) -> Result<Outcome> {
    Outcome outcome = Outcome::NoRoom;
    int64_t slower = 0;
    for (int64_t choice = from; choice >= 1 && choice <= last && tries < kTriedChoices; choice += by) {
      ++tries;
      Result<Outcome> next = tryChoice(choices, static_cast<size_t>(choice), compute, ground, taken, trials);
      if (!next)
        return next;
      if (outcome != Outcome::Faster)
        outcome = *next;
      isShort &= *next == Outcome::NoRoom;
      slower = *next == Outcome::Slower ? slower + 1 : 0;
      if (slower > kPatience || (*next == Outcome::NoRoom && !isShort))
        break;
    }
    return outcome;
  };
  Result<Outcome> first = walk(start, -step, false);
  if (first && (tries < 3 || *first != Outcome::Faster))
    first = walk(start + step, step, *first == Outcome::NoRoom);
  settled.reset();
  return first.status();
}

/// Neither keeping all residuals nor repeating layers whole fits: activations that are kept may leave the
/// device, and what is not repeated is not there twice. `shortfall`: if nothing fits. The fastest of a few,
/// and of those beside it.
Result<PlanSearch::Taken> PlanSearch::keepToFit(const Status &shortfall, Trials &trials) {
  Result<ActivationChoices> choices = planner.activationChoices();
  if (!choices)
    return cannotFit(choices.status()) ? shortfall : choices.status();
  const Ground ground{false, stages(training), kAllLayers};
  std::optional<Taken> best;
  size_t start = 0;
  for (size_t choice : choices->spread()) {
    const Recompute recompute = choices->recompute(choice);
    Result<Taken> next =
        planStages(recompute, ground.stages, best ? best->planned.memory.step.seconds : kNoLimit);
    if (!next && !cannotFit(next.status()))
      return next.status();
    if (next)
      next->keeps = choices->figures(choice);
    note(trials, next ? next->trial() : unfit(word(recompute), missing, choices->figures(choice)));
    if (next && (!best || next->planned.memory.step.isBetter(best->planned.memory.step))) {
      best = next.take();
      start = choice;
    }
  }
  if (!best)
    return shortfall;
  Result<double> compute = computeSeconds(ground.stages.front());
  if (!compute)
    return compute.status();
  WINDLASS_TRY(walkFrom(static_cast<int64_t>(start), *choices, *compute, ground, *best, trials));
  WINDLASS_TRY(tryOrders(*best));
  return std::move(*best);
}

/// Of a plan whose order of micro-batches was settled for another one.
Status PlanSearch::tryOrders(Taken &taken) {
  if (training.microBatchOrder != MicroBatchOrder::Auto)
    return Status::ok();
  const Candidate candidate = taken.planned.candidate;
  Result<Taken> again = candidate.order == MicroBatchOrder::Horizontal
                            ? tryTurns(std::move(taken.planned))
                            : planStage(candidate.recompute, candidate.stage, kNoLimit);
  if (!again) // of one micro-batch after the other
    return cannotFit(again.status()) ? Status::ok() : again.status();
  // The horizontal plan was handed on, and comes back unless the other is better.
  if (candidate.order == MicroBatchOrder::Vertical &&
      again->planned.memory.step.seconds > taken.planned.memory.step.seconds)
    return Status::ok();
  taken.planned = std::move(again->planned);
  taken.ordersTried = std::move(again->ordersTried);
  return Status::ok();
}

Result<PlanSearch::Outcome> PlanSearch::tryChoice(const ActivationChoices &choices, size_t choice,
                                                  double compute, const Ground &ground, Taken &taken,
                                                  Trials &trials) {
  Recompute recompute = choices.recompute(choice);
  recompute.layers = ground.layers;
  if (recompute == taken.planned.candidate.recompute) // from which others are looked for
    return Outcome::Slower;
  const plan::Figures keeps = choices.figures(choice);
  const double least = compute + static_cast<double>(training.microBatches) * choices.seconds(choice);
  if (least >= taken.planned.memory.step.seconds) {
    note(trials, bounded(word(recompute), least, keeps));
    return Outcome::Slower;
  }
  Result<Taken> next = planStages(recompute, ground.stages, taken.planned.memory.step.seconds);
  if (!next && !cannotFit(next.status()))
    return next.status();
  if (!next) {
    note(trials, unfit(word(recompute), missing, keeps));
    return Outcome::NoRoom;
  }
  next->keeps = keeps;
  note(trials, next->trial());
  const bool isFaster = next->planned.memory.step.isBetter(taken.planned.memory.step);
  if (isFaster) {
    next->stagesTried.insert(taken.stagesTried.begin(), taken.stagesTried.end());
    std::swap(*next, taken);
  }
  return isFaster ? Outcome::Faster : Outcome::Slower;
}

} // namespace windlass
