// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Flow/layout/MemoryPlanner.h"

#include "passes/Flow/homes/Homes.h"
#include "passes/Flow/layout/Consumers.h"
#include "passes/Flow/waits/LaneOrder.h"
#include "passes/Flow/waits/Schedules.h"
#include "planning/Placement/PlacementSolver.h"
#include "runtime/plan/ReasonText.h"
#include <limits>

using namespace mlir;

namespace windlass::flow {
namespace {

constexpr int kRounds = 16;
/// Rounds that try to use what is left free.
constexpr int kFillRounds = 4;
/// A step that takes no larger share longer is as fast: rates have three digits, so that times made from them
/// are known to one part in two hundred. Well within that, for all rounds together are to stay there.
constexpr double kSameSpeed = 0.002;
/// Later rounds, with fewer homes on the device, may take so much less than the first.
constexpr double kHopeless = 1.1;
/// Groups under way for which homes must make room; credits beyond may take what is left.
constexpr int64_t kReservedGroups = 2;
/// Shares of a tier's capacity kept from the scheduler, so that packing can keep bytes apart.
constexpr std::array<int64_t, 3> kSlackShares = {0, 16, 8};
constexpr std::array<plan::Tier, 3> kTiers = {plan::Tier::Device, plan::Tier::Host, plan::Tier::Nvme};
constexpr double kNoLimit = std::numeric_limits<double>::infinity();

double diskSeconds(const Placement &placement) {
  auto busy = [&](planning::Resource lane) {
    return placement.solution.use.seconds[static_cast<size_t>(lane)];
  };
  return busy(planning::Resource::NcIn) + busy(planning::Resource::NcOut);
}

} // namespace

bool MemoryPlanner::Attempt::needsNoSlack() const {
  return !isReordered || (!isSlow && step.alone <= inOrder.alone * (1 + kSameSpeed));
}

MemoryPlanner::MemoryPlanner(ModuleOp module, const model::Machine &machine, const PlanMemoryRequest &request)
    : module(module), machine(machine), request(request),
      placer(module, machine, {request.pins, request.wholeOnDevice}) {}

Result<MemoryPlan> MemoryPlanner::run() {
  WINDLASS_TRY(placer.checkPins());
  Outcome outcome;
  Result<MemoryPlan> plan = search(outcome);
  if (!plan && request.shortage)
    *request.shortage = std::move(outcome.missing);
  return plan;
}

/// Tries how much room to leave to prefetching and to packing; keeps the plan that plays fastest.
Result<MemoryPlan> MemoryPlanner::search(Outcome &outcome) {
  Result<Workspace> needed =
      request.workspace ? Result<Workspace>(*request.workspace) : workspaceOf(module, request.chunkElements);
  if (!needed)
    return needed.status();
  workspace = needed->bytes;
  WINDLASS_TRY(tryRooms(rooms(), outcome));
  if (!request.pins.empty())
    WINDLASS_TRY(tryRooms({{.nothing = true}}, outcome));
  WINDLASS_TRY(tryOnDevice(outcome));
  std::optional<Attempt> &best = outcome.best, &slow = outcome.slow;
  if (!best && !slow)
    return outcome.shortfall;
  if (best && !request.firstThatFits)
    fillUp(*best);
  if (best)
    keep(*best);
  const Attempt &taken = best ? *best : *slow;
  InstructionCost cost(module, machine);
  return MemoryPlan{taken.step,
                    computeSeconds(module, cost),
                    taken.placement.homes,
                    taken.prefetch.credits,
                    !best,
                    best && !request.firstThatFits ? reasonsOf(*best) : std::vector<plan::Reason>()};
}

/// Homes are solved for by the busiest resource alone. Where that computes, as little else as can be may play
/// faster.
Status MemoryPlanner::tryOnDevice(Outcome &outcome) {
  std::optional<Attempt> &best = outcome.best;
  if (request.firstThatFits || !best || allOnDevice(best->placement.homes))
    return Status::ok();
  const double elsewhere = best->step.seconds;
  outcome.settled = false;
  std::vector<Room> all = rooms();
  for (Room &room : all)
    room.onDevice = true;
  WINDLASS_TRY(tryRooms(all, outcome));
  if (best->step.seconds < elsewhere)
    best->elsewhere = elsewhere;
  return Status::ok();
}

/// The first that fits will do where no more is asked. Errors: those after which no other room is tried.
Status MemoryPlanner::tryRooms(const std::vector<Room> &rooms, Outcome &outcome) {
  auto &[best, slow, shortfall, shortage, settled] = outcome;
  for (const Room &room : rooms) {
    if ((best && request.firstThatFits) || (room.slackShare > 0 && settled))
      continue;
    Result<Attempt> next = attempt(room, best ? best->step.seconds : kNoLimit);
    if (!next && shortfall) {
      shortfall = next.status();
      shortage = missing;
    }
    if (!next && (next.status().code() != ExitCode::CannotFit || (!best && !slow && request.pins.empty())))
      return next.status();
    if (!next)
      continue;
    if (next->needsNoSlack())
      settled = true;
    std::optional<Attempt> &kept = next->isSlow ? slow : best;
    if (!kept || next->step.isBetter(kept->step))
      kept = next.take();
  }
  return Status::ok();
}

std::vector<MemoryPlanner::Room> MemoryPlanner::rooms() const {
  if (!request.overlap || !request.prefetchRoom)
    return {{}};
  planning::Credits ahead; // how many transfers ask for is known when homes are
  for (planning::Link link : planning::kLinks)
    ahead.of(link) =
        std::min(request.credits[static_cast<size_t>(link)].value_or(kReservedGroups), kReservedGroups);
  std::vector<Room> all;
  for (int64_t share : kSlackShares)
    all.push_back({ahead, share});
  return all;
}

/// Rounds under a shrinking cap. Homes that stay where they are, with as much slack, are not laid out again.
Result<MemoryPlanner::Attempt> MemoryPlanner::attempt(const Room &room, double limit) {
  reserved = room.nothing ? TierBytes{} : workspace;
  taken = {};
  missing.reset();
  const TierBytes ahead = prefetchBytes(module, room.ahead, request.chunkElements);
  for (plan::Tier tier : kTiers) {
    const size_t t = static_cast<size_t>(tier);
    reserved[t] += ahead[t];
    slack[t] = room.slackShare ? machine.capacity(tier) / room.slackShare : 0;
  }
  std::optional<Attempt> last;
  Status misfit = Status::ok();
  for (int round = 0; round < kRounds; ++round) {
    Result<Placement> placement = room.onDevice ? placer.placeOnDevice(reserved) : placer.place(reserved);
    if (!placement && room.onDevice)
      return placement.status();
    if (!placement) // nothing left to place: what was short before says more
      return last ? misfit : shortfall(placement.status());
    if (!last || last->placement.homes != placement->homes || last->slack != slack) {
      Result<Attempt> next = layOut(placement.take(), limit);
      if (!next || next->isSlow)
        return next;
      last = next.take();
    }
    misfit = shrink(*last->module, last->arenas);
    if (misfit)
      return std::move(*last);
  }
  return misfit;
}

/// Why homes find no room beside what a section needs: the arena of the layout that lacks least, which says
/// what fills it. `refusal`: of the placement, which knows of homes alone.
Status MemoryPlanner::shortfall(const Status &refusal) {
  if (!request.shortage || refusal.code() != ExitCode::CannotFit)
    return refusal;
  const plan::Shortage states = placer.shortage(reserved);
  if (states.of == plan::Lack::EveryTier)
    return lacks(states);
  const size_t tier = static_cast<size_t>(states.tier);
  reserved[tier] = std::min(reserved[tier], machine.capacity(states.tier)) - states.bytes;
  Result<Placement> placement = placer.place(reserved);
  if (!placement)
    return lacks(states);
  Result<Attempt> next = layOut(placement.take(), kNoLimit);
  if (!next)
    return lacks(states);
  Status status = shrink(*next->module, next->arenas);
  return status ? lacks(states) : status;
}

/// Under today's `slack`; it may not fit. Offsets are not looked for where the order alone takes longer than
/// `limit`, or fits and takes clearly longer than the request's.
Result<MemoryPlanner::Attempt> MemoryPlanner::layOut(Placement placement, double limit) {
  Attempt next;
  next.module = module.clone();
  next.placement = std::move(placement);
  next.reserved = reserved;
  next.slack = slack;
  applyPlacement(*next.module, next.placement.homes);
  materializeTransfers(*next.module, request.chunkElements);
  elideCollectives(*next.module);
  InstructionCost cost(*next.module, machine); // of the copy: one rank's collectives became kernels of it
  WINDLASS_TRY(schedule(next, cost));
  if (request.firstThatFits) {
    WINDLASS_TRY(allocate(next));
    return next;
  }
  Result<PlayedStep> played = playStep(*next.module, cost, Buffers::Apart);
  if (!played)
    return played.status();
  next.step = next.inOrder = *played;
  if (next.step.seconds > limit * (1 + kNearly) ||
      (next.fitsInOrder && next.step.seconds > request.limit * kHopeless)) {
    next.isSlow = true;
    return next;
  }
  WINDLASS_TRY(allocate(next));
  played = playStep(*next.module, cost, Buffers::LaidOut);
  if (!played)
    return played.status();
  next.step = *played;
  return next;
}

Status MemoryPlanner::schedule(Attempt &attempt, InstructionCost &cost) {
  std::vector<SectionTasks> sections;
  SmallVector<const SectionTasks *> run;
  for (auto section : attempt.module->getOps<SectionOp>())
    sections.push_back(tasksOf(section, cost));
  for (const SectionTasks &tasks : sections)
    if (request.overlap && runsOf(tasks.section) > 0)
      run.push_back(&tasks);
  Result<PrefetchCredits> prefetch = sizePrefetch(run, request.credits, cost);
  if (!prefetch)
    return prefetch.status();
  attempt.prefetch = prefetch.take();
  ScheduleOptions options{attempt.prefetch.credits, request.overlap, {}};
  HomeStack stack(*attempt.module);
  for (plan::Tier tier : kTiers) {
    const size_t t = static_cast<size_t>(tier);
    options.capacity[t] =
        std::max<int64_t>(0, std::max<int64_t>(0, machine.capacity(tier) - slack[t]) - stack.bytes(tier));
  }
  for (SectionTasks &tasks : sections) {
    Result<planning::ScheduleSolution> solution = scheduleSection(tasks, options);
    if (!solution)
      return solution.status();
    const int64_t runs = runsOf(tasks.section);
    attempt.isReordered |= runs > 0 && solution->fits;
    attempt.fitsInOrder &= runs == 0 || solution->fits;
    for (planning::Link link : planning::kLinks)
      attempt.reach.of(link) = std::max(attempt.reach.of(link), runs > 0 ? solution->reach.of(link) : 1);
  }
  return Status::ok();
}

Status MemoryPlanner::allocate(Attempt &attempt) {
  BufferAllocator allocator(*attempt.module);
  for (plan::Tier tier : kTiers) {
    Result<ArenaUse> arena =
        request.firstThatFits ? allocateToFit(allocator, tier) : allocateFreely(allocator, tier);
    if (!arena)
      return arena.status();
    attempt.arenas[static_cast<size_t>(tier)] = *arena;
  }
  return Status::ok();
}

/// As below, in another order: shorter lives need less room, but for what greedy packings make of them.
Result<ArenaUse> MemoryPlanner::allocateToFit(BufferAllocator &allocator, plan::Tier tier) {
  const int64_t capacity = machine.capacity(tier);
  Result<ArenaUse> least = allocator.allocate(tier, Lifetimes::ByOrder, capacity);
  if (!least || least->bytes() <= capacity || !request.overlap)
    return least;
  for (Lifetimes lifetimes : {Lifetimes::ByTime, Lifetimes::ByMargin}) {
    if (!allocator.mayFit(tier, lifetimes, capacity))
      break;
    Result<ArenaUse> arena = allocator.allocate(tier, lifetimes, capacity);
    if (!arena || arena->bytes() <= capacity)
      return arena;
  }
  return least;
}

/// In a tier bytes stay apart for as long as the machine has room for it: the fewer waits.
Result<ArenaUse> MemoryPlanner::allocateFreely(BufferAllocator &allocator, plan::Tier tier) {
  int64_t capacity = machine.capacity(tier);
  if (request.overlap)
    for (Lifetimes lifetimes : {Lifetimes::ByMargin, Lifetimes::ByTime}) {
      if (!allocator.mayFit(tier, lifetimes, capacity))
        continue;
      Result<ArenaUse> arena = allocator.allocate(tier, lifetimes);
      if (!arena || arena->bytes() <= capacity)
        return arena;
    }
  return allocator.allocate(tier, Lifetimes::ByOrder);
}

/// Ok if every arena fits; otherwise the next round has less to give (each time twice as much less, so that
/// some round fits or nothing is left), and the failure says what is short.
Status MemoryPlanner::shrink(ModuleOp copy, const std::array<ArenaUse, 3> &arenas) {
  Status status = Status::ok();
  for (plan::Tier tier : kTiers) {
    size_t t = static_cast<size_t>(tier);
    int64_t over = arenas[t].bytes() - machine.capacity(tier);
    if (over <= 0)
      continue;
    taken[t] = std::max(over, 2 * taken[t]);
    // Live bytes fit and only the packing does not: prefetch less. Otherwise homes must go.
    if (arenas[t].lowerBound <= machine.capacity(tier) && slack[t] < machine.capacity(tier) / 8)
      slack[t] += taken[t];
    else
      reserved[t] += taken[t];
    if (status.isOk())
      status = request.shortage ? lacks(shortageOf(copy, tier, arenas[t]))
                                : Status::cannotFit("an arena is short");
  }
  return status;
}

plan::Shortage MemoryPlanner::shortageOf(ModuleOp copy, plan::Tier tier, const ArenaUse &arena) const {
  const int64_t capacity = machine.capacity(tier);
  return {plan::Lack::Arena, tier,     arena.bytes() - capacity,
          arena.bytes(),     capacity, largestConsumers(copy, tier)};
}

/// The refusal for want of that.
Status MemoryPlanner::lacks(plan::Shortage shortage) {
  Status refusal = Status::cannotFit(plan::shortageText(shortage));
  missing = std::move(shortage);
  return refusal;
}

bool MemoryPlanner::fits(const std::array<ArenaUse, 3> &arenas) const {
  return llvm::all_of(kTiers, [&](plan::Tier tier) {
    return arenas[static_cast<size_t>(tier)].bytes() <= machine.capacity(tier);
  });
}

/// Gives homes what the best plan has left free on the host, where that spares the disk and costs no time.
/// What is free on the device is what compute and transfers run side by side in.
void MemoryPlanner::fillUp(Attempt &best) {
  constexpr size_t host = static_cast<size_t>(plan::Tier::Host);
  double share = 1, most = best.step.seconds * (1 + kSameSpeed);
  for (int round = 0; round < kFillRounds; ++round, share /= 2) {
    reserved = best.reserved;
    slack = best.slack;
    int64_t left = machine.capacity(plan::Tier::Host) - best.arenas[host].bytes();
    reserved[host] -= static_cast<int64_t>(share * static_cast<double>(left));
    Result<Placement> placement = placer.place(reserved);
    if (!placement || diskSeconds(*placement) >= diskSeconds(best.placement))
      continue;
    Result<Attempt> next = layOut(placement.take(), most);
    if (!next || next->isSlow || !fits(next->arenas) || next->step.seconds > most)
      continue;
    best = next.take();
    most =
        std::min(most, best.step.seconds * (1 + kSameSpeed)); // what it gains in time is not given away again
    share *= 2;                                               // as much of what is left now
  }
}

/// Of all homes, of each class, and of the links that fetch.
std::vector<plan::Reason> MemoryPlanner::reasonsOf(const Attempt &attempt) {
  std::vector<plan::Reason> reasons = {
      planning::explainGap(attempt.placement.solution, attempt.step.seconds)};
  if (attempt.elsewhere > 0) {
    plan::Reason &homes = reasons.front();
    homes.taken = homes.trials.front().value = plan::kOnDevice;
    homes.trials.push_back({.value = std::string(plan::kLeastBusy),
                            .outcome = plan::Outcome::Slower,
                            .clock = plan::Clock::LaidOut,
                            .seconds = attempt.elsewhere});
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
  return reasons;
}

void MemoryPlanner::keep(Attempt &attempt) {
  module.getBodyRegion().takeBody(attempt.module->getBodyRegion());
  OpBuilder builder(module.getContext());
  SmallVector<NamedAttribute> sizes;
  for (plan::Tier tier : kTiers) {
    const ArenaUse &arena = attempt.arenas[static_cast<size_t>(tier)];
    sizes.push_back(builder.getNamedAttr(
        stringifyEnum(tier),
        builder.getDenseI64ArrayAttr({arena.bytes(), arena.lowerBound, machine.capacity(tier)})));
  }
  module->setAttr(kArenas, builder.getDictionaryAttr(sizes));
}

} // namespace windlass::flow
