// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "model/InstructionTime.h"

#include "runtime/plan/InstructionTable.h"
#include <algorithm>

namespace windlass::model {

using plan::Opcode;

/// Seconds of the phases after the first: they add up the few partial sums of the first, so each costs an
/// empty launch.
static double laterPhases(const Machine &machine, const InstructionWork &work) {
  return static_cast<double>(work.phases - 1) * machine.kernelSeconds(0);
}

static double launchSeconds(const Machine &machine, const InstructionWork &work) {
  if (const std::optional<double> measured = machine.measuredSeconds(work.kernel, work.lane, work.part))
    return *measured;
  if (work.lane == plan::Lane::HostCompute)
    return machine.hostKernelSeconds(work.bytes);
  if (work.product)
    return std::max(machine.matmulSeconds(work.flops, work.product->type, work.product->divisor),
                    machine.kernelSeconds(work.bytes));
  return machine.kernelSeconds(work.bytes, work.flops) + laterPhases(machine, work);
}

static Holders holdersOf(Opcode collective) {
  return plan::hasRoot(collective) ? Holders::Root : Holders::All;
}

BindingLink bindingLinkOf(const Machine &machine, const InstructionWork &collective) {
  return machine.bindingLink(collective.group, holdersOf(collective.op));
}

double secondsOf(const Machine &machine, const InstructionWork &work) {
  switch (work.op) {
  case Opcode::Launch:
    return launchSeconds(machine, work);
  case Opcode::AllGather:
  case Opcode::ReduceScatter:
  case Opcode::Broadcast:
  case Opcode::Reduce:
    return machine.collectiveSeconds(work.bytes, work.group, holdersOf(work.op));
  case Opcode::Send:
  case Opcode::Recv:
    return machine.messageSeconds(work.bytes, work.acrossNodes);
  case Opcode::Upload:
    return machine.uploadSeconds(work.bytes);
  case Opcode::Offload:
    return machine.offloadSeconds(work.bytes);
  case Opcode::Read:
    return machine.readSeconds(work.bytes);
  case Opcode::Write:
    return machine.writeSeconds(work.bytes);
  case Opcode::Feed:
  case Opcode::Report:
    return 0;
  }
  return 0;
}

} // namespace windlass::model
