// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/plan/check/CheckSlots.h"

#include "runtime/base/Counted.h"
#include "runtime/plan/SectionSchedule.h"
#include <algorithm>
#include <map>

namespace windlass::plan {
namespace {

using Uses = std::map<int64_t, int64_t>; ///< how many, by micro-batch

/// Of a run of a section, by buffer; micro-batches count from that of the run.
std::map<uint32_t, Uses> usesIn(const Program &program, const Section &section) {
  std::map<uint32_t, Uses> uses;
  for (const Instruction &instruction : section.instructions)
    for (const Operand &operand : instruction.operands)
      if (program.buffers[operand.buffer].slots > 0)
        ++uses[operand.buffer][instruction.microBatch];
  return uses;
}

/// Of all runs of a schedule.
std::map<uint32_t, Uses> usesIn(const Program &program, Purpose purpose) {
  std::map<uint32_t, std::map<uint32_t, Uses>> bySection;
  std::map<uint32_t, Uses> all;
  for (const SectionRun &run : unroll(program, purpose)) {
    auto [section, isNew] = bySection.try_emplace(run.section);
    if (isNew)
      section->second = usesIn(program, program.sections[run.section]);
    for (const auto &[buffer, uses] : section->second)
      for (const auto &[microBatch, count] : uses)
        all[buffer][run.microBatch + microBatch] += count;
  }
  return all;
}

std::string said(const Uses::value_type &uses) {
  return counted(uses.second, "time") + " for micro-batch " + std::to_string(uses.first);
}

} // namespace

void checkSlots(const Program &program, Findings &findings) {
  for (Purpose purpose : kPurposes)
    for (const auto &[buffer, uses] : usesIn(program, purpose)) {
      const auto [least, most] =
          std::ranges::minmax_element(uses, {}, [](const Uses::value_type &each) { return each.second; });
      if (least->second != most->second)
        findings.add("buffer \"" + program.buffers[buffer].name + "\" is used " + said(*most) + ", " +
                     said(*least));
    }
}

} // namespace windlass::plan
