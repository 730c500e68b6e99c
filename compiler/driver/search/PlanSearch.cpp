// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
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

/// The search for repeated layers ends after so many numbers in a row that are not faster.
constexpr int64_t kPatience = 2;
/// Numbers of repeated layers that are tried, about.
constexpr int64_t kLayerCounts = 8;
/// Numbers of repeated layers among which the fewest that fit are looked for.
constexpr int64_t kFineLayerCounts = 32;

int64_t countTrainedLayers(const Planned &planned) {
  int64_t layers = 0;
  for (const OwningOpRef<ModuleOp> &stage : planned.stages)
    layers += flow::countTrainedLayers(*stage);
  return layers;
}

} // namespace

plan::Trial PlanSearch::Incumbent::trial() const {
  return simulated(word(planned.candidate.recompute), planned.memory, keeps);
}

Result<Planned> PlanSearch::run(double limit) {
  horizontalLimit = limit * planning::kRivalBeyond;
  return run(nullptr);
}

Result<Planned> PlanSearch::runWith(const std::vector<Finding> &findings, double limit, double waitingThen) {
  horizontalLimit = limit;
  waiting = waitingThen;
  isRival = true;
  return run(&findings);
}

std::vector<PlanSearch::Finding> PlanSearch::findings() const {
  std::vector<std::pair<double, Finding>> sorted = fitting;
  std::ranges::stable_sort(sorted, {}, [](const auto &found) { return found.first; });
  std::vector<Finding> close;
  for (const auto &[seconds, finding] : sorted)
    if (seconds <= planning::kCloseTimes * sorted.front().first && finding.recompute != firstThatFits)
      close.push_back(finding);
  return close;
}

/// Records what fits, and of what is not left as slow also its seconds, for findings().
void PlanSearch::recordFit(const Incumbent &tried, Trials &trials) {
  record(trials, tried.trial());
  if (!tried.planned.memory.isSlow)
    fitting.push_back({tried.planned.memory.step.seconds, {tried.planned.candidate.recompute, tried.keeps}});
}

/// Plans what another search found, in the incumbent's order of micro-batches; then tries the other order.
/// Whether any of it fits.
Result<bool> PlanSearch::tryFindings(std::optional<Incumbent> &incumbent, const std::vector<Finding> &known,
                                     const std::vector<int64_t> &zeros, Trials &trials) {
  bool isFaster = false, fits = false;
  for (const Finding &finding : known) {
    if (incumbent)
      fixedOrder = incumbent->planned.candidate.order;
    Result<Incumbent> next = planFastestZero(
        finding.recompute, zeros, incumbent ? worthwhileSeconds(incumbent->planned.memory) : kNoLimit);
    if (!next && !cannotFit(next.status()))
      return next.status();
    if (!next) {
      record(trials, infeasible(word(finding.recompute), shortage, finding.keeps));
      continue;
    }
    fits = true;
    next->keeps = finding.keeps;
    record(trials, next->trial());
    if (incumbent && !isBetter(next->planned.memory, incumbent->planned.memory))
      continue;
    if (incumbent)
      next->zerosTried.insert(incumbent->zerosTried.begin(), incumbent->zerosTried.end());
    incumbent = next.take();
    isFaster = true;
  }
  fixedOrder.reset();
  if (isFaster)
    WINDLASS_TRY(reviseOrder(*incumbent));
  return fits;
}

/// Searches kept activations. Then tries to repeat layers: all of them, where none has to be, and numbers of
/// them, where no kept activations are faster or layers are few.
Status PlanSearch::searchAround(Incumbent &incumbent, const Neighbourhood &around, Trials &trials) {
  WINDLASS_TRY(searchActivations(incumbent, around, trials));
  if (training.recompute != Recompute::Auto)
    return Status::ok();
  if (around.keepsAll)
    WINDLASS_TRY(tryRecompute(Recompute::Full, incumbent, around, trials));
  if (incumbent.keeps.empty() || (around.keepsAll && size.layers <= kMostSearchedAgain))
    return searchRepeatedLayers(incumbent, around, trials);
  return Status::ok();
}

/// Plans another recomputation, unless a bound says that it is no faster.
Status PlanSearch::tryRecompute(const Recompute &recompute, Incumbent &incumbent, const Neighbourhood &around,
                                Trials &trials) {
  const double limit = worthwhileSeconds(incumbent.planned.memory);
  Result<double> least = leastSeconds(recompute, around.zeros);
  if (!least)
    return least.status();
  if (*least >= limit) {
    record(trials, bounded(word(recompute), *least));
    return Status::ok();
  }
  Result<Incumbent> next = planFastestZero(recompute, around.zeros, limit);
  if (!next && !cannotFit(next.status()))
    return next.status();
  if (!next) {
    record(trials, infeasible(word(recompute), shortage));
    return Status::ok();
  }
  recordFit(*next, trials);
  if (isBetter(next->planned.memory, incumbent.planned.memory)) {
    next->zerosTried.insert(incumbent.zerosTried.begin(), incumbent.zerosTried.end());
    std::swap(*next, incumbent);
  }
  return Status::ok();
}

Result<Planned> PlanSearch::run(const std::vector<Finding> *known) {
  Result<Planned> planned = runWithReserve(known);
  if (planned)
    WINDLASS_TRY(tryWithoutReserve(*planned));
  return planned;
}

/// Takes the first recomputation that fits. Where recomputation is open, then searches around it, or tries
/// what is known.
Result<Planned> PlanSearch::runWithReserve(const std::vector<Finding> *known) {
  Status shortfall = Status::ok();
  const std::vector<Recompute> kinds = recomputeChoices(training);
  Trials trials;
  for (const Recompute &recompute : kinds) {
    Result<Incumbent> fits = planFirst(recompute, /*mayRepeatLess=*/kinds.size() > 1);
    if (!fits && !cannotFit(fits.status()))
      return fits.status();
    if (!fits) {
      shortfall = fits.status();
      record(trials, infeasible(word(recompute), shortage));
      continue;
    }
    const flow::MemoryPlan &first = fits->planned.memory;
    waiting = std::max(waiting, first.waiting);
    if (first.isSlow || first.step.seconds > horizontalLimit * planning::kRivalBeyond)
      return std::move(fits->planned);
    recordFit(*fits, trials);
    firstThatFits = recompute;
    std::optional<Incumbent> incumbent = fits.take();
    const bool keepsAll = recompute == Recompute::None;
    // Every stage is planned anew for each choice: only where some must be repeated is that worth its time.
    const bool mayGain =
        training.stages == 1 ? !(keepsAll && flow::allOnDevice(incumbent->planned.memory.homes)) : !keepsAll;
    if (kinds.size() > 1 && mayGain) {
      // The last layer keeps all activations: its backward pass follows at once, so repeating saves no bytes.
      Neighbourhood around{keepsAll, zeroChoices(training), countTrainedLayers(incumbent->planned) - 1};
      if (!keepsAll) // "full" needs the least memory: the neighbours, which need more, need its zero or a
                     // larger one
        std::erase_if(around.zeros, [&](int64_t zero) { return zero < incumbent->planned.candidate.zero; });
      // What is faster than the plan that `known` was found beside has other neighbours.
      const bool isAlike = incumbent->planned.memory.step.seconds > horizontalLimit * (1 - planning::kNearly);
      Result<bool> fits = known && size.layers > kMostSearchedAgain && isAlike
                              ? tryFindings(incumbent, *known, around.zeros, trials)
                              : Result<bool>(false);
      if (!fits)
        return fits.status();
      if (!*fits)
        WINDLASS_TRY(searchAround(*incumbent, around, trials));
    }
    return finishFastest(std::move(*incumbent), shortfall, trials);
  }
  std::optional<Incumbent> incumbent;
  if (kinds.size() > 1 && known)
    if (Result<bool> fits = tryFindings(incumbent, *known, zeroChoices(training), trials); !fits)
      return fits.status();
  if (kinds.size() > 1 && !isRival)
    WINDLASS_TRY(repair(incumbent, trials));
  if (!incumbent)
    return shortfall;
  return incumbent->planned.memory.isSlow ? Result<Planned>(std::move(incumbent->planned))
                                          : finish(std::move(*incumbent), shortfall, std::move(trials));
}

/// The first plan with a recomputation, which the search starts from. A rival that repeats whole layers and
/// may repeat less is not left yet where it takes little longer than the limit.
Result<PlanSearch::Incumbent> PlanSearch::planFirst(const Recompute &recompute, bool mayRepeatLess) {
  const double limit = horizontalLimit;
  if (isRival && mayRepeatLess && recompute == Recompute(Recompute::Full))
    horizontalLimit *= planning::kCloseTimes;
  Result<Incumbent> first = planFastestZero(recompute, zeroChoices(training));
  horizontalLimit = limit;
  return first;
}

/// What repeats nothing computes least, and one turn of all micro-batches gathers least.
double PlanSearch::leastSeconds(Lower lower) const {
  double least = kNoLimit;
  for (int64_t zero : zeroChoices(training)) {
    Candidate candidate = makeCandidate(recomputeChoices(training).front(), zero,
                                        /*prefetchReserve=*/true, size, training, machine);
    takeLeastGathered(candidate);
    const std::optional<planning::StepBound> bound =
        lower == Lower::All ? planner.boundOf(candidate, machine) : planner.boundOfFew(candidate, machine);
    least = std::min(least, bound ? bound->seconds : 0);
  }
  return least;
}

/// The fastest plan over the zeros. `limit`: seconds, beyond which a plan is left.
Result<PlanSearch::Incumbent> PlanSearch::planFastestZero(const Recompute &recompute,
                                                          const std::vector<int64_t> &zeros, double limit) {
  std::optional<Incumbent> best;
  Status shortfall = Status::ok();
  std::map<int64_t, plan::Trial> trials;
  for (int64_t zero : zeros) {
    Result<Incumbent> next =
        planZero(recompute, zero, best ? std::min(limit, worthwhileSeconds(best->planned.memory)) : limit);
    if (!next && !cannotFit(next.status()))
      return next.status();
    const std::string value = std::to_string(zero);
    trials[zero] = next ? simulated(value, next->planned.memory) : infeasible(value, shortage);
    if (!next)
      shortfall = next.status();
    else if (!best || isBetter(next->planned.memory, best->planned.memory))
      best = next.take();
    if (best && training.dataRanks == 1)
      break; // shards are for states that whole do not fit
  }
  if (!best)
    return shortfall;
  best->zerosTried = std::move(trials);
  return std::move(*best);
}

bool PlanSearch::triesBothOrders() const {
  return !fixedOrder && training.microBatchOrder == MicroBatchOrder::Auto && training.microBatches > 1 &&
         training.stages == 1; // each of a pipeline's micro-batches has runs of its own
}

/// The plan in the fixed order of micro-batches, within `limit` seconds; or the faster of both orders where
/// none is fixed.
Result<PlanSearch::Incumbent> PlanSearch::planZero(const Recompute &recompute, int64_t zero, double limit) {
  if (fixedOrder) {
    Result<Planned> planned = planOrder(recompute, zero, *fixedOrder == MicroBatchOrder::Vertical, limit);
    return planned ? Result<Incumbent>(Incumbent{planned.take()}) : Result<Incumbent>(planned.status());
  }
  Result<Planned> planned = planOrder(recompute, zero, /*vertical=*/false,
                                      triesBothOrders() ? horizontalLimit : std::min(limit, horizontalLimit));
  return planned ? tryVertical(planned.take()) : planned.status();
}

/// The horizontal plan, or the vertical plan of the same candidate if that is acceptable in its place.
Result<PlanSearch::Incumbent> PlanSearch::tryVertical(Planned horizontal) {
  const Candidate &candidate = horizontal.candidate;
  if (horizontal.stages.empty() ||
      !mayGainFromVertical(training, candidate, horizontal.memory, *horizontal.stages.front()))
    return Incumbent{std::move(horizontal)};
  const double limit = acceptableSeconds(horizontal.memory);
  Result<Planned> vertical = planOrder(candidate.recompute, candidate.zero, /*vertical=*/true, limit);
  if (!vertical && !cannotFit(vertical.status()))
    return vertical.status();
  const std::string orders[] = {std::string(word(MicroBatchOrder::Horizontal)),
                                std::string(word(MicroBatchOrder::Vertical))};
  const Trials trials = {simulated(orders[0], horizontal.memory),
                         vertical ? simulated(orders[1], vertical->memory) : infeasible(orders[1], shortage)};
  const bool isFaster = vertical && vertical->memory.step.seconds <= limit;
  return Incumbent{isFaster ? vertical.take() : std::move(horizontal), {}, trials};
}

/// The plan with a reserve for prefetching, or, if that does not fit, without. `vertical`: in the vertical
/// order; else in the order that is asked for. `limit`: seconds, beyond which a plan is left.
Result<Planned> PlanSearch::planOrder(const Recompute &recompute, int64_t zero, bool vertical, double limit) {
  std::string what = "planning with recompute " + word(recompute) + ", ZeRO stage " + std::to_string(zero);
  if (vertical)
    what += ", all micro-batches of a layer before the next";
  const bool findsShortage = horizontalLimit == kNoLimit; // the shortage of a rival is not reported
  auto planWith = [&](bool prefetchReserve) {
    Candidate candidate = makeCandidate(recompute, zero, prefetchReserve, size, training, machine);
    if (vertical)
      candidate.order = MicroBatchOrder::Vertical;
    return planner.plan(candidate, machine,
                        {.limit = limit,
                         .waiting = waiting,
                         .lowersSlow = !vertical && triesBothOrders(),
                         .shortage = prefetchReserve || !findsShortage ? nullptr : &shortage});
  };
  progress(what);
  Result<Planned> planned = planWith(true);
  if (planned || !cannotFit(planned.status()))
    return planned;
  progress(what + ", without room to prefetch");
  return planWith(false);
}

/// The seconds of a step that every plan with this recomputation takes at least.
Result<double> PlanSearch::leastSeconds(const Recompute &recompute, const std::vector<int64_t> &zeros) {
  double least = kNoLimit;
  for (int64_t zero : zeros) {
    const Candidate candidate = makeCandidate(recompute, zero, true, size, training, machine);
    if (const std::optional<planning::StepBound> bound = planner.boundOfFew(candidate, machine)) {
      least = std::min(least, bound->seconds);
      continue;
    }
    Result<double> compute = planner.leastSeconds(candidate, machine);
    if (!compute)
      return compute.status();
    least = std::min(least, *compute);
  }
  return least;
}

/// Tries numbers of repeated layers, from the fewest that fit upwards. A repeated layer takes time and frees
/// memory, in which states may rest on a nearer tier. The fastest plan becomes the incumbent.
Status PlanSearch::searchRepeatedLayers(Incumbent &incumbent, const Neighbourhood &around, Trials &trials) {
  const std::vector<int64_t> &zeros = around.zeros;
  const int64_t all = countTrainedLayers(incumbent.planned);
  const int64_t step = std::max<int64_t>(1, all / kLayerCounts);
  Result<double> least = leastSeconds({Recompute::Full, 1, step}, zeros);
  if (!least)
    return least.status();
  if (*least >= worthwhileSeconds(incumbent.planned.memory)) {
    record(trials, bounded(word(Recompute(Recompute::Full, 1, step)), *least));
    return Status::ok();
  }
  // Few layers bound what any number of repeated layers holds. No plan may fit the fewest that this allows.
  const bool areBounded =
      planner
          .boundOfFew(makeCandidate({Recompute::Full, 1, step}, zeros.back(), false, size, training, machine),
                      machine)
          .has_value();
  bool isBound = areBounded && !around.keepsAll;
  Result<int64_t> count = around.keepsAll
                              ? Result<int64_t>(step)
                              : fewestRepeatedLayers(1, all, zeros, isBound ? FitTest::Bound : FitTest::Plan);
  for (int64_t notFaster = 0; count && *count < all && notFaster < kPatience;) { // in a row
    const Recompute recompute{Recompute::Full, 1, *count};
    least = leastSeconds(recompute, zeros);
    if (!least)
      return least.status();
    if (*least >= worthwhileSeconds(incumbent.planned.memory)) { // larger numbers compute longer still
      record(trials, bounded(word(recompute), *least));
      break;
    }
    Result<Incumbent> next = planFastestZero(recompute, zeros, worthwhileSeconds(incumbent.planned.memory));
    if (!next && !cannotFit(next.status()))
      return next.status();
    if (next)
      recordFit(*next, trials);
    else
      record(trials, infeasible(word(recompute), shortage));
    if (!next && std::exchange(isBound, false)) {
      count = fewestRepeatedLayers(*count + 1, all, zeros, FitTest::Plan);
      continue;
    }
    isBound = false;
    const bool isFaster = next && isBetter(next->planned.memory, incumbent.planned.memory);
    notFaster = isFaster ? 0 : notFaster + 1;
    if (isFaster) {
      next->zerosTried.insert(incumbent.zerosTried.begin(), incumbent.zerosTried.end());
      std::swap(*next, incumbent);
    }
    *count += step;
  }
  return count.status();
}

/// The fewest repeated layers that fit, from `least` on, among at most kFineLayerCounts multiples of a step.
/// `all` layers fit.
Result<int64_t> PlanSearch::fewestRepeatedLayers(int64_t least, int64_t all,
                                                 const std::vector<int64_t> &zeros, FitTest test) {
  const int64_t step = (all + kFineLayerCounts - 1) / kFineLayerCounts;
  int64_t fewest = (least + step - 1) / step; // steps
  for (int64_t most = (all + step - 1) / step; fewest < most;) {
    const int64_t middle = fewest + (most - fewest) / 2;
    Result<bool> enough = isFeasible({Recompute::Full, 1, middle * step}, zeros, test);
    if (!enough)
      return enough.status();
    (*enough ? most : fewest) = *enough ? middle : middle + 1;
  }
  return std::min(all, fewest * step);
}

Result<bool> PlanSearch::isFeasible(const Recompute &recompute, const std::vector<int64_t> &zeros,
                                    FitTest test) {
  if (test == FitTest::Plan)
    progress("looking whether it is enough to repeat " + counted(recompute.layers, "layer"));
  for (int64_t zero : llvm::reverse(zeros)) { // 3 needs least memory
    const Candidate least =
        makeCandidate(recompute, zero, /*prefetchReserve=*/false, size, training, machine);
    if (test == FitTest::Bound) {
      const std::optional<planning::StepBound> bound = planner.boundOfFew(least, machine);
      if (!bound || !CandidatePlanner::shortageOf(*bound, machine))
        return true;
      continue;
    }
    Status planned = planner.plan(least, machine, {.ask = Ask::WhetherItFits}).status();
    if (planned || !cannotFit(planned))
      return planned ? Result<bool>(true) : Result<bool>(planned);
  }
  return false;
}

plan::Reason PlanSearch::reasonOfRecompute(const Incumbent &incumbent, const Status &shortfall,
                                           Trials trials) const {
  const Recompute &recompute = incumbent.planned.candidate.recompute;
  const Homes &checkpoints = training.checkpointHome;
  const bool isOnlyChoice = recomputeChoices(training).size() == 1,
             isImplied = isOpen(training.recompute) &&
                         (!checkpoints.of.empty() ||
                          checkpoints.others.value_or(plan::Tier::Device) != plan::Tier::Device);
  const plan::Basis basis = isOnlyChoice && isImplied                           ? plan::Basis::Implied
                            : isOnlyChoice                                      ? plan::Basis::Asked
                            : recompute == Recompute::None || !shortfall.isOk() ? plan::Basis::FirstThatFits
                                                                                : plan::Basis::Fastest;
  plan::Reason reason = reasonOf(plan::Decision::Recompute, word(recompute), basis, std::move(trials));
  if (basis == plan::Basis::Implied && checkpoints.of.empty())
    reason.rests = {{.tier = *checkpoints.others}};
  if (recompute.layers > 0)
    reason.figures = {
        {plan::Figure::RepeatedLayers, static_cast<double>(recompute.layers)},
        {plan::Figure::TrainedLayers, static_cast<double>(countTrainedLayers(incumbent.planned))}};
  return reason;
}

plan::Reason PlanSearch::reasonOfZero(const Incumbent &incumbent) const {
  const bool isAsked = training.zeroStage.others.has_value();
  Trials trials;
  for (const auto &[zero, trial] : incumbent.zerosTried) {
    trials.push_back(trial);
    // Where zero is open, parameters that are not partitioned stay on the device.
    trials.back().wholeParameters = !isAsked && training.dataRanks > 1 && zero < 3;
  }
  const plan::Basis basis = isAsked                             ? plan::Basis::Asked
                            : zeroChoices(training).size() == 1 ? plan::Basis::Implied
                            : training.dataRanks == 1           ? plan::Basis::FirstThatFits
                                                                : plan::Basis::Fastest;
  return reasonOf(plan::Decision::ZeroStage, std::to_string(incumbent.planned.candidate.zero), basis,
                  std::move(trials));
}

} // namespace windlass
