// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Flow/layout/MemoryPlanner.h"

#include "passes/Flow/layout/CountStep.h"
#include "planning/Placement/PlacementSolver.h"
#include "planning/Tolerances.h"
#include "runtime/plan/text/ReasonText.h"
#include <limits>

using namespace mlir;

namespace windlass::flow {
namespace {

/// The most rounds of an attempt.
constexpr int kRounds = 16;
/// Rounds of backfilling.
constexpr int kBackfillRounds = 4;
/// The most groups per link for which the reserve has memory. Further credits use memory that is free.
constexpr int64_t kReservedGroups = 2;
/// Values of Reserve::slackShare that are tried, in this order.
constexpr std::array<int64_t, 3> kSlackShares = {0, 16, 8};
/// After each of the first `kCautiousRounds` layouts of an attempt that do not fit, the reserve grows by at
/// most `kMostTimesShort` times the bytes that are short. Later its growth doubles from round to round
/// without this limit.
constexpr int kCautiousRounds = 5;
constexpr int64_t kMostTimesShort = 4;
constexpr double kNoLimit = std::numeric_limits<double>::infinity();

/// A step with these homes takes at least so long.
double busiestSeconds(const Placement &placement) {
  return *llvm::max_element(placement.solution.use.seconds);
}

double diskSeconds(const Placement &placement) {
  auto busy = [&](planning::Resource lane) {
    return placement.solution.use.seconds[static_cast<size_t>(lane)];
  };
  return busy(planning::Resource::NcIn) + busy(planning::Resource::NcOut);
}

/// Whether the step takes no longer than what its homes take at least.
bool isAtItsBound(const Layout &layout) {
  return layout.step.seconds <= layout.placement.solution.use.cost * (1 + planning::kNearly);
}

bool isBoundByDisk(const Placement &placement) {
  const auto &seconds = placement.solution.use.seconds;
  const auto busiest = static_cast<planning::Resource>(llvm::max_element(seconds) - seconds.begin());
  return busiest == planning::Resource::NcIn || busiest == planning::Resource::NcOut;
}

} // namespace

MemoryPlanner::MemoryPlanner(ModuleOp module, const model::Machine &machine, const PlanMemoryRequest &request)
    : module(module), machine(machine), request(request),
      placer(module, machine, {request.pins, request.wholeOnDevice, request.isStage}),
      layouts(module, machine, request) {}

Result<MemoryPlan> MemoryPlanner::run(OwningOpRef<ModuleOp> &planned) {
  WINDLASS_TRY(placer.checkPins());
  Outcome outcome;
  Result<MemoryPlan> plan = search(outcome, planned);
  if (!plan && request.shortage)
    *request.shortage = std::move(outcome.shortage);
  return plan;
}

/// Tries the reserves; where homes are pinned also none at all, for pins may fit that leave no reserve; and
/// all homes on the device. Backfills and commits the fastest layout.
Result<MemoryPlan> MemoryPlanner::search(Outcome &outcome, OwningOpRef<ModuleOp> &planned) {
  Result<TierBytes> needed = request.workspace
                                 ? Result<TierBytes>(*request.workspace)
                                 : workspaceOf(module, *placedCopy(module, {}, request.chunkElements));
  if (!needed)
    return needed.status();
  workspace = *needed;
  if (!request.firstThatFits) {
    if (Result<double> least = placer.leastSeconds()) {
      leastSeconds = *least;
      if (leastSeconds > request.limit) {
        Attempt bound;
        bound.step.seconds = leastSeconds;
        bound.isSlow = bound.isBound = true;
        bound.placement = *placer.place({});
        return leftAsSlow(bound);
      }
    }
  }
  WINDLASS_TRY(tryReserves(reserves(), HomePolicy::Solved, outcome));
  if (!request.pins.empty())
    WINDLASS_TRY(tryReserves({{.workspace = false}}, HomePolicy::Solved, outcome));
  WINDLASS_TRY(tryBeside(outcome));
  WINDLASS_TRY(tryOnDevice(outcome));
  std::optional<Attempt> &best = outcome.best, &slow = outcome.slow;
  if (!best && !slow)
    return outcome.shortfall;
  if (!best)
    return leftAsSlow(*slow);
  if (!request.firstThatFits && isWorthBackfilling(*best))
    backfillHost(*best);
  if (!request.firstThatFits)
    WINDLASS_TRY(layouts.tighten(*best));
  planned = layouts.commit(*best);
  InstructionCost cost(*planned, machine);
  MemoryPlan plan{best->step,
                  computeSeconds(*planned, cost),
                  best->placement.homes,
                  {best->prefetch.credits},
                  {best->slack}};
  if (!request.firstThatFits)
    plan.reasons = reasonsOf(*best);
  return plan;
}

/// What is known of a plan that is left.
MemoryPlan MemoryPlanner::leftAsSlow(const Attempt &attempt) {
  InstructionCost cost(module, machine);
  return {attempt.step,
          computeSeconds(module, cost),
          attempt.placement.homes,
          {attempt.prefetch.credits},
          {attempt.slack},
          /*isSlow=*/true,
          attempt.isBound};
}

/// Whether homes that leave the disk may bring the step below the limit, or are below it already.
bool MemoryPlanner::isWorthBackfilling(const Attempt &attempt) const {
  return attempt.step.seconds <= request.limit * (isBoundByDisk(attempt.placement) ? planning::kHopelessBeyond
                                                                                   : 1 + planning::kNearly);
}

/// Whether no other homes or order make a step that is better, but for lanes that share cores.
bool MemoryPlanner::isAsFastAsAny(const SimulatedStep &step) const {
  return step.disk == 0 && step.seconds <= leastSeconds * (1 + planning::kNearly);
}

/// Whether no other attempt is worth its time.
bool MemoryPlanner::isSettled(const SimulatedStep &step) const {
  return isAsFastAsAny(step) || step.seconds > request.limit * planning::kHopelessBeyond;
}

/// Tries homes that are the best where updates run beside the passes, also where the best behind them are
/// slow.
Status MemoryPlanner::tryBeside(Outcome &outcome) {
  const std::optional<Attempt> &tried = outcome.best ? outcome.best : outcome.slow;
  if (request.firstThatFits || !placer.doUpdatesWait() || !tried || allOnDevice(tried->placement.homes) ||
      isSettled(tried->step))
    return Status::ok();
  outcome.needsNoSlack = false;
  return tryReserves(reserves(), HomePolicy::SolvedBeside, outcome);
}

/// Tries all homes on the device. The placement solver minimises the seconds of the busiest resource alone;
/// where that is the device's computation, no transfers at all may be faster.
Status MemoryPlanner::tryOnDevice(Outcome &outcome) {
  std::optional<Attempt> &best = outcome.best;
  if (request.firstThatFits || !best || allOnDevice(best->placement.homes) || isSettled(best->step))
    return Status::ok();
  const double solvedSeconds = best->step.seconds;
  outcome.needsNoSlack = false;
  WINDLASS_TRY(tryReserves(reserves(), HomePolicy::OnDevice, outcome));
  if (best->step.seconds < solvedSeconds)
    best->solvedSeconds = solvedSeconds;
  return Status::ok();
}

/// Makes an attempt with each reserve, or until one fits where no more is asked. Errors: those after which no
/// other reserve is tried.
Status MemoryPlanner::tryReserves(const std::vector<Reserve> &reserves, HomePolicy policy, Outcome &outcome) {
  auto &[best, slow, shortfall, firstShortage, needsNoSlack] = outcome;
  for (const Reserve &reserve : reserves) {
    if ((best && (request.firstThatFits || isSettled(best->step))) ||
        (reserve.slackShare > 0 && (needsNoSlack || (best && isAtItsBound(*best)))))
      continue;
    Result<Attempt> next = attempt(reserve, policy, best ? best->step.seconds : kNoLimit);
    if (!next && shortfall) {
      shortfall = next.status();
      firstShortage = shortage;
    }
    if (!next && (next.status().code() != ExitCode::CannotFit || (!best && !slow && request.pins.empty())))
      return next.status();
    if (!next)
      continue;
    if (next->needsNoSlack())
      needsNoSlack = true;
    if (next->isKnown)
      continue;
    std::optional<Attempt> &kept = next->isSlow ? slow : best;
    if (!kept || next->step.isBetter(kept->step))
      kept = next.take();
  }
  return Status::ok();
}

/// The credits that transfers need follow from homes, so that the reserve has memory for given credits or a
/// few.
std::vector<MemoryPlanner::Reserve> MemoryPlanner::reserves() const {
  if (!request.overlap || !request.prefetchReserve)
    return {{}};
  planning::Credits prefetch;
  for (planning::Link link : planning::kLinks)
    prefetch.of(link) =
        std::min(request.credits[static_cast<size_t>(link)].value_or(kReservedGroups), kReservedGroups);
  const bool isOpen = llvm::any_of(request.slack, [](const auto &bytes) { return !bytes; });
  std::vector<Reserve> all;
  for (int64_t share : kSlackShares)
    if (isOpen || all.empty())
      all.push_back({prefetch, share});
  return all;
}

/// Rounds; where live bytes fit in some round and buffers pack in none, the same with instructions in program
/// order, in which they pack best.
Result<MemoryPlanner::Attempt> MemoryPlanner::attempt(const Reserve &reserve, HomePolicy policy,
                                                      double limit) {
  isPackable = false;
  Result<Attempt> fits = attemptRounds(reserve, policy, limit);
  if (fits || fits.status().code() != ExitCode::CannotFit || !isPackable || !request.overlap)
    return fits;
  std::optional<plan::Shortage> first = shortage; // of instructions that overtake each other
  Reserve inOrder = reserve;
  inOrder.slackShare = 1;
  Result<Attempt> ordered = attemptRounds(inOrder, policy, limit);
  if (ordered || ordered.status().code() != ExitCode::CannotFit)
    return ordered;
  shortage = std::move(first);
  return fits;
}

/// Rounds, each with less memory for homes or for the scheduler than the one before, until the layout fits;
/// where homes then find no room, reserves between.
Result<MemoryPlanner::Attempt> MemoryPlanner::attemptRounds(const Reserve &reserve, HomePolicy policy,
                                                            double limit) {
  reserved = reserve.workspace ? workspace : TierBytes{};
  shrunk = {};
  shrinks = 0;
  shortage.reset();
  const TierBytes prefetched = prefetchBytes(module, reserve.prefetch, request.chunkElements);
  for (plan::Tier tier : kTiers) {
    const size_t t = static_cast<size_t>(tier);
    reserved[t] += prefetched[t];
    slack[t] =
        request.slack[t].value_or(reserve.slackShare ? machine.capacity(tier) / reserve.slackShare : 0);
  }
  Status misfit = Status::ok();     // of the last round
  TierBytes tooLittle{};            // the reserve of that
  std::optional<TierBytes> tooMuch; // beside which homes do not fit
  for (int round = 0; round < kRounds; ++round) {
    if (tooMuch && !bisect(tooLittle, *tooMuch))
      return misfit; // says more than the shortage of homes
    Result<Placement> placement = placeBy(policy);
    if (!placement && policy == HomePolicy::OnDevice)
      return placement.status();
    if (!placement && misfit)
      return shortfallOf(placement.status());
    if (!placement) {
      tooMuch = reserved;
      continue;
    }
    const TierBytes asked = reserved;
    const double worthwhile =
        limit * (policy == HomePolicy::SolvedBeside ? 1 - planning::kNearly : 1 + planning::kNearly);
    if (const double least = busiestSeconds(*placement); least > worthwhile) {
      Attempt slow;
      slow.placement = placement.take();
      slow.step.seconds = least;
      slow.isSlow = slow.isBound = true;
      return slow;
    }
    if (const Layout *same = findKnown(placement->homes)) {
      misfit = shrink(*same, /*isAgain=*/true);
      Attempt again;
      static_cast<Layout &>(again) = *same;
      again.isKnown = true;
      again.isSlow |= again.inOrder.seconds > limit * (1 + planning::kNearly);
      if (misfit || again.isSlow)
        return again;
      tooLittle = asked;
      continue;
    }
    Result<Attempt> next = layOut(placement.take(), limit);
    if (!next)
      return next;
    known.push_back(*next);
    misfit = shrink(*next);
    if (misfit)
      return next;
    tooLittle = asked;
  }
  return misfit;
}

Result<Placement> MemoryPlanner::placeBy(HomePolicy policy) {
  return policy == HomePolicy::OnDevice
             ? placer.placeOnDevice(reserved)
             : placer.place(reserved, policy == HomePolicy::Solved ? UpdateTiming::AfterPasses
                                                                   : UpdateTiming::Overlapped);
}

/// The reserve between two, in whole pages; false: there is none.
bool MemoryPlanner::bisect(const TierBytes &tooLittle, const TierBytes &tooMuch) {
  for (size_t tier = 0; tier < reserved.size(); ++tier)
    reserved[tier] = tooLittle[tier] + (tooMuch[tier] - tooLittle[tier]) / 2 / kShardGranule * kShardGranule;
  return reserved != tooLittle;
}

/// The layout of an earlier round that a layout of these homes under the present slack would repeat.
const Layout *MemoryPlanner::findKnown(const TierPins &homes) const {
  const auto same =
      llvm::find_if(known, [&](const Layout &layout) { return layout.isSameWith(homes, slack); });
  return same == known.end() ? nullptr : &*same;
}

/// The error of homes that do not fit beside the reserve. `refusal`: of the placement, which knows homes
/// alone. Where the shortage is asked for, homes are placed on a machine that is just large enough, and the
/// arena that is then over its capacity says what fills it.
Status MemoryPlanner::shortfallOf(const Status &refusal) {
  if (!request.shortage || refusal.code() != ExitCode::CannotFit)
    return refusal;
  const plan::Shortage states = placer.shortage(reserved);
  if (states.of == plan::Lack::EveryTier)
    return refuse(states);
  const size_t tier = static_cast<size_t>(states.tier);
  reserved[tier] = std::min(reserved[tier], machine.capacity(states.tier)) - states.bytes;
  Result<Placement> placement = placer.place(reserved);
  if (!placement)
    return refuse(states);
  Result<Attempt> next = layOut(placement.take(), kNoLimit);
  if (!next)
    return refuse(states);
  Status status = shrink(*next);
  return status ? refuse(states) : status;
}

Result<MemoryPlanner::Attempt> MemoryPlanner::layOut(Placement placement, double limit) {
  Result<LaidOut> laidOut = layouts.layOut(std::move(placement), reserved, slack, limit);
  if (!laidOut)
    return laidOut.status();
  Attempt next;
  static_cast<LaidOut &>(next) = laidOut.take();
  return next;
}

/// Ok if every arena fits. Otherwise the error says what is short, and the next round has a larger reserve
/// or, if live bytes fit and only their packing does not, a larger slack. The growth doubles from round to
/// round, so that some round fits or no bytes are left; kCautiousRounds limits the growth of the reserve in
/// the first rounds. `isAgain`: the layout is that of an earlier round.
Status MemoryPlanner::shrink(const Layout &layout, bool isAgain) {
  isPackable |= llvm::all_of(kTiers, [&](plan::Tier tier) {
    return layout.arenas[static_cast<size_t>(tier)].lowerBound <= machine.capacity(tier);
  });
  bool isShort = false;
  for (plan::Tier tier : kTiers) {
    const size_t t = static_cast<size_t>(tier);
    const ArenaUse &arena = layout.arenas[t];
    const int64_t over = arena.bytes() - machine.capacity(tier);
    if (over <= 0)
      continue;
    isShort = true;
    // Where live bytes fit and the packing does not, the scheduler prefetches less. Else homes change tier.
    const int64_t free = machine.capacity(tier) - arena.homes;
    const bool isPacking = arena.lowerBound <= machine.capacity(tier) && !request.slack[t] &&
                           slack[t] < machine.capacity(tier) / 8 && free - slack[t] > layout.leastBuffers[t];
    const bool isNear = !isPacking && !isAgain && shrinks < kCautiousRounds;
    shrunk[t] = std::max(over, isNear ? std::min(2 * shrunk[t], kMostTimesShort * over) : 2 * shrunk[t]);
    // A host without homes stages what passes between device and disk, of homes on the device.
    const bool hasNone = tier == plan::Tier::Host && arena.homes == 0;
    if (isPacking)
      slack[t] += shrunk[t];
    else
      reserved[hasNone ? static_cast<size_t>(plan::Tier::Device) : t] += shrunk[t];
  }
  if (!isShort)
    return Status::ok();
  ++shrinks;
  return layout.shortage ? refuse(*layout.shortage) : Status::cannotFit("an arena is short");
}

/// Keeps the shortage, and says it.
Status MemoryPlanner::refuse(plan::Shortage lacking) {
  Status refusal = Status::cannotFit(plan::shortageText(lacking));
  shortage = std::move(lacking);
  return refusal;
}

/// Backfilling: homes move from the disk into the memory that the best layout leaves free on the host, where
/// that spares the disk and costs no time. Free memory of the device stays free: transfers beside computation
/// use it.
void MemoryPlanner::backfillHost(Attempt &best) {
  constexpr size_t host = static_cast<size_t>(plan::Tier::Host);
  double share = 1, most = best.step.seconds * (1 + planning::kSameSpeed);
  std::vector<TierPins> tried; // the layout of the same homes would be the same
  for (int round = 0; round < kBackfillRounds; ++round, share /= 2) {
    reserved = best.reserved;
    slack = best.slack;
    int64_t left = machine.capacity(plan::Tier::Host) - best.arenas[host].bytes();
    reserved[host] -= static_cast<int64_t>(share * static_cast<double>(left));
    Result<Placement> placement = placer.place(reserved);
    if (!placement || diskSeconds(*placement) >= diskSeconds(best.placement) ||
        busiestSeconds(*placement) > most * (1 + planning::kNearly) ||
        llvm::is_contained(tried, placement->homes))
      continue;
    tried.push_back(placement->homes);
    Result<Attempt> next = layOut(placement.take(), most);
    if (!next || next->isSlow || !layouts.fits(next->arenas) || next->step.seconds > most)
      continue;
    best = next.take();
    most = std::min(most,
                    best.step.seconds * (1 + planning::kSameSpeed)); // later rounds keep the seconds gained
    share *= 2; // the next round asks for the same share, of the memory that is still free
  }
}

/// What came of a layout, beside the seconds that were taken.
plan::Trial MemoryPlanner::trialOfSlack(const Layout &layout, plan::Tier tier, double taken) const {
  plan::Trial trial{.value = std::to_string(layout.slack[static_cast<size_t>(tier)])};
  for (plan::Tier other : kTiers) {
    const ArenaUse &arena = layout.arenas[static_cast<size_t>(other)];
    const int64_t capacity = machine.capacity(other);
    if (arena.bytes() <= capacity)
      continue;
    trial.outcome = plan::Outcome::DoesNotFit;
    trial.shortages = {{plan::Lack::Arena, other, arena.bytes() - capacity, arena.bytes(), capacity}};
    return trial;
  }
  trial.outcome =
      layout.step.seconds > taken * (1 + planning::kNearly) ? plan::Outcome::Slower : plan::Outcome::Alike;
  trial.clock = layout.isSlow ? plan::Clock::InOrder : plan::Clock::LaidOut;
  trial.seconds = layout.step.seconds;
  return trial;
}

/// Of the layouts with the same homes, each with slack of its own in this tier. Nothing where none is kept.
std::optional<plan::Reason> MemoryPlanner::reasonOfSlack(const Attempt &attempt, plan::Tier tier) const {
  const size_t t = static_cast<size_t>(tier);
  if (attempt.slack[t] == 0)
    return std::nullopt;
  plan::Reason reason{.decision = plan::Decision::Slack,
                      .subject = std::string(plan::textOf(tier)),
                      .taken = std::to_string(attempt.slack[t]),
                      .basis = request.slack[t] ? plan::Basis::Asked : plan::Basis::Fastest};
  for (const Layout &layout : known) {
    if (layout.placement.homes != attempt.placement.homes || layout.slack[t] == attempt.slack[t])
      continue;
    const plan::Trial trial = trialOfSlack(layout, tier, attempt.step.seconds);
    const auto same =
        llvm::find_if(reason.trials, [&](const plan::Trial &one) { return one.value == trial.value; });
    if (same == reason.trials.end())
      reason.trials.push_back(trial);
    else if (same->outcome == plan::Outcome::DoesNotFit ||
             (trial.outcome != plan::Outcome::DoesNotFit && trial.seconds < same->seconds))
      *same = trial;
  }
  reason.trials.push_back(trialOfSlack(attempt, tier, attempt.step.seconds));
  reason.trials.back().outcome = plan::Outcome::Taken;
  return reason;
}

/// The reasons of the placement as a whole, of the home of each class, of the credits of each link, and of
/// the bytes of each tier that are kept from the scheduler.
std::vector<plan::Reason> MemoryPlanner::reasonsOf(const Attempt &attempt) {
  std::vector<plan::Reason> reasons = {
      planning::explainGap(attempt.placement.solution, attempt.step.seconds)};
  if (attempt.solvedSeconds > 0) {
    plan::Reason &homes = reasons.front();
    homes.taken = homes.trials.front().value = plan::kOnDevice;
    homes.trials.push_back({.value = std::string(plan::kLeastBusy),
                            .outcome = plan::Outcome::Slower,
                            .clock = plan::Clock::LaidOut,
                            .seconds = attempt.solvedSeconds});
  }
  llvm::append_range(reasons, placer.explain(attempt.placement, attempt.reserved));
  for (planning::Link link : planning::kLinks) {
    const std::optional<plan::FetchWindow> &window = attempt.prefetch.why[static_cast<size_t>(link)];
    if (!window)
      continue;
    plan::Reason reason{
        .decision = plan::Decision::Prefetch,
        .subject = std::string(plan::subjectsOf(plan::Decision::Prefetch)[static_cast<size_t>(link)]),
        .taken = std::to_string(attempt.prefetch.credits.of(link)),
        .basis = plan::Basis::Solved,
        .window = *window};
    if (attempt.reach.of(link) < attempt.prefetch.credits.of(link))
      reason.window.held = attempt.reach.of(link);
    reasons.push_back(std::move(reason));
  }
  for (plan::Tier tier : kTiers)
    if (std::optional<plan::Reason> reason = reasonOfSlack(attempt, tier))
      reasons.push_back(std::move(*reason));
  return reasons;
}

} // namespace windlass::flow
