// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/driver/PlanSearch.h"

#include "passes/Flow/layout/Consumers.h"
#include "runtime/base/Counted.h"
#include "runtime/base/Units.h"
#include "runtime/plan/Words.h"
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

std::string takes(const flow::MemoryPlan &plan) {
  return formatSeconds(plan.step.seconds) + (plan.isSlow ? " a step, not laid out" : " a step as laid out");
}

std::string PlanSearch::Taken::outcome() const {
  return (keeps.empty() ? word(planned.candidate.recompute) : keeps) + ": " + takes(planned.memory);
}

/// The first way of recomputation that fits; left to the planner, then of as many layers as is fastest.
Result<Planned> PlanSearch::run(double limit) {
  withoutTurns = limit;
  Status shortfall = Status::ok();
  const std::vector<Recompute> kinds = recomputeKinds(training);
  for (const Recompute &recompute : kinds) {
    Result<Taken> taken = planStages(recompute, stages(training));
    if (!taken && !cannotFit(taken.status()))
      return taken.status();
    if (!taken) {
      shortfall = taken.status();
      continue;
    }
    if (taken->planned.memory.isSlow)
      return std::move(taken->planned);
    std::string others;
    const bool keepsAll = recompute == Recompute::None;
    if (kinds.size() > 1 && !(keepsAll && flow::allOnDevice(taken->planned.memory.homes))) {
      // The last layer keeps everything: what it repeated would take the same bytes at the same time.
      Ground ground{keepsAll, stages(training), flow::countTrainedLayers(*taken->planned.module) - 1};
      if (!keepsAll) // what needs less memory leaves no stage behind that had room before
        std::erase_if(ground.stages, [&](int64_t stage) { return stage < taken->planned.candidate.stage; });
      WINDLASS_TRY(keepSome(*taken, ground, others));
      if (training.recompute == Recompute::Auto && taken->keeps.empty())
        WINDLASS_TRY(repeatSome(*taken, ground, others));
    }
    return finish(taken.take(), shortfall, others);
  }
  std::string others;
  Result<Taken> taken = kinds.size() > 1 ? keepToFit(shortfall, others) : Result<Taken>(shortfall);
  return taken ? finish(taken.take(), shortfall, others) : Result<Planned>(taken.status());
}

/// Settles what remains, and says why everything is as it is; see explainRecompute.
Result<Planned> PlanSearch::finish(Taken taken, const Status &shortfall, const std::string &others) {
  WINDLASS_TRY(sizeBuckets(taken));
  WINDLASS_TRY(keepWhole(taken));
  WINDLASS_TRY(keepGathered(taken));
  explainRecompute(taken, shortfall, others);
  explainStage(taken);
  return std::move(taken.planned);
}

/// At the stage that plays fastest; of use within the seconds of `limit`.
Result<PlanSearch::Taken> PlanSearch::planStages(const Recompute &recompute,
                                                 const std::vector<int64_t> &stages, double limit) {
  std::optional<Taken> best;
  Status shortfall = Status::ok();
  std::map<int64_t, std::string> tried;
  for (int64_t stage : stages) {
    Result<Taken> next =
        planStage(recompute, stage, best ? std::min(limit, best->planned.memory.step.seconds) : limit);
    if (!next && !cannotFit(next.status()))
      return next.status();
    tried[stage] = next ? takes(next->planned.memory) : "does not fit: " + next.status().message();
    if (!next)
      shortfall = next.status();
    else if (!best || next->planned.memory.step.isBetter(best->planned.memory.step))
      best = next.take();
    if (best && training.dataRanks == 1)
      break; // the second is for what the first cannot hold
  }
  if (!best)
    return shortfall;
  best->stagesTried = std::move(tried);
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
  const std::string tried =
      "horizontal: " + formatSeconds(planned.memory.step.seconds) +
      "; vertical: " + (vertical ? takes(vertical->memory) : "does not fit: " + vertical.status().message());
  const bool turns = vertical && vertical->memory.step.seconds <= mostWorthIt(planned.memory);
  return Taken{turns ? vertical.take() : std::move(planned), {}, tried};
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
    return planner.plan(candidate, machine, {.limit = limit, .explains = !prefetchRoom});
  };
  progress(what);
  Result<Planned> planned = planWith(true);
  if (planned || !cannotFit(planned.status()))
    return planned;
  progress(what + ", without room to prefetch");
  return planWith(false);
}

/// Repeating a layer takes time and gives memory, in which states may rest nearer: tries numbers of layers,
/// from the fewest that fit on. Keeps the fastest, `taken` among them; `others` says what the rest take.
Status PlanSearch::repeatSome(Taken &taken, const Ground &ground, std::string &others) {
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
      others += "; " + word(recompute) + ": " + formatSeconds(*least) + " a step of computation alone";
      break;
    }
    Result<Taken> next = planStages(recompute, allowed);
    if (!next && !cannotFit(next.status()))
      return next.status();
    const bool isFaster = next && next->planned.memory.step.isBetter(taken.planned.memory.step);
    inVain = isFaster ? 0 : inVain + 1;
    if (isFaster) {
      next->stagesTried.insert(taken.stagesTried.begin(), taken.stagesTried.end());
      std::swap(*next, taken);
    }
    if (next)
      others += "; " + next->outcome();
  }
  return Status::ok();
}

/// Lets parameters stay gathered for the backward pass where that is faster: of all buckets, or half of them,
/// and so on, first of those that stay for the shortest time.
Status PlanSearch::keepGathered(Taken &taken) {
  if (!mayKeepGathered(training, taken.planned.candidate, taken.planned.memory))
    return Status::ok();
  Result<std::vector<std::string>> again = planner.gatheredAgain(taken.planned.candidate);
  if (!again)
    return again.status();
  std::erase_if(
      *again, [&](const std::string &bucket) { return training.reshardAfterForward.at(bucket).has_value(); });
  const int64_t all = std::ssize(*again);
  std::string tried;
  for (int64_t count = all; count > 0 && count * kLeastKept >= all; count /= 2) {
    progress("planning with " + std::to_string(count) + " of " + counted(all, "bucket") +
             " gathered once for both passes");
    Candidate candidate = taken.planned.candidate;
    candidate.kept.assign(again->begin(), again->begin() + count);
    const double limit = mostWorthIt(taken.planned.memory);
    Result<Planned> next = planner.plan(candidate, machine, {.limit = limit, .explains = false});
    if (!next && !cannotFit(next.status()))
      return next.status();
    tried += "; " + std::to_string(count) + ": " + (next ? takes(next->memory) : "does not fit");
    if (!next || next->memory.step.seconds > limit)
      continue;
    taken.planned = next.take();
    break;
  }
  const int64_t kept = std::ssize(taken.planned.candidate.kept);
  if (all > 0)
    taken.keepingTried = (kept ? std::to_string(kept) : "none") + " of " + counted(all, "bucket") +
                         " stay gathered for the backward pass" + tried;
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

/// `shortfall`: of what was tried before; `others`: what became of all else that was tried.
void PlanSearch::explainRecompute(const Taken &taken, const Status &shortfall, const std::string &others) {
  const Planned &planned = taken.planned;
  const Recompute &recompute = planned.candidate.recompute;
  std::string text = word(recompute);
  if (recomputeKinds(training).size() == 1)
    text += !isOpen(training.recompute) ? ", as asked"
            : !training.checkpointHome.of.empty()
                ? ": activation checkpoints are placed by name"
                : ": placement.checkpoint \"" + std::string(plan::textOf(*training.checkpointHome.others)) +
                      "\" asks for it: what rests there is what layers keep in "
                      "place of their residuals";
  else if (recompute == Recompute::None)
    text += ": all residuals fit";
  else
    text += (!taken.keeps.empty()
                 ? ": a rank keeps no more than these and the inputs of layers, " + taken.keeps + ", because "
             : recompute.layers ? ": the first " + std::to_string(recompute.layers) + " of " +
                                      std::to_string(flow::countTrainedLayers(*planned.module)) +
                                      " layers keep their input and repeat their forward pass, because "
                                : ": each layer keeps its input and repeats its forward pass, because ") +
            (shortfall ? "that is faster" : "what was tried before did not fit: " + shortfall.message());
  flow::explain(*planned.module, "recompute", text);
  if (!others.empty())
    flow::explain(*planned.module, "recompute" + std::string(plan::kTried),
                  others.substr(others.find(' ') + 1));
}

void PlanSearch::explainStage(const Taken &taken) {
  std::string text;
  // Left open, parameters that are not partitioned stay on the device.
  const bool open = !training.zeroStage.others && training.dataRanks > 1;
  for (const auto &[stage, outcome] : taken.stagesTried)
    text += (text.empty() ? "" : "; ") + std::to_string(stage) +
            (open && stage < 3 ? " with whole parameters on the device: " : ": ") + outcome;
  flow::explain(*taken.planned.module, "zero_stage", text);
  for (const auto &[decision, tried] : taken.sizesTried)
    flow::explain(*taken.planned.module, decision, tried);
  if (!taken.ordersTried.empty())
    flow::explain(*taken.planned.module, "micro_batch_order", taken.ordersTried);
  if (!taken.keepingTried.empty())
    flow::explain(*taken.planned.module, "reshard_after_forward", taken.keepingTried);
}

} // namespace windlass
