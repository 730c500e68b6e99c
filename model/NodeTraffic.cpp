// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "model/NodeTraffic.h"

#include "model/StepOfPlan.h"
#include "runtime/plan/Layout.h"
#include "runtime/plan/SectionSchedule.h"
#include <map>

namespace windlass::model {

using plan::Opcode;

std::optional<int64_t> shardThatSparesNodes(const plan::Plan &plan, const Machine &machine) {
  const int64_t sharers = plan.mesh.empty() ? 1 : plan.mesh.back().size;
  const plan::Program &program = plan.programs.front();
  // Owners are single ranks of all, and only ranks of one stage share states.
  if (machine.ranksPerNode < 2 || sharers <= machine.ranksPerNode || hasOwners(program) ||
      plan.programs.size() > 1)
    return std::nullopt;
  double all = 0;
  std::map<std::pair<std::string, std::string>, double> gradients; // bytes of each reduction, counted once
  for (const plan::SectionRun &run : unroll(program, plan::Purpose::Train))
    for (const plan::Instruction &instruction : program.sections[run.section].instructions) {
      const bool reduces = instruction.op == Opcode::ReduceScatter;
      if ((!reduces && instruction.op != Opcode::AllGather) ||
          !machine.crossesNodes(groupOf(plan, instruction)))
        continue;
      const double bytes = static_cast<double>(instruction.bytesMoved);
      all += bytes;
      if (reduces)
        gradients[{instruction.origin.function, instruction.origin.what}] = bytes;
    }
  // Nodes with copies sum their shards once a step: a reduction of all gradients, and a gather.
  double summed = 0;
  for (const auto &[origin, bytes] : gradients)
    summed += 2 * bytes;
  return all > summed ? std::optional(machine.ranksPerNode) : std::nullopt;
}

} // namespace windlass::model
