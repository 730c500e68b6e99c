// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/plan/check/CheckSums.h"

#include "runtime/plan/Layout.h"
#include "runtime/plan/SectionSchedule.h"
#include <map>
#include <set>
#include <vector>

namespace windlass::plan {
namespace {

/// A place that sums of gradients are written to: buffer and offset.
using Place = std::pair<uint32_t, int64_t>;
/// Micro-batches of the writes to it, in the order of a run, which they count from. An update, which is of
/// none, may join two sums of one parameter.
using Writes = std::map<Place, std::vector<int64_t>>;

std::set<uint32_t> buffersOfGradients(const Program &program) {
  std::set<uint32_t> buffers;
  for (const State &gradient : program.gradients)
    buffers.insert(gradient.home.buffer);
  return buffers;
}

Writes writesIn(const Plan &plan, const Section &section, const std::set<uint32_t> &gradients) {
  Writes all;
  for (const Instruction &instruction : section.instructions)
    for (size_t i = 0; i < instruction.operands.size() && instruction.origin.phase != Phase::Update; ++i)
      if (const Operand &operand = instruction.operands[i];
          gradients.contains(operand.buffer) && writes(accessOf(plan, instruction, i)))
        all[{operand.buffer, operand.offset}].push_back(instruction.microBatch);
  return all;
}

} // namespace

void checkSums(const Plan &plan, const Program &program, Findings &findings) {
  const std::set<uint32_t> gradients = buffersOfGradients(program);
  std::map<uint32_t, Writes> bySection;
  std::map<Place, int64_t> last; // micro-batch of the last write
  std::set<Place> found;
  for (const SectionRun &run : unroll(program, Purpose::Train)) {
    auto [section, isNew] = bySection.try_emplace(run.section);
    if (isNew)
      section->second = writesIn(plan, program.sections[run.section], gradients);
    for (const auto &[place, microBatches] : section->second)
      for (int64_t within : microBatches) {
        const int64_t microBatch = run.microBatch + within;
        const auto [before, isFirst] = last.try_emplace(place, microBatch);
        if (!isFirst && microBatch < before->second && found.insert(place).second)
          findings.add("buffer \"" + program.buffers[place.first].name +
                       "\" takes gradients of micro-batch " + std::to_string(microBatch) +
                       " behind those of micro-batch " + std::to_string(before->second) +
                       ": sums go by micro-batches, or their last bits would depend on the plan");
        before->second = microBatch;
      }
  }
}

} // namespace windlass::plan
