// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/driver/PlanSearch.h"

#include "passes/Flow/layout/Consumers.h"
#include "runtime/base/Counted.h"
#include <algorithm>

using namespace mlir;

namespace windlass {
namespace {

/// Numbers of repeated layers that are tried after one another without being faster.
constexpr int64_t kTriesInVain = 2;
/// Numbers of repeated layers to choose from, about.
constexpr int64_t kCounts = 8;
/// The same where it is only asked which are enough.
constexpr int64_t kFineCounts = 32;

/// The least part of what might stay gathered that is tried.
constexpr int64_t kLeastKept = 8;

} // namespace

plan::Trial PlanSearch::Taken::trial() const {
  return played(word(planned.candidate.recompute), planned.memory, keeps);
}

/// The first way of recomputation that fits; left to the planner, then of as many layers as is fastest.
Result<Planned> PlanSearch::run(double limit) {
  withoutTurns = limit;
  Status shortfall = Status::ok();
  const std::vector<Recompute> kinds = recomputeKinds(training);
  Trials trials;
  for (const Recompute &recompute : kinds) {
    Result<Taken> taken = planStages(recompute, stages(training));
    if (!taken && !cannotFit(taken.status()))
      return taken.status();
    if (!taken) {
      shortfall = taken.status();
      note(trials, unfit(word(recompute), missing));
      continue;
    }
    if (taken->planned.memory.isSlow)
      return std::move(taken->planned);
    note(trials, taken->trial());
    const bool keepsAll = recompute == Recompute::None;
    if (kinds.size() > 1 && !(keepsAll && flow::allOnDevice(taken->planned.memory.homes))) {
      // The last layer keeps everything: what it repeated would take the same bytes at the same time.
      Ground ground{keepsAll, stages(training), flow::countTrainedLayers(*taken->planned.module) - 1};
      if (!keepsAll) // what needs less memory leaves no stage behind that had room before
        std::erase_if(ground.stages, [&](int64_t stage) { return stage < taken->planned.candidate.stage; });
      WINDLASS_TRY(keepSome(*taken, ground, trials));
      if (training.recompute == Recompute::Auto && taken->keeps.empty())
        WINDLASS_TRY(repeatSome(*taken, ground, trials));
    }
    return finish(taken.take(), shortfall, std::move(trials));
  }
  Result<Taken> taken = kinds.size() > 1 ? keepToFit(shortfall, trials) : Result<Taken>(shortfall);
  return taken ? finish(taken.take(), shortfall, std::move(trials)) : Result<Planned>(taken.status());
}

/// Settles what remains, and records why everything is as it is. `shortfall`: of whole ways of recomputation;
/// `trials`: what came of all of them.
Result<Planned> PlanSearch::finish(Taken taken, const Status &shortfall, Trials trials) {
  std::vector<plan::Reason> reasons = {reasonOfRecompute(taken, shortfall, std::move(trials)),
                                       reasonOfStage(taken)};
  WINDLASS_TRY(sizeBuckets(taken.planned, reasons));
  WINDLASS_TRY(keepWhole(taken.planned, reasons));
  if (!taken.ordersTried.empty())
    reasons.push_back(reasonOf(plan::Decision::MicroBatchOrder,
                               std::string(word(taken.planned.candidate.order)), plan::Basis::Fastest,
                               std::move(taken.ordersTried)));
  WINDLASS_TRY(keepGathered(taken.planned, reasons));
  taken.planned.reasons = std::move(reasons);
  return std::move(taken.planned);
}

/// At the stage that plays fastest; of use within the seconds of `limit`.
Result<PlanSearch::Taken> PlanSearch::planStages(const Recompute &recompute,
                                                 const std::vector<int64_t> &stages, double limit) {
  std::optional<Taken> best;
  Status shortfall = Status::ok();
  std::map<int64_t, plan::Trial> trials;
  for (int64_t stage : stages) {
    Result<Taken> next =
        planStage(recompute, stage, best ? std::min(limit, best->planned.memory.step.seconds) : limit);
    if (!next && !cannotFit(next.status()))
      return next.status();
    const std::string value = std::to_string(stage);
    trials[stage] = next ? played(value, next->planned.memory) : unfit(value, missing);
    if (!next)
      shortfall = next.status();
    else if (!best || next->planned.memory.step.isBetter(best->planned.memory.step))
      best = next.take();
    if (best && training.dataRanks == 1)
      break; // the second is for what the first cannot hold
  }
  if (!best)
    return shortfall;
  best->stagesTried = std::move(trials);
  return std::move(*best);
}

/// In the order of micro-batches that plays faster, where it is not settled; else of use within the seconds
/// of `limit`.
Result<PlanSearch::Taken> PlanSearch::planStage(const Recompute &recompute, int64_t stage, double limit) {
  if (settled) {
    Result<Planned> planned = planOrder(recompute, stage, *settled == MicroBatchOrder::Vertical, limit);
    return planned ? Result<Taken>(Taken{planned.take()}) : Result<Taken>(planned.status());
  }
  Result<Planned> planned = planOrder(recompute, stage, /*inTurn=*/false, withoutTurns);
  return planned ? tryTurns(planned.take()) : planned.status();
}

/// A horizontal plan, or a vertical one of the same candidate where that is worth it.
Result<PlanSearch::Taken> PlanSearch::tryTurns(Planned planned) {
  const Candidate &candidate = planned.candidate;
  if (!mayTakeTurns(training, candidate, planned.memory, *planned.module))
    return Taken{std::move(planned)};
  Result<Planned> vertical =
      planOrder(candidate.recompute, candidate.stage, /*inTurn=*/true, mostWorthIt(planned.memory));
  if (!vertical && !cannotFit(vertical.status()))
    return vertical.status();
  const std::string ways[] = {std::string(word(MicroBatchOrder::Horizontal)),
                              std::string(word(MicroBatchOrder::Vertical))};
  const Trials trials = {played(ways[0], planned.memory),
                         vertical ? played(ways[1], vertical->memory) : unfit(ways[1], missing)};
  const bool turns = vertical && vertical->memory.step.seconds <= mostWorthIt(planned.memory);
  return Taken{turns ? vertical.take() : std::move(planned), {}, trials};
}

/// With room to prefetch, or else without; `inTurn`: vertical, also where nobody asked for it. Of use within
/// the seconds of `limit`.
Result<Planned> PlanSearch::planOrder(const Recompute &recompute, int64_t stage, bool inTurn, double limit) {
  std::string what = "planning with recompute " + word(recompute) + ", ZeRO stage " + std::to_string(stage);
  if (inTurn)
    what += ", all micro-batches of a layer before the next";
  auto planWith = [&](bool prefetchRoom) {
    Candidate candidate = makeCandidate(recompute, stage, prefetchRoom, layers, training, machine);
    if (inTurn)
      candidate.order = MicroBatchOrder::Vertical;
    return planner.plan(candidate, machine, {.limit = limit, .shortage = prefetchRoom ? nullptr : &missing});
  };
  progress(what);
  Result<Planned> planned = planWith(true);
  if (planned || !cannotFit(planned.status()))
    return planned;
  progress(what + ", without room to prefetch");
  return planWith(false);
}

/// Repeating a layer takes time and gives memory, in which states may rest nearer: tries numbers of layers,
/// from the fewest that fit on. Keeps the fastest, `taken` among them.
Status PlanSearch::repeatSome(Taken &taken, const Ground &ground, Trials &trials) {
  const std::vector<int64_t> &allowed = ground.stages;
  const int64_t all = flow::countTrainedLayers(*taken.planned.module);
  const int64_t step = std::max<int64_t>(1, all / kCounts);
  Result<int64_t> fewest = ground.keepsAll ? Result<int64_t>(step) : fewestLayers(all, allowed);
  if (!fewest)
    return fewest.status();
  int64_t inVain = 0;
  for (int64_t count = *fewest; count < all && inVain < kTriesInVain; count += step) {
    const Recompute recompute{Recompute::Full, 1, count};
    Result<double> least = planner.leastSeconds(
        makeCandidate(recompute, allowed.front(), true, layers, training, machine), machine);
    if (!least)
      return least.status();
    if (*least >= taken.planned.memory.step.seconds) { // and so do all larger numbers
      note(trials, bounded(word(recompute), *least));
      break;
    }
    Result<Taken> next = planStages(recompute, allowed);
    if (!next && !cannotFit(next.status()))
      return next.status();
    note(trials, next ? next->trial() : unfit(word(recompute), missing));
    const bool isFaster = next && next->planned.memory.step.isBetter(taken.planned.memory.step);
    inVain = isFaster ? 0 : inVain + 1;
    if (isFaster) {
      next->stagesTried.insert(taken.stagesTried.begin(), taken.stagesTried.end());
      std::swap(*next, taken);
    }
  }
  return Status::ok();
}

/// Lets parameters stay gathered for the backward pass where that is faster: of all buckets, or half of them,
/// and so on, first of those that stay for the shortest time.
Status PlanSearch::keepGathered(Planned &taken, std::vector<plan::Reason> &reasons) {
  if (!mayKeepGathered(training, taken.candidate, taken.memory))
    return Status::ok();
  Result<std::vector<std::string>> again = planner.gatheredAgain(taken.candidate);
  if (!again)
    return again.status();
  std::erase_if(
      *again, [&](const std::string &bucket) { return training.reshardAfterForward.at(bucket).has_value(); });
  const int64_t all = std::ssize(*again);
  Trials trials = {played("0", taken.memory)};
  for (int64_t count = all; count > 0 && count * kLeastKept >= all; count /= 2) {
    progress("planning with " + std::to_string(count) + " of " + counted(all, "bucket") +
             " gathered once for both passes");
    Candidate candidate = taken.candidate;
    candidate.kept.assign(again->begin(), again->begin() + count);
    const double limit = mostWorthIt(taken.memory);
    Result<Planned> next = planner.plan(candidate, machine, {.limit = limit});
    if (!next && !cannotFit(next.status()))
      return next.status();
    const std::string value = std::to_string(count);
    note(trials, next ? played(value, next->memory) : unfit(value));
    if (!next || next->memory.step.seconds > limit)
      continue;
    taken = next.take();
    break;
  }
  if (all == 0)
    return Status::ok();
  reasons.push_back(reasonOf(plan::Decision::ReshardAfterForward, std::to_string(taken.candidate.kept.size()),
                             plan::Basis::Fastest, std::move(trials)));
  reasons.back().figures = {{plan::Figure::Buckets, static_cast<double>(all)}};
  return Status::ok();
}

/// Of `all`, which fit, in steps of which there are never more than kFineCounts.
Result<int64_t> PlanSearch::fewestLayers(int64_t all, const std::vector<int64_t> &stages) {
  const int64_t step = (all + kFineCounts - 1) / kFineCounts;
  int64_t fewest = 1; // steps
  for (int64_t most = (all + step - 1) / step; fewest < most;) {
    const int64_t middle = fewest + (most - fewest) / 2;
    progress("looking whether it is enough to repeat " + std::to_string(middle * step) + " of " +
             counted(all, "layer"));
    Result<bool> enough = fits({Recompute::Full, 1, middle * step}, stages);
    if (!enough)
      return enough.status();
    (*enough ? most : fewest) = *enough ? middle : middle + 1;
  }
  return std::min(all, fewest * step);
}

Result<bool> PlanSearch::fits(const Recompute &recompute, const std::vector<int64_t> &stages) {
  for (int64_t stage : llvm::reverse(stages)) { // what needs least memory first
    const Candidate lean = makeCandidate(recompute, stage, /*prefetchRoom=*/false, layers, training, machine);
    Status planned = planner.plan(lean, machine, {.ask = Ask::WhetherItFits}).status();
    if (planned || !cannotFit(planned))
      return planned ? Result<bool>(true) : Result<bool>(planned);
  }
  return false;
}

plan::Reason PlanSearch::reasonOfRecompute(const Taken &taken, const Status &shortfall, Trials trials) const {
  const Recompute &recompute = taken.planned.candidate.recompute;
  const bool isOnlyWay = recomputeKinds(training).size() == 1, isImplied = isOpen(training.recompute);
  const plan::Basis basis = isOnlyWay && isImplied                              ? plan::Basis::Implied
                            : isOnlyWay                                         ? plan::Basis::Asked
                            : recompute == Recompute::None || !shortfall.isOk() ? plan::Basis::FirstThatFits
                                                                                : plan::Basis::Fastest;
  plan::Reason reason = reasonOf(plan::Decision::Recompute, word(recompute), basis, std::move(trials));
  if (basis == plan::Basis::Implied && training.checkpointHome.of.empty())
    reason.rests = {{.tier = *training.checkpointHome.others}};
  if (recompute.layers > 0)
    reason.figures = {
        {plan::Figure::RepeatedLayers, static_cast<double>(recompute.layers)},
        {plan::Figure::TrainedLayers, static_cast<double>(flow::countTrainedLayers(*taken.planned.module))}};
  return reason;
}

plan::Reason PlanSearch::reasonOfStage(const Taken &taken) const {
  const bool isAsked = training.zeroStage.others.has_value();
  Trials trials;
  for (const auto &[stage, trial] : taken.stagesTried) {
    trials.push_back(trial);
    // Left open, parameters that are not partitioned stay on the device.
    trials.back().wholeParameters = !isAsked && training.dataRanks > 1 && stage < 3;
  }
  const plan::Basis basis = isAsked                        ? plan::Basis::Asked
                            : stages(training).size() == 1 ? plan::Basis::Implied
                            : training.dataRanks == 1      ? plan::Basis::FirstThatFits
                                                           : plan::Basis::Fastest;
  return reasonOf(plan::Decision::ZeroStage, std::to_string(taken.planned.candidate.stage), basis,
                  std::move(trials));
}

} // namespace windlass
