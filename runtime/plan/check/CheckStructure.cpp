// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/plan/check/CheckStructure.h"
#include "runtime/base/Counted.h"
#include "runtime/plan/Device.h"
#include "runtime/plan/Groups.h"
#include "runtime/plan/Layout.h"
#include "runtime/plan/SectionSchedule.h"

#include <algorithm>
#include <bit>
#include <set>

namespace windlass::plan {
namespace {

std::string quoted(const std::string &name) { return "\"" + name + "\""; }

int64_t leastAlignment(Tier tier) { return tier == Tier::Nvme ? kNvmeAlignment : kMemoryAlignment; }

void checkArenas(const Program &program, Findings &findings) {
  std::set<Tier> seen;
  for (const Arena &arena : program.arenas) {
    const std::string name = "arena " + quoted(std::string(textOf(arena.tier)));
    if (!seen.insert(arena.tier).second)
      findings.add(name + " stands twice");
    if (arena.bytes > arena.capacity)
      findings.add(name + " has " + std::to_string(arena.bytes) + " bytes, but the hardware grants " +
                   std::to_string(arena.capacity));
    if (arena.alignment != 0 && (!std::has_single_bit(static_cast<uint64_t>(arena.alignment)) ||
                                 arena.alignment < leastAlignment(arena.tier)))
      findings.add(name + " has alignment " + std::to_string(arena.alignment) +
                   ", but it must be a power of two, " + std::to_string(leastAlignment(arena.tier)) +
                   " at the least");
    if (arena.bytes % alignmentOf(program, arena.tier) != 0)
      findings.add(name + " has " + std::to_string(arena.bytes) + " bytes, no multiple of " +
                   std::to_string(alignmentOf(program, arena.tier)));
    if (arena.lowerBound > arena.bytes)
      findings.add(name + " has " + std::to_string(arena.bytes) + " bytes, less than its lower bound " +
                   std::to_string(arena.lowerBound));
  }
}

/// Classes of what rests with its owner, or is on its way there or from it.
bool mayHaveOwner(BufferClass cls) {
  switch (cls) {
  case BufferClass::Parameter:
  case BufferClass::Gradient:
  case BufferClass::Master:
  case BufferClass::Momentum:
  case BufferClass::Variance:
  case BufferClass::Partial:
  case BufferClass::Staging:
    return true;
  case BufferClass::Checkpoint:
  case BufferClass::Activation:
  case BufferClass::Gathered:
  case BufferClass::Feed:
  case BufferClass::Workspace:
    return false;
  }
  return false;
}

/// Slots are for what waits for a later run, and each begins as the first does.
void checkSlots(const Buffer &buffer, int64_t alignment, const std::string &name, Findings &findings) {
  if (buffer.slots == 0)
    return;
  const std::string slots = name + " has " + counted(buffer.slots, "slot");
  if (!buffer.persistent)
    findings.add(slots + ", but is not persistent");
  if (buffer.slots > 1 && buffer.bytes % alignment != 0)
    findings.add(slots + " of " + std::to_string(buffer.bytes) + " bytes, no multiple of " +
                 std::to_string(alignment));
}

void checkBuffers(const Plan &plan, const Program &program, Findings &findings) {
  for (const Buffer &buffer : program.buffers) {
    const std::string name = "buffer " + quoted(buffer.name);
    const std::string tier(textOf(buffer.tier));
    const Arena *arena = arenaOf(program, buffer.tier);
    if (!arena)
      findings.add(name + " lies in tier " + quoted(tier) + ", which has no arena");
    else if (buffer.end() > arena->bytes)
      findings.add(name + " ends at " + std::to_string(buffer.end()) + ", but arena " + quoted(tier) +
                   " has " + std::to_string(arena->bytes) + " bytes");
    if (buffer.owner != kEveryRank && (buffer.owner < 0 || buffer.owner >= dataRanks(plan)))
      findings.add(name + " has owner " + std::to_string(buffer.owner) + ", but there are " +
                   counted(dataRanks(plan), "data rank"));
    if (buffer.owner != kEveryRank && !mayHaveOwner(buffer.cls))
      findings.add(name + " has owner " + std::to_string(buffer.owner) + ", but class " +
                   quoted(std::string(textOf(buffer.cls))) + " is every rank's");
    const int64_t alignment = alignmentOf(program, buffer.tier);
    if (buffer.offset % alignment != 0)
      findings.add(name + " begins at " + tier + " " + std::to_string(buffer.offset) + ", no multiple of " +
                   std::to_string(alignment));
    checkSlots(buffer, alignment, name, findings);
  }
}

/// The bytes of A, B and C, and how a matmul must touch them.
void checkMatmul(const Kernel &kernel, const std::string &name, Findings &findings) {
  const MatmulSpec &matmul = kernel.matmul;
  if (kernel.args.size() < 3) {
    findings.add(name + " has " + std::to_string(kernel.args.size()) + " args, but a matmul has A, B and C");
    return;
  }
  using Wide = __int128; // three sizes of a well-formed plan may multiply beyond 2^63
  const auto bytes = [](const StoredMatrix &matrix, ElementType type) {
    return Wide(matrix.batch) * matrix.rows * matrix.pitch * bytesOf(type);
  };
  const Wide needed[3] = {bytes(matmul.storedA(), matmul.a), bytes(matmul.storedB(), matmul.b),
                          bytes(matmul.storedC(), matmul.c)};
  const Access access[3] = {Access::Read, Access::Read,
                            matmul.accumulate ? Access::ReadWrite : Access::Write};
  for (size_t i = 0; i < 3; ++i) {
    const std::string arg = std::string(1, "ABC"[i]);
    if (kernel.argBytes[i] != needed[i])
      findings.add(name + " gives " + arg + " " + std::to_string(kernel.argBytes[i]) +
                   " bytes, not those of its extents");
    if (kernel.args[i] != access[i])
      findings.add(name + " touches " + arg + " as \"" + std::string(textOf(kernel.args[i])) +
                   "\", not as \"" + std::string(textOf(access[i])) + "\"");
  }
  for (size_t i = 3; i < kernel.args.size(); ++i)
    if (kernel.args[i] != Access::Scratch)
      findings.add(name + " has an argument after C that is not scratch");
}

/// What any device takes.
constexpr int64_t kMostThreads = 1024, kMostSharedBytes = 48 << 10, kMostBlocks = INT32_MAX;

void checkGrid(const LaunchGrid &grid, int64_t extent, const std::string &name, Findings &findings) {
  if (grid.threads > kMostThreads)
    findings.add(name + " has blocks of " + std::to_string(grid.threads) + " threads, more than " +
                 std::to_string(kMostThreads));
  if (grid.sharedBytes > kMostSharedBytes)
    findings.add(name + " has blocks that share " + std::to_string(grid.sharedBytes) + " bytes, more than " +
                 std::to_string(kMostSharedBytes));
  const int64_t rows = (extent - 1) / grid.perBlock + 1;
  if (rows > kMostBlocks / grid.across)
    findings.add(name + " has " + std::to_string(rows) + " times " + std::to_string(grid.across) +
                 " blocks, more than " + std::to_string(kMostBlocks));
}

/// A device with code of its own launches each of its kernels by a grid for every phase; a processor none.
void checkPhases(const Kernel &kernel, bool onDevice, const DeviceRow &device, const std::string &name,
                 Findings &findings) {
  if (!device.hasOwnCode() && !kernel.phases.empty())
    findings.add(name + " has a grid, but a device of '" + std::string(device.backend) + "' has none");
  if (device.hasOwnCode() && onDevice && kernel.phases.empty())
    findings.add(name + " is launched on a device of '" + std::string(device.backend) +
                 "', but has no grid for it");
  for (const LaunchGrid &grid : kernel.phases)
    checkGrid(grid, kernel.extent, name, findings);
}

/// A section has a name of its own, and stands in one schedule.
void checkSections(const Program &program, Findings &findings) {
  std::set<std::string> seen;
  for (uint32_t i = 0; i < program.sections.size(); ++i) {
    const std::string name = "section " + quoted(program.sections[i].name);
    if (!seen.insert(program.sections[i].name).second)
      findings.add(name + " stands twice");
    std::string schedules;
    for (Purpose purpose : kPurposes)
      if (std::ranges::find(scheduleOf(program, purpose), i, &SectionRuns::section) !=
          scheduleOf(program, purpose).end())
        schedules += (schedules.empty() ? "" : " and ") + quoted(std::string(textOf(purpose)));
    if (schedules.empty())
      findings.add(name + " stands in no schedule");
    else if (schedules.find(" and ") != std::string::npos)
      findings.add(name + " stands in " + schedules + ", but one schedule has it");
  }
}

/// Every instruction is of a micro-batch of its step.
void checkMicroBatches(const Plan &plan, const Program &program, Purpose purpose, Findings &findings) {
  const int64_t count = microBatchesOf(plan, purpose);
  if (count < 1)
    return findings.add("a step has " + std::to_string(count) + " micro-batches");
  int64_t begin = 0;
  for (const auto &[index, times] : scheduleOf(program, purpose)) {
    const Section &section = program.sections[index];
    int64_t least = 0, most = 0; // of all runs
    for (const Instruction &instruction : section.instructions) {
      least = std::min(least, begin + instruction.microBatch);
      most = std::max(most, begin + (times - 1) * section.advance + instruction.microBatch);
    }
    begin += times * section.advance;
    if (least < 0 || most >= count)
      findings.add("schedule " + quoted(std::string(textOf(purpose))) + ": section " + quoted(section.name) +
                   " has micro-batch " + std::to_string(least < 0 ? least : most) + " of " +
                   std::to_string(count));
  }
}

} // namespace

void checkKernels(const Plan &plan, Findings &findings) {
  const DeviceRow *device = findDevice(plan.backend);
  if (!device)
    findings.add("the backend must be " + backendNames() + ", is '" + plan.backend + "'");
  const std::vector<bool> onDevice = launchedOn(plan, {Lane::Compute});
  for (size_t i = 0; i < plan.kernels.size(); ++i) {
    const Kernel &kernel = plan.kernels[i];
    const std::string name = "kernel " + std::to_string(i) + " " + quoted(kernel.symbol);
    if (kernel.extent < 1)
      findings.add(name + " has extent " + std::to_string(kernel.extent));
    if (kernel.kind == KernelKind::Matmul)
      checkMatmul(kernel, name, findings);
    const bool isLibrarys = kernel.kind == KernelKind::Matmul && !plan.target.multipliesByReference();
    if (device && !isLibrarys && kernel.extent >= 1)
      checkPhases(kernel, onDevice[i], *device, name, findings);
  }
}

int64_t alignmentOf(const Program &program, Tier tier) {
  const Arena *arena = arenaOf(program, tier);
  return arena && arena->alignment > 0 ? arena->alignment : leastAlignment(tier);
}

void checkStructure(const Plan &plan, const Program &program, Findings &findings) {
  checkArenas(program, findings);
  checkBuffers(plan, program, findings);
  checkSections(program, findings);
  for (Purpose purpose : kPurposes)
    if (serves(program, purpose))
      checkMicroBatches(plan, program, purpose, findings);
  for (uint32_t i = 0; i < program.sections.size(); ++i) {
    const Purpose purpose = purposeOf(program, i).value_or(Purpose::Train);
    LaneCounts counts{};
    for (const Instruction &instruction : program.sections[i].instructions)
      checkInstruction(plan, program, purpose, program.sections[i], instruction,
                       ++at(counts, instruction.lane), findings);
  }
}

} // namespace windlass::plan
