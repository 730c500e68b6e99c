// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/model/StepOfPlan.h"

#include "runtime/plan/Groups.h"
#include "runtime/plan/InstructionTable.h"
#include "runtime/plan/Layout.h"
#include <algorithm>

namespace windlass::model {
namespace {

using plan::Instruction;
using plan::Lane;

InstructionWork workOf(const plan::Plan &plan, const Instruction &instruction) {
  InstructionWork work{instruction.op, instruction.lane};
  if (instruction.op == plan::Opcode::Launch) {
    const plan::Kernel &kernel = plan.kernels[static_cast<size_t>(instruction.kernel)];
    const double part = kernel.extent > 0 ? static_cast<double>(instruction.end - instruction.begin) /
                                                static_cast<double>(kernel.extent)
                                          : 1;
    work.bytes = kernel.bytes * part;
    work.flops = kernel.flops * part;
    if (kernel.kind == plan::KernelKind::Matmul)
      work.product = kernel.matmul.a;
    return work;
  }
  work.bytes = static_cast<double>(instruction.bytesMoved);
  if (plan::isCollective(instruction.op))
    work.group = groupOf(plan, instruction);
  return work;
}

/// The link whose clock a paced transfer has, and its latency.
std::pair<RateId, double> pacedLink(const Machine &machine, Lane lane) {
  switch (lane) {
  case Lane::CgIn:
    return {RateId::CgIn, machine.cgLatency};
  case Lane::CgOut:
    return {RateId::CgOut, machine.cgLatency};
  case Lane::NcIn:
    return {RateId::NvmeRead, machine.nvmeLatency};
  case Lane::NcOut:
    return {RateId::NvmeWrite, machine.nvmeLatency};
  case Lane::Gg:
  case Lane::Nodes:
  case Lane::Compute:
  case Lane::HostCompute:
    break;
  }
  return {RateId::Gg, machine.ggLatency};
}

bool isKernelLane(Lane lane) { return lane == Lane::Compute || lane == Lane::HostCompute; }

void pace(const Machine &machine, const InstructionWork &work, TimedTask &task) {
  if (isKernelLane(work.lane))
    return;
  auto [link, latency] = pacedLink(machine, work.lane);
  task.seconds =
      latency + work.bytes * static_cast<double>(machine.ranksPerNode) / machine.rate(link).perSecond;
  task.link = RateId::Gg;
}

/// The rank that executes an instruction; kAllRanks where all do.
int64_t ownerOf(const plan::Plan &plan, const Instruction &instruction) {
  int64_t owner = kAllRanks;
  if (!plan::isCollective(instruction.op))
    for (const plan::Operand &operand : instruction.operands)
      owner = std::max(owner, plan.buffers[operand.buffer].owner);
  return owner;
}

class Builder {
public:
  Builder(const plan::Plan &plan, const Machine &machine, Links links)
      : plan(plan), machine(machine), isPaced(links == Links::Paced), built{stepOn(machine), {}} {}

  Result<StepOfPlan> build() {
    Result<std::vector<const plan::Section *>> runs = stepSections(plan, plan.training.microBatches);
    if (!runs)
      return runs.status();
    built.step.nvmeDepth = plan.nvmeDepth;
    built.step.ranks = hasOwners(plan) ? plan.ranks() : 1;
    if (isPaced) {
      for (Lane lane : {Lane::Gg, Lane::Nodes, Lane::CgIn, Lane::CgOut})
        built.step.coreWeight[static_cast<size_t>(lane)] = 0;
      built.step.nvmeDuplex = 2;
    }
    for (const plan::Section *section : *runs)
      addRun(*section);
    for (const plan::Section *section : built.sections)
      built.step.sections.push_back(timed(*section));
    return std::move(built);
  }

private:
  /// The number of a section of this kind; -1 where none runs.
  int64_t numberOf(plan::SectionKind kind) const {
    auto found = std::ranges::find(built.sections, kind, &plan::Section::kind);
    return found == built.sections.end() ? -1 : found - built.sections.begin();
  }

  void addRun(const plan::Section &section) {
    if (numberOf(section.kind) < 0)
      built.sections.push_back(&section);
    const uint32_t number = static_cast<uint32_t>(numberOf(section.kind));
    std::vector<SectionRuns> &schedule = built.step.schedule;
    if (schedule.empty() || schedule.back().section != number)
      schedule.push_back({number, 0});
    ++schedule.back().times;
  }

  TimedSection timed(const plan::Section &section) const {
    TimedSection timed{std::string(plan::textOf(section.kind)), {}};
    for (const Instruction &instruction : section.instructions) {
      const InstructionWork work = workOf(plan, instruction);
      TimedTask task = taskOf(machine, work);
      if (isPaced)
        pace(machine, work, task);
      if (built.step.ranks > 1)
        task.owner = ownerOf(plan, instruction);
      for (const plan::Wait &wait : instruction.waits)
        addWait(wait, task);
      timed.tasks.push_back(std::move(task));
    }
    return timed;
  }

  void addWait(const plan::Wait &wait, TimedTask &task) const {
    if (!wait.isPrevious())
      task.waits.push_back({wait.lane, wait.ordinal});
    for (auto [kind, ordinal] : wait.previous)
      if (const int64_t before = numberOf(kind); before >= 0)
        task.waits.push_back({wait.lane, ordinal, before});
  }

  const plan::Plan &plan;
  const Machine &machine;
  bool isPaced;
  StepOfPlan built;
};

} // namespace

RankGroup groupOf(const plan::Plan &plan, const Instruction &collective) {
  return {groupRanks(plan, collective.axes), groupSpan(plan, collective.axes)};
}

Result<StepOfPlan> stepOf(const plan::Plan &plan, const Machine &machine, Links links) {
  return Builder(plan, machine, links).build();
}

} // namespace windlass::model
