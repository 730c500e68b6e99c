#include "passes/Flow/AllocateBuffers.h"

#include "compiler/planning/Memory/MemoryChecker.h"
#include "compiler/planning/Memory/MemorySolver.h"
#include "passes/Flow/Homes.h"
#include "passes/Flow/ScheduleSection.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;

namespace windlass::flow {
namespace {

/// Whatever moves in whole 4 KiB blocks starts on one; so do homes.
int64_t alignmentOf(BufferType type) {
  return type.getTier() != Tier::Device && type.getBytes() % kShardGranule == 0 ? kShardGranule : 64;
}

int64_t planned(Operation *op, StringRef when) {
  auto time = op->getAttrOfType<IntegerAttr>(when);
  return time ? time.getInt() : -1;
}

using LifeOfBuffers = llvm::MapVector<Value, std::pair<int64_t, int64_t>>;

/// When whoever takes the bytes of this user need no longer wait for it.
int64_t plannedRelease(Operation *op, Lifetimes kind) {
  int64_t start = planned(op, kPlannedStart), end = planned(op, kPlannedEnd);
  return kind == Lifetimes::ByMargin && !isa<LaunchOp>(op) ? end + (end - start) : end;
}

/// Positions [first user, behind the last user), or to where that user has ended.
LifeOfBuffers lifetimesOf(SectionOp section, Lifetimes kind) {
  SmallVector<Operation *> order;
  std::vector<int64_t> starts;
  for (Operation &op : section.getBody().front())
    if (isa<InstructionOpInterface>(op)) {
      order.push_back(&op);
      starts.push_back(std::max(planned(&op, kPlannedStart), starts.empty() ? -1 : starts.back()));
    }
  LifeOfBuffers lifetimes;
  for (auto [position, op] : llvm::enumerate(order)) {
    int64_t end = position + 1;
    if (kind != Lifetimes::ByOrder)
      end = std::max<int64_t>(end, llvm::lower_bound(starts, plannedRelease(op, kind)) - starts.begin());
    for (Value operand : op->getOperands()) {
      Value root = resolveBuffer(operand).root;
      if (!root.getDefiningOp<AllocOp>())
        continue;
      auto &life = lifetimes.insert({root, {static_cast<int64_t>(position), end}}).first->second;
      life.second = std::max(life.second, end);
    }
  }
  return lifetimes;
}

Status allocateSection(SectionOp section, const std::array<Lifetimes, 3> &kinds,
                       std::array<ArenaUse, 3> &arenas) {
  for (Tier tier : {Tier::Device, Tier::Host, Tier::Nvme}) {
    LifeOfBuffers lifetimes = lifetimesOf(section, kinds[static_cast<size_t>(tier)]);
    planning::MemoryProblem problem;
    SmallVector<AllocOp> allocs;
    for (auto &[root, life] : lifetimes) {
      BufferType type = bufferType(root);
      if (type.getTier() != tier)
        continue;
      auto alloc = root.getDefiningOp<AllocOp>();
      problem.buffers.push_back(
          {alloc.getName().str(), type.getBytes(), life.first, life.second, alignmentOf(type), {}});
      allocs.push_back(alloc);
    }
    ArenaUse &arena = arenas[static_cast<size_t>(tier)];
    arena.lowerBound = std::max(arena.lowerBound, arena.homes);
    if (allocs.empty())
      continue;
    Result<planning::MemorySolution> solution = planning::solveMemory(problem);
    if (!solution)
      return solution.status();
    WINDLASS_TRY(planning::checkMemory(problem, *solution));
    for (auto [alloc, offset] : llvm::zip_equal(allocs, solution->offset))
      alloc.setOffset(arena.homes + offset);
    if (solution->peak > arena.buffers) {
      arena.buffers = roundUp(solution->peak, kShardGranule);
      arena.worstSection = section.getSymName().str();
    }
    arena.lowerBound = std::max(arena.lowerBound, arena.homes + solution->lowerBound);
  }
  return Status::ok();
}

} // namespace

Result<std::array<ArenaUse, 3>> allocateBuffers(ModuleOp module, const std::array<Lifetimes, 3> &lifetimes) {
  std::array<ArenaUse, 3> arenas;
  for (auto home : module.getOps<HomeOp>()) {
    if (home.getTier() == Tier::Unplaced)
      return Status::internal("home " + home.getSymName().str() + " is allocated before it is placed");
    ArenaUse &arena = arenas[static_cast<size_t>(home.getTier())];
    home.setOffset(arena.homes);
    arena.homes += roundUp(home.getBytes(), kShardGranule);
  }
  for (auto section : module.getOps<SectionOp>())
    WINDLASS_TRY(allocateSection(section, lifetimes, arenas));
  return arenas;
}

} // namespace windlass::flow
