// Rounds of place, materialise, schedule, allocate, until a plan fits the machine.

#include "passes/Flow/PlanMemory.h"

#include "compiler/planning/Placement/PlacementSolver.h"
#include "dialects/Dist/IR/DistDialect.h"
#include "passes/Flow/AllocateBuffers.h"
#include "passes/Flow/Consumers.h"
#include "passes/Flow/Homes.h"
#include "passes/Flow/Passes.h"
#include "passes/Flow/PlayLayout.h"
#include "runtime/base/Units.h"
#include <set>

using namespace mlir;

namespace windlass::flow {

#define GEN_PASS_DEF_PLANMEMORY
#include "passes/Flow/Passes.h.inc"

namespace {

constexpr int kRounds = 16;
/// Rounds that try to use what is left free.
constexpr int kFillRounds = 4;
/// A step that takes no larger share longer is as fast: rates have three digits, so that times made from them
/// are known to one part in two hundred. Well within that, for all rounds together are to stay there.
constexpr double kSameSpeed = 0.002;
/// What sums of the same seconds in another order may differ by.
constexpr double kRounding = 1e-9;
/// Groups under way for which homes must make room; credits beyond may take what is left.
constexpr int64_t kReservedGroups = 2;
/// Shares of a tier's capacity kept from the scheduler, so that packing can keep bytes apart.
constexpr std::array<int64_t, 3> kSlackShares = {0, 16, 8};
constexpr std::array<plan::Tier, 3> kTiers = {plan::Tier::Device, plan::Tier::Host, plan::Tier::Nvme};

StringRef nameOf(plan::Tier tier) { return stringifyTier(static_cast<Tier>(tier)); }

class Planner {
public:
  Planner(ModuleOp module, const model::Machine &machine, const PlanMemoryRequest &request)
      : module(module), machine(machine), request(request),
        placer(module, machine,
               {request.pins, request.microBatches, request.wholeOnDevice, !request.firstThatFits}) {}

  /// Tries how much room to leave to prefetching and to packing; keeps the plan that plays fastest.
  Result<MemoryPlan> run() {
    WINDLASS_TRY(reserveWorkspace());
    std::optional<Attempt> best;
    Status shortfall = Status::ok();
    std::optional<int64_t> settled; // groups for which more room for packing is of no use
    for (const Room &room : rooms()) {
      if (room.slackShare > 0 && settled == room.groups)
        continue;
      Result<Attempt> next = attempt(room);
      if (!next && (next.status().code() != ExitCode::CannotFit || (!best && request.pins.empty())))
        return next.status();
      if (!next && shortfall)
        shortfall = next.status();
      if (next && next->costsNoWaits())
        settled = room.groups;
      if (next && (!best || next->seconds < best->seconds))
        best = next.take();
      if (best && request.firstThatFits)
        break;
    }
    if (!best)
      return shortfall;
    if (!request.firstThatFits)
      fillUp(*best);
    keep(*best);
    InstructionCost cost(module, machine);
    return MemoryPlan{best->seconds, computeSeconds(module, cost, request.microBatches),
                      best->placement.homes};
  }

private:
  /// What is kept free: groups under way, and one part in `slackShare` of every tier; or nothing at all, so
  /// that whoever pins homes is only held to what turns out to fit.
  struct Room {
    int64_t groups = 0, slackShare = 0;
    bool nothing = false;
  };
  /// A plan that fits.
  struct Attempt {
    OwningOpRef<ModuleOp> module;
    Placement placement;
    std::array<ArenaUse, 3> arenas;
    std::array<int64_t, 3> reserved{}, slack{}; ///< what it was made under
    double scheduled = 0, seconds = 0;          ///< of a step: in its order, and with these offsets

    /// No instruction waits for bytes that another buffer had before it.
    bool costsNoWaits() const { return seconds <= scheduled * (1 + kRounding); }
  };

  static double diskSeconds(const Placement &placement) {
    auto busy = [&](planning::Resource lane) {
      return placement.solution.use.seconds[static_cast<size_t>(lane)];
    };
    return busy(planning::Resource::NcIn) + busy(planning::Resource::NcOut);
  }

  std::vector<Room> rooms() const {
    if (!request.overlap || !request.prefetchRoom)
      return request.pins.empty() ? std::vector<Room>{{0, 0}} : std::vector<Room>{{0, 0}, {0, 0, true}};
    std::vector<Room> all;
    int64_t credits = std::max({request.credits.nc, request.credits.cg, request.credits.gg});
    for (int64_t groups : std::set{std::min(credits, kReservedGroups), credits})
      for (int64_t share : kSlackShares)
        all.push_back({groups, share});
    if (!request.pins.empty())
      all.push_back({0, 0, true});
    return all;
  }

  /// Rounds under a shrinking cap.
  Result<Attempt> attempt(const Room &room) {
    reserved = room.nothing ? std::array<int64_t, 3>{} : workspace;
    taken = {};
    reservePrefetch(room.groups);
    for (plan::Tier tier : kTiers)
      slack[static_cast<size_t>(tier)] = room.slackShare ? machine.capacity(tier) / room.slackShare : 0;
    Status last = Status::ok();
    for (int round = 0; round < kRounds; ++round) {
      Result<Attempt> next = plan();
      if (!next) // nothing left to place: what was short before says more
        return last.isOk() ? shortfall(next.status()) : last;
      last = shrink(*next->module, next->arenas);
      if (last)
        return next;
    }
    return last;
  }

  /// Why homes find no room beside what a section needs: the arena of the layout that lacks least, which says
  /// what fills it. `refusal`: of the placement, which knows of homes alone.
  Status shortfall(const Status &refusal) {
    std::optional<planning::Shortage> missing;
    if (!request.firstThatFits && refusal.code() == ExitCode::CannotFit)
      missing = placer.shortage(reserved);
    if (!missing)
      return refusal;
    const size_t tier = static_cast<size_t>(missing->tier);
    reserved[tier] = std::min(reserved[tier], machine.capacity(missing->tier)) - missing->bytes;
    Result<Attempt> next = plan();
    if (!next)
      return refusal;
    Status status = shrink(*next->module, next->arenas);
    return status ? refusal : status;
  }

  /// One round under today's `reserved` and `slack`; it may not fit.
  Result<Attempt> plan() {
    Result<Placement> placement = placer.place(reserved);
    if (!placement)
      return placement.status();
    return layOut(placement.take());
  }

  Result<Attempt> layOut(Placement placement) {
    Attempt next{module.clone(), std::move(placement), {}, reserved, slack};
    applyPlacement(*next.module, next.placement.homes);
    materializeTransfers(*next.module, request.chunkElements);
    elideCollectives(*next.module);
    InstructionCost cost(*next.module, machine);
    Result<double> scheduled = schedule(*next.module, cost);
    if (!scheduled)
      return scheduled.status();
    next.scheduled = *scheduled;
    Result<std::array<ArenaUse, 3>> arenas = allocateFreely(*next.module);
    if (!arenas)
      return arenas.status();
    next.arenas = *arenas;
    next.seconds = playLayout(*next.module, cost, request.microBatches);
    return next;
  }

  /// Gives homes what the best plan has left free on the host, where that spares the disk and costs no time.
  /// What is free on the device is what compute and transfers run side by side in.
  void fillUp(Attempt &best) {
    constexpr size_t host = static_cast<size_t>(plan::Tier::Host);
    double share = 1, most = best.seconds * (1 + kSameSpeed);
    for (int round = 0; round < kFillRounds; ++round, share /= 2) {
      reserved = best.reserved;
      slack = best.slack;
      int64_t left = machine.capacity(plan::Tier::Host) - best.arenas[host].bytes();
      reserved[host] -= static_cast<int64_t>(share * static_cast<double>(left));
      Result<Placement> placement = placer.place(reserved);
      if (!placement || diskSeconds(*placement) >= diskSeconds(best.placement))
        continue;
      Result<Attempt> next = layOut(placement.take());
      if (!next || !fits(next->arenas) || next->seconds > most)
        continue;
      best = next.take();
      most = std::min(most, best.seconds * (1 + kSameSpeed)); // what it gains in time is not given away again
      share *= 2;                                             // as much of what is left now
    }
  }

  bool fits(const std::array<ArenaUse, 3> &arenas) const {
    return llvm::all_of(kTiers, [&](plan::Tier tier) {
      return arenas[static_cast<size_t>(tier)].bytes() <= machine.capacity(tier);
    });
  }

  /// What a section needs beside homes, with every home on the device and nothing prefetched.
  Status reserveWorkspace() {
    OwningOpRef<ModuleOp> copy = module.clone();
    for (auto home : copy->getOps<HomeOp>())
      home.setTier(Tier::Device);
    materializeTransfers(*copy, request.chunkElements);
    elideCollectives(*copy);
    BufferAllocator allocator(*copy);
    int64_t checkpoints = 0;
    for (auto section : copy->getOps<SectionOp>()) {
      int64_t mine = 0;
      for (auto alloc : section.getBody().front().getOps<AllocOp>())
        if (alloc.getBufferClass() == "checkpoint")
          mine += bufferType(alloc.getBuffer()).getBytes();
      checkpoints = std::max(checkpoints, mine);
    }
    for (auto home : module.getOps<HomeOp>()) // those placed from the start: library scratch
      if (home.getTier() != Tier::Unplaced)
        workspace[static_cast<size_t>(home.getTier())] += home.getBytes();
    for (Tier tier : {Tier::Device, Tier::Host, Tier::Nvme}) {
      Result<ArenaUse> arena = allocator.allocate(tier, Lifetimes::ByOrder);
      if (!arena)
        return arena.status();
      workspace[static_cast<size_t>(tier)] += arena->buffers;
    }
    workspace[0] = std::max<int64_t>(0, workspace[0] - checkpoints); // placed, not workspace
    return Status::ok();
  }

  /// Room for the groups under way beside the one in use: gathered units and the shard they come from on the
  /// device, the chunks of an update on the host. Of groups the middle one counts: a vocabulary's matrix,
  /// many times a layer's, would drive homes away all step long for what is gathered twice.
  void reservePrefetch(int64_t groups) {
    if (groups == 0)
      return;
    std::vector<int64_t> gathered;
    int64_t chunk = 0;
    bool sharesBytes = ranksOf(module) == 1; // a shard is its units
    for (auto section : module.getOps<SectionOp>())
      for (Operation &op : section.getBody().front()) {
        if (auto gather = dyn_cast<CollectiveOpInterface>(op); gather && gather.bringsUnits()) {
          int64_t bytes = bufferType(gather.getShard()).getBytes();
          for (Value unit : gather.getUnits())
            bytes += sharesBytes ? 0 : bufferType(unit).getBytes();
          gathered.push_back(bytes);
        }
        if (auto update = dyn_cast<UpdateOp>(op)) {
          int64_t elements = 0, width = 0;
          for (int64_t piece : update.getPieces())
            elements += piece;
          for (auto [i, bytes] : llvm::enumerate(update.getElementBytes()))
            width += static_cast<int64_t>(i) < static_cast<int64_t>(update.getNumInputs()) ? bytes : 0;
          chunk = std::max(chunk, std::min(elements, request.chunkElements) * width);
        }
      }
    if (!gathered.empty()) {
      auto middle = gathered.begin() + static_cast<ptrdiff_t>(gathered.size() / 2);
      std::nth_element(gathered.begin(), middle, gathered.end());
      reserved[0] += std::min(request.credits.gg, groups) * *middle;
    }
    reserved[1] += (std::min(request.credits.nc, groups) + 1) * chunk;
  }

  /// Seconds of a step in the order that is found.
  Result<double> schedule(ModuleOp copy, InstructionCost &cost) {
    ScheduleOptions options{request.credits, request.overlap, {}};
    for (plan::Tier tier : kTiers)
      options.capacity[static_cast<size_t>(tier)] = machine.capacity(tier) - slack[static_cast<size_t>(tier)];
    HomeStack stack(copy);
    for (auto [tier, capacity] : llvm::enumerate(options.capacity))
      capacity = std::max<int64_t>(0, capacity - stack.bytes(static_cast<Tier>(tier)));
    double seconds = 0;
    for (auto section : copy.getOps<SectionOp>()) {
      Result<planning::ScheduleSolution> solution = scheduleSection(section, cost, options);
      if (!solution)
        return solution.status();
      seconds += static_cast<double>(runsOf(section, request.microBatches)) * solution->makespan;
    }
    return seconds;
  }

  Result<std::array<ArenaUse, 3>> allocateFreely(ModuleOp copy) {
    BufferAllocator allocator(copy);
    std::array<ArenaUse, 3> arenas;
    for (plan::Tier tier : kTiers) {
      Result<ArenaUse> arena = allocateFreely(allocator, tier);
      if (!arena)
        return arena.status();
      arenas[static_cast<size_t>(tier)] = *arena;
    }
    return arenas;
  }

  /// In a tier bytes stay apart for as long as the machine has room for it: the fewer waits.
  Result<ArenaUse> allocateFreely(BufferAllocator &allocator, plan::Tier tier) {
    int64_t capacity = machine.capacity(tier);
    if (request.overlap)
      for (Lifetimes lifetimes : {Lifetimes::ByMargin, Lifetimes::ByTime}) {
        if (!allocator.mayFit(static_cast<Tier>(tier), lifetimes, capacity))
          continue;
        Result<ArenaUse> arena = allocator.allocate(static_cast<Tier>(tier), lifetimes);
        if (!arena || arena->bytes() <= capacity)
          return arena;
      }
    return allocator.allocate(static_cast<Tier>(tier), Lifetimes::ByOrder);
  }

  /// Ok if every arena fits; otherwise the next round has less to give (each time twice as much less, so that
  /// some round fits or nothing is left), and the failure says what is short.
  Status shrink(ModuleOp copy, const std::array<ArenaUse, 3> &arenas) {
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
        status = Status::cannotFit("the " + nameOf(tier).str() + " arena of a rank is short by " +
                                   std::to_string(over) + " bytes (" + formatBytes(over) + "): it needs " +
                                   formatBytes(arenas[t].bytes()) + ", the machine has " +
                                   formatBytes(machine.capacity(tier)) +
                                   " (largest: " + largestConsumers(copy, tier) + ")");
    }
    return status;
  }

  void keep(Attempt &attempt) {
    module.getBodyRegion().takeBody(attempt.module->getBodyRegion());
    explain(module, "placement", planning::explainGap(attempt.placement.solution));
    for (const planning::PlacementWhy &why : attempt.placement.solution.why)
      explain(module, "placement of " + why.cls, why.text);
    OpBuilder builder(module.getContext());
    SmallVector<NamedAttribute> sizes;
    for (plan::Tier tier : kTiers) {
      const ArenaUse &arena = attempt.arenas[static_cast<size_t>(tier)];
      sizes.push_back(builder.getNamedAttr(
          nameOf(tier),
          builder.getDenseI64ArrayAttr({arena.bytes(), arena.lowerBound, machine.capacity(tier)})));
    }
    module->setAttr(kArenas, builder.getDictionaryAttr(sizes));
  }

  ModuleOp module;
  const model::Machine &machine;
  const PlanMemoryRequest &request;
  StatePlacer placer;
  std::array<int64_t, 3> workspace{}; ///< what a section needs beside homes
  std::array<int64_t, 3> reserved{};  ///< not for homes
  std::array<int64_t, 3> slack{};     ///< kept from the scheduler, for packing
  std::array<int64_t, 3> taken{};     ///< by the last round that did not fit
};

/// What a module made by hand may lack: kernels that are there, origins, a tier for every buffer but homes.
class Preconditions {
public:
  explicit Preconditions(ModuleOp module) : symbols(module) {
    module.walk([&](Operation *op) {
      if (auto instruction = dyn_cast<InstructionOpInterface>(op); instruction && !instruction.origin())
        refuse(op, "has no origin");
      if (auto alloc = dyn_cast<AllocOp>(op);
          alloc && bufferType(alloc.getBuffer()).getTier() == Tier::Unplaced)
        refuse(op, "allocates a buffer without a tier");
      if (auto launch = dyn_cast<LaunchOp>(op))
        checkKernel(op, launch.getKernel());
      if (auto update = dyn_cast<UpdateOp>(op))
        checkKernel(op, update.getKernel());
    });
  }

  LogicalResult result() const { return success(good); }

private:
  void checkKernel(Operation *op, StringRef name) {
    auto kernel = symbols.lookup<func::FuncOp>(name);
    if (!kernel || !kernel->hasAttr(dist::kKernelAttr) || kernel.isExternal())
      refuse(op, "'" + name + "' is not a kernel of this module");
  }

  void refuse(Operation *op, const Twine &rule) {
    op->emitOpError(rule);
    good = false;
  }

  SymbolTable symbols;
  bool good = true;
};

struct PlanMemoryPass : impl::PlanMemoryBase<PlanMemoryPass> {
  using PlanMemoryBase::PlanMemoryBase;

  void runOnOperation() override {
    if (failed(Preconditions(getOperation()).result()))
      return signalPassFailure();
    Result<model::Machine> machine = model::readMachine(hardware);
    if (!machine) {
      getOperation().emitError(machine.status().message());
      return signalPassFailure();
    }
    PlanMemoryRequest request;
    request.credits = {credits, credits, credits};
    request.overlap = overlap;
    request.microBatches = microBatches;
    request.chunkElements = chunkElements;
    for (const std::string &pin : pins) {
      auto [cls, word] = StringRef(pin).split(':');
      std::optional<Tier> tier = symbolizeTier(word);
      if (!tier || *tier == Tier::Unplaced) {
        getOperation().emitError("a pin is CLASS:TIER, found '") << pin << "'";
        return signalPassFailure();
      }
      request.pins[cls.str()].others = static_cast<plan::Tier>(*tier);
    }
    if (Result<MemoryPlan> plan = planMemory(getOperation(), *machine, request); !plan) {
      getOperation().emitError(plan.status().message());
      signalPassFailure();
    }
  }
};

} // namespace

Result<MemoryPlan> planMemory(ModuleOp module, const model::Machine &machine,
                              const PlanMemoryRequest &request) {
  return Planner(module, machine, request).run();
}

void explain(ModuleOp module, const std::string &subject, const std::string &text) {
  OpBuilder builder(module.getContext());
  SmallVector<Attribute> all;
  if (auto known = module->getAttrOfType<ArrayAttr>(kExplanations))
    llvm::append_range(all, known);
  all.push_back(builder.getStrArrayAttr({subject, text}));
  module->setAttr(kExplanations, builder.getArrayAttr(all));
}

} // namespace windlass::flow
