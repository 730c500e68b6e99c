// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The part of PlanSearch.h that searches the decisions after recomputation: rows, sizes, and buckets that
// stay gathered.
#include "compiler/driver/search/PlanSearch.h"

#include "compiler/driver/candidates/Enumeration.h"
#include "compiler/driver/search/Neighbours.h"
#include "passes/Flow/layout/Consumers.h"
#include "planning/Tolerances.h"
#include "runtime/base/Counted.h"
#include <algorithm>

using namespace mlir;

namespace windlass {
namespace {

/// At least a `kGatheredShare`th of the buckets that might stay gathered is tried.
constexpr int64_t kGatheredShare = 8;
/// Recomputations that came close, and are finished, too, where that may reverse the choice: at most so many.
constexpr int64_t kMostClose = 2;

/// Whether the vertical order was faster than the horizontal one, by too little to be taken. `orders`: the
/// trials of both.
bool isVerticalClose(const Trials &orders) {
  return std::ranges::any_of(orders, [&](const plan::Trial &trial) {
    return trial.value == word(MicroBatchOrder::Vertical) && trial.clock == plan::Clock::LaidOut &&
           trial.seconds < orders.front().seconds &&
           trial.seconds > orders.front().seconds * (1 - planning::kWorthMemory);
  });
}

} // namespace

/// Searches the decisions after recomputation, also in the vertical order where that came close: what
/// they save there may make up for what it lacked.
Result<Planned> PlanSearch::finishFastest(Incumbent incumbent, const Status &shortfall,
                                          const Trials &trials) {
  std::optional<Incumbent> vertical;
  WINDLASS_TRY(planCloseVertical(incumbent, vertical));
  Result<Planned> best = finishCloseRecomputes(std::move(incumbent), shortfall, trials);
  if (!best || !vertical || best->candidate.order == MicroBatchOrder::Vertical)
    return best;
  Result<Planned> other = finish(std::move(*vertical), shortfall, trials);
  if (!other)
    return other;
  const Trials orders = {simulated(std::string(word(MicroBatchOrder::Horizontal)), best->memory),
                         simulated(std::string(word(MicroBatchOrder::Vertical)), other->memory)};
  if (other->memory.step.seconds <= acceptableSeconds(best->memory))
    std::swap(*best, *other);
  for (plan::Reason &reason : best->reasons)
    if (reason.decision == plan::Decision::MicroBatchOrder)
      reason = reasonOf(plan::Decision::MicroBatchOrder, std::string(word(best->candidate.order)),
                        plan::Basis::Fastest, orders);
  return best;
}

/// Plans a horizontal incumbent in the vertical order, with a layout as thorough as that of the incumbent, if
/// that order came close to it. `vertical`: stays empty otherwise, and if the plan does not fit or is slow.
Status PlanSearch::planCloseVertical(const Incumbent &horizontal, std::optional<Incumbent> &vertical) {
  const Planned &known = horizontal.planned;
  if (size.layers > kMostSearchedAgain || known.candidate.order == MicroBatchOrder::Vertical ||
      !isVerticalClose(horizontal.ordersTried))
    return Status::ok();
  Result<Planned> planned = planOrder(known.candidate.recompute, known.candidate.zero, /*vertical=*/true,
                                      known.memory.step.seconds);
  if (!planned)
    return cannotFit(planned.status()) ? Status::ok() : planned.status();
  if (!planned->memory.isSlow)
    vertical = Incumbent{planned.take(), horizontal.zerosTried, horizontal.ordersTried, horizontal.keeps};
  return Status::ok();
}

/// Searches the decisions after recomputation. If they save much, also searches them for recomputations that
/// came close.
Result<Planned> PlanSearch::finishCloseRecomputes(Incumbent incumbent, const Status &shortfall,
                                                  const Trials &trials) {
  const double before = incumbent.planned.memory.step.seconds;
  const Recompute taken = incumbent.planned.candidate.recompute;
  Result<Planned> best = finish(std::move(incumbent), shortfall, trials);
  if (!best || size.layers > kMostSearchedAgain ||
      best->memory.step.seconds > before * (1 - planning::kReversingShare))
    return best;
  std::vector<std::pair<double, Finding>> close = fitting;
  std::erase_if(close, [&](const auto &found) {
    return found.second.recompute == taken || found.first > before * planning::kCloseTimes;
  });
  // First the recomputations that keep all or repeat all: they differ most from the one taken.
  std::ranges::sort(close, {}, [](const auto &found) {
    const Recompute &recompute = found.second.recompute;
    const bool isWhole = recompute == Recompute(Recompute::None) || recompute == Recompute(Recompute::Full);
    return std::pair(!isWhole, found.first);
  });
  if (std::ssize(close) > kMostClose)
    close.resize(kMostClose);
  for (const auto &[seconds, finding] : close) {
    Result<Incumbent> next = planFastestZero(finding.recompute, zeroChoices(training));
    if (!next && !cannotFit(next.status()))
      return next.status();
    if (!next || next->planned.memory.isSlow) // a slow plan has no modules to search on
      continue;
    next->keeps = finding.keeps;
    Result<Planned> other = finish(next.take(), shortfall, trials);
    if (!other)
      return other;
    if (isBetter(other->memory, best->memory))
      best = std::move(other);
  }
  return best;
}

/// Searches the decisions that are left, and records the reasons of all. `shortfall`: of the recomputations
/// that did not fit; `trials`: of recomputation.
Result<Planned> PlanSearch::finish(Incumbent incumbent, const Status &shortfall, Trials trials) {
  std::vector<plan::Reason> reasons = {reasonOfRecompute(incumbent, shortfall, std::move(trials)),
                                       reasonOfZero(incumbent)};
  WINDLASS_TRY(searchRows(incumbent.planned, reasons));
  WINDLASS_TRY(sizeBuckets(incumbent.planned, reasons));
  WINDLASS_TRY(sizePersistence(incumbent.planned, reasons));
  if (!incumbent.ordersTried.empty())
    reasons.push_back(reasonOf(plan::Decision::MicroBatchOrder,
                               std::string(word(incumbent.planned.candidate.order)), plan::Basis::Fastest,
                               std::move(incumbent.ordersTried)));
  WINDLASS_TRY(searchGathered(incumbent.planned, reasons));
  incumbent.planned.reasons = std::move(reasons);
  return std::move(incumbent.planned);
}

/// Plans the incumbent without a reserve for prefetching, where homes leave the device: more of them may then
/// stay on it.
Status PlanSearch::tryWithoutReserve(Planned &incumbent) {
  if (incumbent.memory.isSlow || !incumbent.candidate.prefetchReserve ||
      flow::allOnDevice(incumbent.memory.homes))
    return Status::ok();
  progress("planning without room to prefetch");
  Candidate candidate = incumbent.candidate;
  candidate.prefetchReserve = false;
  Result<Planned> next =
      planner.plan(candidate, machine,
                   {.limit = worthwhileSeconds(incumbent.memory), .waiting = incumbent.memory.waiting});
  if (!next)
    return cannotFit(next.status()) ? Status::ok() : next.status();
  if (!next->memory.isSlow && isBetter(next->memory, incumbent.memory)) {
    next->reasons = std::move(incumbent.reasons);
    incumbent = next.take();
  }
  return Status::ok();
}

/// Tries to keep buckets gathered from the forward to the backward pass: all of them, half of them, and so
/// on, those first that are needed again soonest. The first acceptable plan becomes the incumbent.
Status PlanSearch::searchGathered(Planned &incumbent, std::vector<plan::Reason> &reasons) {
  if (!mayGainFromKeepingGathered(training, incumbent.candidate, incumbent.memory))
    return Status::ok();
  Result<std::vector<flow::RepeatedGather>> again = planner.gatheredAgain(incumbent.candidate);
  if (!again)
    return again.status();
  std::erase_if(*again, [&](const flow::RepeatedGather &gather) {
    return training.reshardAfterForward.at(gather.bucket).has_value();
  });
  const int64_t all = std::ssize(*again);
  Trials trials = {simulated("0", incumbent.memory)};
  for (int64_t count = all; count > 0 && count * kGatheredShare >= all; count /= 2) {
    const std::string value = std::to_string(count);
    const auto kept = ArrayRef(*again).take_front(static_cast<size_t>(count));
    if (training.stages == 1 && flow::mostKeptBytes(kept) > machine.capacity(plan::Tier::Device)) {
      record(trials, infeasible(value)); // no need to lower it
      continue;
    }
    progress("planning with " + value + " of " + counted(all, "bucket") + " gathered once for both passes");
    Candidate candidate = incumbent.candidate;
    candidate.keptGathered.clear();
    for (const flow::RepeatedGather &gather : kept)
      candidate.keptGathered.push_back(gather.bucket);
    const double limit = acceptableSeconds(incumbent.memory);
    Result<Planned> next =
        planner.plan(candidate, machine, {.limit = limit, .waiting = incumbent.memory.waiting});
    if (!next && !cannotFit(next.status()))
      return next.status();
    record(trials, next ? simulated(value, next->memory) : infeasible(value));
    if (!next || next->memory.isSlow || next->memory.step.seconds > limit)
      continue;
    incumbent = next.take();
    break;
  }
  if (all == 0)
    return Status::ok();
  reasons.push_back(reasonOf(plan::Decision::ReshardAfterForward,
                             std::to_string(incumbent.candidate.keptGathered.size()), plan::Basis::Fastest,
                             std::move(trials)));
  reasons.back().figures = {{plan::Figure::Buckets, static_cast<double>(all)}};
  return Status::ok();
}

} // namespace windlass
