// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "model/StepOfPlan.h"

#include "runtime/plan/Groups.h"
#include "runtime/plan/InstructionTable.h"
#include "runtime/plan/Layout.h"
#include "runtime/plan/SectionSchedule.h"
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
      : plan(plan), machine(machine), isPaced(links == Links::Paced), step(stepOn(machine)) {}

  Result<TimedStep> build() {
    if (!serves(plan, plan::Purpose::Train))
      return Status::badInput("the plan has no schedule \"train\"");
    step.nvmeDepth = plan.nvmeDepth;
    step.ranks = hasOwners(plan) ? plan.ranks() : 1;
    if (isPaced) {
      for (Lane lane : {Lane::Gg, Lane::Nodes, Lane::CgIn, Lane::CgOut})
        step.coreWeight[static_cast<size_t>(lane)] = 0;
      step.nvmeDuplex = 2;
    }
    step.schedule = plan.train;
    for (const plan::Section &section : plan.sections)
      step.sections.push_back(timed(section));
    return std::move(step);
  }

private:
  TimedSection timed(const plan::Section &section) const {
    TimedSection timed{section.name, {}};
    for (const Instruction &instruction : section.instructions) {
      const InstructionWork work = workOf(plan, instruction);
      TimedTask task = taskOf(machine, work);
      if (isPaced)
        pace(machine, work, task);
      if (step.ranks > 1)
        task.owner = ownerOf(plan, instruction);
      for (const plan::Wait &wait : instruction.waits)
        addWait(wait, task);
      timed.tasks.push_back(std::move(task));
    }
    return timed;
  }

  static void addWait(const plan::Wait &wait, TimedTask &task) {
    if (!wait.isPrevious())
      task.waits.push_back({wait.lane, wait.ordinal});
    for (auto [section, ordinal] : wait.previous)
      task.waits.push_back({wait.lane, ordinal, section});
  }

  const plan::Plan &plan;
  const Machine &machine;
  bool isPaced;
  TimedStep step;
};

} // namespace

RankGroup groupOf(const plan::Plan &plan, const Instruction &collective) {
  return {groupRanks(plan, collective.axes), groupSpan(plan, collective.axes)};
}

Result<TimedStep> stepOf(const plan::Plan &plan, const Machine &machine, Links links) {
  return Builder(plan, machine, links).build();
}

} // namespace windlass::model
