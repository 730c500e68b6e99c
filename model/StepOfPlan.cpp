// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "model/StepOfPlan.h"

#include "runtime/plan/Groups.h"
#include "runtime/plan/InstructionTable.h"
#include "runtime/plan/Layout.h"
#include "runtime/plan/Meetings.h"
#include "runtime/plan/SectionSchedule.h"
#include <algorithm>
#include <numeric>

namespace windlass::model {
namespace {

using plan::Instruction;
using plan::Lane;

/// Whether some rank of a program has its peer on another node.
bool crossesNodes(const plan::Program &program, const plan::Program &peer, const Machine &machine) {
  for (int64_t rank = program.firstRank; rank <= program.lastRank(); ++rank)
    if (machine.nodeOf(rank) != machine.nodeOf(program.peerOf(rank, peer)))
      return true;
  return false;
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
  case Lane::ActOut:
  case Lane::ActIn:
  case Lane::GradOut:
  case Lane::GradIn:
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

/// The data rank that executes an instruction; kAllRanks where all do.
int64_t ownerOf(const plan::Program &program, const Instruction &instruction) {
  int64_t owner = kAllRanks;
  if (!plan::isCollective(instruction.op))
    for (const plan::Operand &operand : instruction.operands)
      owner = std::max(owner, program.buffers[operand.buffer].owner);
  return owner;
}

class Builder {
public:
  Builder(const plan::Plan &plan, const Machine &machine, Links links)
      : plan(plan), machine(machine), isPaced(links == Links::Paced), channels(channelsOf(plan)),
        step(stepOn(machine)) {}

  Result<TimedStep> build() {
    if (!serves(plan, plan::Purpose::Train))
      return Status::badInput("the plan has no schedule \"train\"");
    if (isPaced) {
      for (Lane lane : {Lane::Gg, Lane::Nodes, Lane::CgIn, Lane::CgOut, Lane::ActOut, Lane::ActIn,
                        Lane::GradOut, Lane::GradIn})
        step.sharedWeight[static_cast<size_t>(lane)] = 0;
      step.nvmeDuplex = 2;
    }
    for (const plan::Channel &channel : channels)
      step.channels.push_back(timed(channel));
    step.programs.clear();
    for (const plan::Program &program : plan.programs)
      step.programs.push_back(timed(program));
    return std::move(step);
  }

private:
  static TimedChannel timed(const plan::Channel &channel) {
    TimedChannel timed;
    for (size_t program : channel.programs)
      timed.ends.push_back({program, channel.lane});
    if (channel.carriesMessages())
      timed.ends.back().lane = plan::receivingLane(channel.lane);
    return timed;
  }

  TimedProgram timed(const plan::Program &program) const {
    TimedProgram timed{{}, program.train, hasOwners(program) ? dataRanks(plan) : 1};
    for (const plan::Section &section : program.sections)
      timed.sections.push_back(this->timed(program, section));
    return timed;
  }

  TimedSection timed(const plan::Program &program, const plan::Section &section) const {
    TimedSection timed{section.name, {}};
    for (const Instruction &instruction : section.instructions) {
      const InstructionWork work = workOf(plan, program, instruction, machine);
      TimedTask task = taskOf(machine, work);
      if (isPaced)
        pace(machine, work, task);
      task.owner = ownerOf(program, instruction);
      if (plan::isCollective(instruction.op) && !runsOverData(instruction))
        task.channel = kAtOnePlace;
      if (isMeeting(plan, instruction))
        task.channel = channelOf(static_cast<size_t>(&program - plan.programs.data()), instruction);
      for (const plan::Wait &wait : instruction.waits)
        addWait(wait, task);
      timed.tasks.push_back(std::move(task));
    }
    return timed;
  }

  /// Whether ranks of a collective have examples of their own: else they are at one place of the data axes.
  bool runsOverData(const Instruction &collective) const {
    for (size_t axis = 0; axis < plan.mesh.size(); ++axis)
      if (plan.mesh[axis].kind == plan::AxisKind::Data && plan::runsOver(collective.axes, axis))
        return true;
    return false;
  }

  int64_t channelOf(size_t program, const Instruction &meeting) const {
    return std::ranges::lower_bound(channels, plan::channelOf(plan, program, meeting)) - channels.begin();
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
  const std::vector<plan::Channel> channels;
  TimedStep step;
};

} // namespace

InstructionWork workOf(const plan::Plan &plan, const plan::Program &program, const Instruction &instruction,
                       const Machine &machine) {
  InstructionWork work{instruction.op, instruction.lane};
  if (instruction.op == plan::Opcode::Launch) {
    const plan::Kernel &kernel = plan.kernels[static_cast<size_t>(instruction.kernel)];
    const double part = kernel.extent > 0 ? static_cast<double>(instruction.end - instruction.begin) /
                                                static_cast<double>(kernel.extent)
                                          : 1;
    work.bytes = kernel.bytes * part;
    work.flops = kernel.flops * part;
    work.kernel = kernel.symbol;
    work.part = part;
    work.phases = std::max<int64_t>(1, std::ssize(kernel.phases));
    if (kernel.kind == plan::KernelKind::Matmul)
      work.product =
          Product{kernel.matmul.a, std::gcd(std::gcd(kernel.matmul.m, kernel.matmul.n), kernel.matmul.k)};
    return work;
  }
  work.bytes = static_cast<double>(instruction.bytesMoved);
  if (plan::isCollective(instruction.op))
    work.group = groupOf(plan, instruction);
  if (plan::isMessage(instruction.op))
    work.acrossNodes = crossesNodes(program, plan.programs[static_cast<size_t>(instruction.peer)], machine);
  return work;
}

RankGroup groupOf(const plan::Plan &plan, const Instruction &collective) {
  return {groupRanks(plan, collective.axes), groupSpan(plan, collective.axes)};
}

Machine usedBy(const plan::Plan &plan, const Machine &machine) {
  Machine used = machine;
  used.threadsPerRank = std::max<int64_t>(1, plan.training.threadsPerRank);
  used.backend = plan.backend;
  return used;
}

Result<TimedStep> stepOf(const plan::Plan &plan, const Machine &machine, Links links) {
  return Builder(plan, machine, links).build();
}

} // namespace windlass::model
