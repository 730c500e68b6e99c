// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Flow/layout/Layouts.h"

#include "passes/Flow/homes/Homes.h"
#include "passes/Flow/layout/Consumers.h"
#include "passes/Flow/waits/LaneOrder.h"
#include "passes/Flow/waits/Schedules.h"
#include "planning/Schedule/ScheduleSolver.h"
#include "planning/Tolerances.h"
#include "runtime/plan/Device.h"
#include "runtime/plan/Reasons.h"
#include <limits>

using namespace mlir;

namespace windlass::flow {

bool Layout::needsNoSlack() const {
  return isSlow || !isReordered || step.alone <= inOrder.alone * (1 + planning::kSameSpeed);
}

bool Layout::isSameWith(const TierPins &homes, const TierBytes &other) const {
  for (size_t tier = 0; tier < other.size(); ++tier)
    if (other[tier] < slack[tier] || other[tier] > mostSlack[tier])
      return false;
  return placement.homes == homes;
}

Result<LaidOut> Layouts::layOut(Placement placement, const TierBytes &reserved, const TierBytes &slack,
                                double limit) {
  LaidOut next;
  next.module = module.clone();
  next.placement = std::move(placement);
  next.reserved = reserved;
  next.slack = slack;
  applyPlacement(*next.module, next.placement.homes);
  materializeTransfers(*next.module, request.chunkElements);
  elideCollectives(*next.module);
  InstructionCost cost(*next.module, machine); // elided collectives are kernels of the copy alone
  WINDLASS_TRY(schedule(next, cost));
  if (mustFit() && !fits(next.arenas))
    return next;
  if (!request.firstThatFits) {
    Result<SimulatedStep> simulated = simulateLayout(*next.module, cost, Buffers::Apart);
    if (!simulated)
      return simulated.status();
    next.step = next.inOrder = *simulated;
    next.isSlow = next.step.seconds > limit * (1 + planning::kNearly) ||
                  (next.fitsInOrder && next.step.seconds > request.limit * planning::kSlowBeyond);
    if (next.isSlow)
      return next;
  }
  WINDLASS_TRY(allocate(next));
  next.shortage = shortageOf(next);
  if (request.firstThatFits || !fits(next.arenas))
    return next;
  Result<SimulatedStep> simulated = simulateLayout(*next.module, cost, Buffers::LaidOut);
  if (!simulated)
    return simulated.status();
  next.step = *simulated;
  return next;
}

/// Orders the sections, unless they fit in no order. Arenas are then what live bytes take at least.
Status Layouts::schedule(LaidOut &next, InstructionCost &cost) const {
  std::vector<SectionTasks> sections;
  SmallVector<const SectionTasks *> run;
  HomeStack stack(*next.module);
  TierBytes free{}; // beside homes
  for (auto section : next.module->getOps<SectionOp>()) {
    sections.push_back(tasksOf(section, cost));
    if (runsOf(section) == 0)
      continue;
    for (auto [bytes, live] :
         llvm::zip_equal(next.leastBuffers, planning::programOrderPeak(sections.back().problem)))
      bytes = std::max(bytes, live);
  }
  for (plan::Tier tier : kTiers) {
    const size_t t = static_cast<size_t>(tier);
    free[t] = machine.capacity(tier) - stack.bytes(tier);
    next.arenas[t] = {stack.bytes(tier), next.leastBuffers[t], stack.bytes(tier) + next.leastBuffers[t]};
  }
  next.mostSlack.fill(std::numeric_limits<int64_t>::max());
  if (mustFit() && !fits(next.arenas))
    return Status::ok();
  for (const SectionTasks &tasks : sections)
    if (request.overlap && runsOf(tasks.section) > 0)
      run.push_back(&tasks);
  Result<PrefetchCredits> prefetch = sizePrefetch(run, request.credits, cost);
  if (!prefetch)
    return prefetch.status();
  next.prefetch = prefetch.take();
  ScheduleOptions options{next.prefetch.credits, request.overlap, {}};
  std::array<bool, 3> hasMostSlack{};
  for (size_t t = 0; t < free.size(); ++t) {
    const int64_t most = std::max<int64_t>(0, free[t] - next.leastBuffers[t]);
    if (next.slack[t] < machine.capacity(kTiers[t])) { // else nothing overtakes anything
      hasMostSlack[t] = next.slack[t] >= most;
      next.slack[t] = std::min(next.slack[t], most);
    }
    options.capacity[t] = std::max<int64_t>(0, free[t] - next.slack[t]);
    options.sparesPasses |= next.slack[t] > 0 && next.leastBuffers[t] > 0;
  }
  TierBytes peak{}; // over all sections
  for (SectionTasks &tasks : sections) {
    Result<planning::ScheduleSolution> solution = scheduleSection(tasks, options);
    if (!solution)
      return solution.status();
    const int64_t runs = runsOf(tasks.section);
    next.isReordered |= runs > 0 && solution->fits;
    next.fitsInOrder &= runs == 0 || solution->fits;
    for (size_t t = 0; t < free.size(); ++t) {
      peak[t] = std::max(peak[t], solution->peak[t]);
      if (hasMostSlack[t])
        next.mostSlack[t] = machine.capacity(kTiers[t]) - 1;
      else if (solution->enough[t] > 0)
        next.mostSlack[t] = std::min(next.mostSlack[t], free[t] - solution->enough[t]);
    }
    for (planning::Link link : planning::kLinks)
      next.reach.of(link) = std::max(next.reach.of(link), runs > 0 ? solution->reach.of(link) : 1);
  }
  for (size_t t = 0; t < peak.size(); ++t)
    if (peak[t] == 0) // the order asks for nothing there
      next.slack[t] = 0;
  return Status::ok();
}

Status Layouts::allocate(LaidOut &next) const {
  BufferAllocator allocator(*next.module, plan::findDevice(machine.backend)->alignment);
  for (plan::Tier tier : kTiers) {
    // Backfilling needs to know the least bytes that the host takes.
    const int64_t enough = tier == plan::Tier::Host ? 0 : machine.capacity(tier);
    Result<ArenaUse> arena =
        request.firstThatFits ? allocateToFit(allocator, tier) : allocateFreely(allocator, tier, enough);
    if (!arena)
      return arena.status();
    next.arenas[static_cast<size_t>(tier)] = *arena;
  }
  return Status::ok();
}

/// The first packing that fits. Shorter lifetimes come first, for they need fewer bytes; but packings are
/// greedy, so that longer lifetimes may fit where shorter ones do not.
Result<ArenaUse> Layouts::allocateToFit(BufferAllocator &allocator, plan::Tier tier) const {
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

/// The packing with the longest lifetimes that fits, for buffers that live longer cause fewer waits.
/// `enough`: bytes of an arena that need not be smaller.
Result<ArenaUse> Layouts::allocateFreely(BufferAllocator &allocator, plan::Tier tier, int64_t enough) const {
  const int64_t capacity = machine.capacity(tier);
  if (request.overlap)
    for (Lifetimes lifetimes : {Lifetimes::ByMargin, Lifetimes::ByTime}) {
      if (!allocator.mayFit(tier, lifetimes, capacity))
        continue;
      Result<ArenaUse> arena = allocator.allocate(tier, lifetimes, enough);
      if (!arena || arena->bytes() <= capacity)
        return arena;
    }
  return allocator.allocate(tier, Lifetimes::ByOrder, enough);
}

Status Layouts::tighten(LaidOut &laidOut) const {
  constexpr plan::Tier device = plan::Tier::Device;
  ArenaUse &arena = laidOut.arenas[static_cast<size_t>(device)];
  SmallVector<std::pair<AllocOp, uint64_t>> offsets;
  laidOut.module->walk([&](AllocOp alloc) {
    if (tierOf(alloc.getBuffer()) == device)
      offsets.push_back({alloc, alloc.getOffset()});
  });
  BufferAllocator allocator(*laidOut.module, plan::findDevice(machine.backend)->alignment);
  Result<ArenaUse> tight = allocateFreely(allocator, device, /*enough=*/0);
  if (!tight)
    return tight.status();
  InstructionCost cost(*laidOut.module, machine);
  Result<SimulatedStep> step = simulateLayout(*laidOut.module, cost, Buffers::LaidOut);
  if (!step)
    return step.status();
  if (step->seconds <= laidOut.step.seconds) {
    arena = *tight;
    laidOut.step = *step;
    return Status::ok();
  }
  for (auto [alloc, offset] : offsets)
    alloc.setOffset(offset);
  return Status::ok();
}

/// Of the first arena that is short, where that is asked for.
std::optional<plan::Shortage> Layouts::shortageOf(const LaidOut &laidOut) const {
  if (!request.shortage)
    return std::nullopt;
  for (plan::Tier tier : kTiers) {
    const ArenaUse &arena = laidOut.arenas[static_cast<size_t>(tier)];
    const int64_t capacity = machine.capacity(tier);
    if (arena.bytes() > capacity)
      return plan::Shortage{plan::Lack::Arena, tier,     arena.bytes() - capacity,
                            arena.bytes(),     capacity, largestConsumers(*laidOut.module, tier)};
  }
  return std::nullopt;
}

bool Layouts::fits(const std::array<ArenaUse, 3> &arenas) const {
  return llvm::all_of(kTiers, [&](plan::Tier tier) {
    return arenas[static_cast<size_t>(tier)].bytes() <= machine.capacity(tier);
  });
}

OwningOpRef<ModuleOp> Layouts::commit(LaidOut &laidOut) const {
  Builder builder(laidOut.module->getContext());
  SmallVector<NamedAttribute> sizes;
  for (plan::Tier tier : kTiers) {
    const ArenaUse &arena = laidOut.arenas[static_cast<size_t>(tier)];
    sizes.push_back(builder.getNamedAttr(
        stringifyEnum(tier),
        builder.getDenseI64ArrayAttr({arena.bytes(), arena.lowerBound, machine.capacity(tier)})));
  }
  laidOut.module.get()->setAttr(kArenas, builder.getDictionaryAttr(sizes));
  return std::move(laidOut.module);
}

} // namespace windlass::flow
