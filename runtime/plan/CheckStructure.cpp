// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/plan/CheckStructure.h"
#include "runtime/plan/InstructionName.h"
#include "runtime/plan/Layout.h"

#include <set>

namespace windlass::plan {
namespace {

std::string quoted(const std::string &name) { return "\"" + name + "\""; }

int64_t alignmentOf(Tier tier) { return tier == Tier::Nvme ? kNvmeAlignment : kMemoryAlignment; }

void checkArenas(const Plan &plan, Findings &findings) {
  std::set<Tier> seen;
  for (const Arena &arena : plan.arenas) {
    const std::string name = "arena " + quoted(std::string(textOf(arena.tier)));
    if (!seen.insert(arena.tier).second)
      findings.add(name + " stands twice");
    if (arena.bytes > arena.capacity)
      findings.add(name + " has " + std::to_string(arena.bytes) + " bytes, but the hardware grants " +
                   std::to_string(arena.capacity));
    if (arena.bytes % alignmentOf(arena.tier) != 0)
      findings.add(name + " has " + std::to_string(arena.bytes) + " bytes, no multiple of " +
                   std::to_string(alignmentOf(arena.tier)));
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

void checkBuffers(const Plan &plan, Findings &findings) {
  for (const Buffer &buffer : plan.buffers) {
    const std::string name = "buffer " + quoted(buffer.name);
    const std::string tier(textOf(buffer.tier));
    const Arena *arena = arenaOf(plan, buffer.tier);
    if (!arena)
      findings.add(name + " lies in tier " + quoted(tier) + ", which has no arena");
    else if (buffer.offset + buffer.bytes > arena->bytes)
      findings.add(name + " ends at " + std::to_string(buffer.offset + buffer.bytes) + ", but arena " +
                   quoted(tier) + " has " + std::to_string(arena->bytes) + " bytes");
    if (buffer.owner != kEveryRank && (buffer.owner < 0 || buffer.owner >= plan.ranks()))
      findings.add(name + " has owner " + std::to_string(buffer.owner) + ", but the mesh has " +
                   std::to_string(plan.ranks()) + " ranks");
    if (buffer.owner != kEveryRank && !mayHaveOwner(buffer.cls))
      findings.add(name + " has owner " + std::to_string(buffer.owner) + ", but class " +
                   quoted(std::string(textOf(buffer.cls))) + " is every rank's");
    if (buffer.offset % alignmentOf(buffer.tier) != 0)
      findings.add(name + " begins at " + tier + " " + std::to_string(buffer.offset) + ", no multiple of " +
                   std::to_string(alignmentOf(buffer.tier)));
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
  const Wide needed[3] = {Wide(matmul.batch) * matmul.m * matmul.k * bytesOf(matmul.a),
                          Wide(matmul.batch) * matmul.k * matmul.n * bytesOf(matmul.b),
                          Wide(matmul.batch) * matmul.m * matmul.n * bytesOf(matmul.c)};
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

void checkKernels(const Plan &plan, Findings &findings) {
  for (size_t i = 0; i < plan.kernels.size(); ++i) {
    const Kernel &kernel = plan.kernels[i];
    const std::string name = "kernel " + std::to_string(i) + " " + quoted(kernel.symbol);
    if (kernel.extent < 1)
      findings.add(name + " has extent " + std::to_string(kernel.extent));
    if (kernel.kind == KernelKind::Matmul)
      checkMatmul(kernel, name, findings);
  }
}

/// The micro-batches of a section's run are all there, and no other.
void checkMicroBatches(const Plan &plan, const Section &section, Findings &findings) {
  int64_t last = 0;
  for (const Instruction &instruction : section.instructions)
    last = std::max(last, instruction.microBatch);
  if (int64_t held = microBatchesOf(plan, section.kind); last + 1 != held)
    findings.add("section " + quoted(std::string(textOf(section.kind))) + " has " + std::to_string(last + 1) +
                 " micro-batches, but one run of it is " + std::to_string(held));
}

void checkSections(const Plan &plan, Findings &findings) {
  std::set<SectionKind> seen;
  bool trains = false;
  for (const Section &section : plan.sections) {
    if (!seen.insert(section.kind).second)
      findings.add("section " + quoted(std::string(textOf(section.kind))) + " stands twice");
    trains |= section.kind != SectionKind::Evaluate && section.kind != SectionKind::Sample;
  }
  if (!trains)
    return;
  // Sections repeat, so a step of three micro-batches shows all that any number needs.
  int64_t microBatches = plan.training.microBatches;
  if (microBatches < 1)
    findings.add("a step has " + std::to_string(microBatches) + " micro-batches");
  else if (Status step = stepSections(plan, microBatches < 3 ? microBatches : 3).status(); !step)
    findings.add(step.message());
  else
    for (const Section &section : plan.sections)
      checkMicroBatches(plan, section, findings);
}

} // namespace

void checkStructure(const Plan &plan, Findings &findings) {
  checkArenas(plan, findings);
  checkBuffers(plan, findings);
  checkKernels(plan, findings);
  checkSections(plan, findings);
  for (const Section &section : plan.sections) {
    LaneCounts counts{};
    for (const Instruction &instruction : section.instructions) {
      const std::string name = "section " + std::string(textOf(section.kind)) + ", " +
                               nameOf(instruction, ++at(counts, instruction.lane));
      checkInstruction(plan, section.kind, instruction, name, findings);
    }
  }
}

} // namespace windlass::plan
