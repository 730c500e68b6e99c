// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/plan/check/CheckWaits.h"
#include "runtime/plan/Layout.h"
#include "runtime/plan/SectionSchedule.h"
#include "runtime/plan/text/InstructionName.h"

#include <algorithm>

namespace windlass::plan {
namespace {

class WaitCheck {
public:
  WaitCheck(const Program &program, uint32_t section, Findings &findings)
      : program(program), section(program.sections[section]), findings(findings),
        predecessors(predecessorsOf(program, section)) {}

  void run() {
    for (const Instruction &instruction : section.instructions) {
      unsigned lanesWaited = 0;
      uint32_t ordinal = ++at(counts, instruction.lane);
      for (const Wait &wait : instruction.waits) {
        waiter = &instruction, waiterOrdinal = ordinal, awaited = wait.lane;
        unsigned bit = 1u << static_cast<unsigned>(wait.lane);
        if (lanesWaited & bit)
          fault(" twice");
        lanesWaited |= bit;
        if (wait.lane == instruction.lane)
          fault(", its own lane");
        else if (wait.isPrevious())
          checkPrevious(wait);
        else
          checkOrdinal(wait);
      }
    }
  }

private:
  void fault(const std::string &rest) {
    findings.add("section " + section.name + ", " + nameOf(*waiter, waiterOrdinal) + " waits for " +
                 std::string(textOf(awaited)) + rest);
  }

  void checkOrdinal(const Wait &wait) {
    uint32_t earlier = at(counts, wait.lane);
    if (wait.ordinal == 0 || wait.ordinal > earlier)
      fault(" " + std::to_string(wait.ordinal) + ", but " + std::to_string(earlier) +
            " of that lane stand before it");
  }

  void checkPrevious(const Wait &wait) {
    if (predecessors.empty())
      return fault(" of the previous section, but this section begins after a drain");
    for (const auto &[before, count] : wait.previous) {
      const std::string which =
          " " + std::to_string(count) + " of section \"" + program.sections[before].name + "\"";
      if (std::ranges::find(predecessors, before) == predecessors.end())
        fault(which + ", which cannot run just before");
      else if (uint32_t held = at(countsOf(before), wait.lane); count > held)
        fault(which + ", which has " + std::to_string(held));
    }
    for (uint32_t before : predecessors)
      if (std::ranges::count(wait.previous, before, &std::pair<uint32_t, uint32_t>::first) != 1)
        fault(" of the previous section, without one count for section \"" + program.sections[before].name +
              "\"");
  }

  const LaneCounts &countsOf(uint32_t other) {
    if (countsOfSections.empty())
      for (const Section &each : program.sections)
        countsOfSections.push_back(laneCounts(each));
    return countsOfSections[other];
  }

  const Program &program;
  const Section &section;
  Findings &findings;
  std::vector<uint32_t> predecessors;
  LaneCounts counts{};
  std::vector<LaneCounts> countsOfSections;
  const Instruction *waiter = nullptr; ///< under examination, and for which lane it waits
  uint32_t waiterOrdinal = 0;
  Lane awaited = Lane::Compute;
};

} // namespace

void checkWaits(const Program &program, Findings &findings) {
  for (uint32_t section = 0; section < program.sections.size(); ++section)
    WaitCheck(program, section, findings).run();
}

} // namespace windlass::plan
