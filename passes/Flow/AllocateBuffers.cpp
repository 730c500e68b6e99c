#include "passes/Flow/AllocateBuffers.h"

#include "compiler/planning/Memory/MemoryChecker.h"
#include "compiler/planning/Memory/MemorySolver.h"
#include "passes/Flow/Homes.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;

namespace windlass::flow {
namespace {

/// Whatever moves in whole 4 KiB blocks starts on one; so do homes.
int64_t alignmentOf(BufferType type) {
  return type.getTier() != Tier::Device && type.getBytes() % kShardGranule == 0 ? kShardGranule : 64;
}

Status allocateSection(SectionOp section, std::array<ArenaUse, 3> &arenas) {
  llvm::MapVector<Value, std::pair<int64_t, int64_t>> lifetimes;
  int64_t position = 0;
  for (Operation &op : section.getBody().front()) {
    if (!isa<InstructionOpInterface>(op))
      continue;
    for (Value operand : op.getOperands()) {
      Value root = resolveBuffer(operand).root;
      if (!root.getDefiningOp<AllocOp>())
        continue;
      auto &life = lifetimes.insert({root, {position, position}}).first->second;
      life.second = position + 1;
    }
    ++position;
  }
  for (Tier tier : {Tier::Device, Tier::Host, Tier::Nvme}) {
    planning::MemoryProblem problem;
    SmallVector<AllocOp> allocs;
    for (auto &[root, life] : lifetimes) {
      BufferType type = bufferType(root);
      if (type.getTier() != tier)
        continue;
      auto alloc = root.getDefiningOp<AllocOp>();
      problem.buffers.push_back({alloc.getName().str(), type.getBytes(), life.first, life.second, alignmentOf(type), {}});
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

Result<std::array<ArenaUse, 3>> allocateBuffers(ModuleOp module) {
  std::array<ArenaUse, 3> arenas;
  for (auto home : module.getOps<HomeOp>()) {
    if (home.getTier() == Tier::Unplaced)
      return Status::internal("home " + home.getSymName().str() + " is allocated before it is placed");
    ArenaUse &arena = arenas[static_cast<size_t>(home.getTier())];
    home.setOffset(arena.homes);
    arena.homes += roundUp(home.getBytes(), kShardGranule);
  }
  for (auto section : module.getOps<SectionOp>())
    WINDLASS_TRY(allocateSection(section, arenas));
  return arenas;
}

} // namespace windlass::flow
