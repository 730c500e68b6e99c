// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Flow/layout/AllocateBuffers.h"

#include "passes/Flow/homes/Homes.h"
#include "passes/Flow/layout/ScheduleSection.h"
#include "planning/Memory/MemoryChecker.h"

using namespace mlir;

namespace windlass::flow {
namespace {

size_t at(Tier tier) { return static_cast<size_t>(tier); }

int64_t planned(Operation *op, StringRef when) {
  auto time = op->getAttrOfType<IntegerAttr>(when);
  return time ? time.getInt() : -1;
}

/// The instructions of a section, and their starts in the schedule, made non-decreasing.
struct PlannedOrder {
  SmallVector<Operation *> instructions;
  std::vector<int64_t> starts;

  explicit PlannedOrder(SectionOp section) {
    for (Operation &op : section.getBody().front())
      if (isa<InstructionOpInterface>(op)) {
        instructions.push_back(&op);
        starts.push_back(std::max(planned(&op, kPlannedStart), starts.empty() ? -1 : starts.back()));
      }
  }

  /// The position from which on another buffer may have the bytes of a buffer whose last user stands at
  /// `position`, by Lifetimes.
  std::array<int64_t, 3> releases(int64_t position) const {
    Operation *op = instructions[position];
    int64_t start = planned(op, kPlannedStart), end = planned(op, kPlannedEnd);
    int64_t margin = isa<LaunchOp>(op) ? 0 : end - start;
    auto behind = [&](int64_t time) {
      return std::max<int64_t>(position + 1, llvm::lower_bound(starts, time) - starts.begin());
    };
    return {position + 1, behind(end), behind(end + margin)};
  }
};

} // namespace

BufferAllocator::BufferAllocator(ModuleOp module, int64_t deviceAlignment)
    : module(module), deviceAlignment(std::max(deviceAlignment, kOperandAlignment)) {
  for (auto section : module.getOps<SectionOp>())
    sections.push_back(buffersOf(section));
}

BufferAllocator::SectionBuffers BufferAllocator::buffersOf(SectionOp section) {
  SectionBuffers buffers;
  PlannedOrder order(section);
  llvm::DenseMap<Value, std::pair<size_t, size_t>> numbers; // tier, and index in its list
  for (auto [position, op] : llvm::enumerate(order.instructions)) {
    std::array<int64_t, 3> releases = order.releases(position);
    for (Value operand : op->getOperands()) {
      Value root = resolveBuffer(operand).root;
      auto alloc = root.getDefiningOp<AllocOp>();
      if (!alloc)
        continue;
      size_t tier = at(tierOf(root));
      auto [number, fresh] = numbers.try_emplace(root, tier, buffers[tier].size());
      if (fresh)
        buffers[tier].push_back({alloc, static_cast<int64_t>(position), {}});
      std::array<int64_t, 3> &end = buffers[tier][number->second.second].end;
      for (size_t kind = 0; kind < end.size(); ++kind)
        end[kind] = std::max(end[kind], releases[kind]);
    }
  }
  return buffers;
}

/// Off the device buffers of whole 4 KiB blocks begin at one, for they may move to or from NVMe.
int64_t BufferAllocator::alignmentOf(BufferType type) const {
  if (type.getTier() == Tier::Device)
    return deviceAlignment;
  return type.getBytes() % kShardGranule == 0 ? kShardGranule : kOperandAlignment;
}

planning::MemoryProblem BufferAllocator::problemOf(const std::vector<Buffer> &buffers,
                                                   Lifetimes lifetimes) const {
  planning::MemoryProblem problem;
  for (const Buffer &buffer : buffers) {
    AllocOp alloc = buffer.alloc;
    BufferType type = bufferType(alloc.getBuffer());
    problem.buffers.push_back({alloc.getName().str(),
                               type.getBytes(),
                               buffer.begin,
                               buffer.end[static_cast<size_t>(lifetimes)],
                               alignmentOf(type),
                               {}});
  }
  return problem;
}

bool BufferAllocator::mayFit(Tier tier, Lifetimes lifetimes, int64_t capacity) const {
  return mostLiveBytes(tier, lifetimes) <= capacity - HomeStack(module).bytes(tier);
}

int64_t BufferAllocator::mostLiveBytes(Tier tier, Lifetimes lifetimes) const {
  int64_t most = 0;
  for (const SectionBuffers &buffers : sections)
    most = std::max(most, planning::mostLiveBytes(problemOf(buffers[at(tier)], lifetimes)));
  return most;
}

Result<ArenaUse> BufferAllocator::allocate(Tier tier, Lifetimes lifetimes, int64_t enough) {
  HomeStack stack(module);
  ArenaUse arena;
  for (auto home : module.getOps<HomeOp>()) {
    if (!home.getTier())
      return Status::internal("home " + home.getSymName().str() + " is allocated before it is placed");
    if (home.getTier() == tier)
      home.setOffset(stack.offset(home));
  }
  arena.lowerBound = arena.homes = stack.bytes(tier);
  for (const SectionBuffers &section : sections) {
    const std::vector<Buffer> &buffers = section[at(tier)];
    planning::MemoryProblem problem = problemOf(buffers, lifetimes);
    // The arena is as large as the largest section needs, so that the others need not be smaller.
    Result<planning::MemorySolution> solution =
        planning::solveMemory(problem, {std::max(arena.buffers, enough - arena.homes)});
    if (!solution)
      return solution.status();
    WINDLASS_TRY(planning::checkMemory(problem, *solution));
    for (auto [buffer, offset] : llvm::zip_equal(buffers, solution->offset)) {
      AllocOp alloc = buffer.alloc;
      alloc.setOffset(arena.homes + offset);
    }
    arena.buffers = std::max(arena.buffers, roundUp(solution->peak, kShardGranule));
    arena.lowerBound = std::max(arena.lowerBound, arena.homes + solution->lowerBound);
  }
  return arena;
}

} // namespace windlass::flow
