// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/plan/CheckWaits.h"
#include "runtime/plan/InstructionName.h"
#include "runtime/plan/Layout.h"

#include <algorithm>

namespace windlass::plan {
namespace {

/// The sections of this plan that may run just before `kind`.
std::vector<SectionKind> predecessorsOf(const Plan &plan, SectionKind kind) {
  // A last section follows the first one only where no middle stands between.
  bool hasMiddle = plan.training.microBatches > 2;
  std::vector<SectionKind> kinds;
  for (SectionKind before : {SectionKind::First, SectionKind::Middle}) {
    bool skipped = before == SectionKind::First ? kind == SectionKind::Last && hasMiddle : !hasMiddle;
    if (mayPrecede(before, kind) && !skipped)
      kinds.push_back(before);
  }
  return kinds;
}

class WaitCheck {
public:
  WaitCheck(const Plan &plan, const Section &section, Findings &findings)
      : plan(plan), section(section), findings(findings), predecessors(predecessorsOf(plan, section.kind)) {}

  void run() {
    for (const Instruction &instruction : section.instructions) {
      unsigned lanesWaited = 0;
      uint32_t ordinal = ++at(counts, instruction.lane);
      for (const Wait &wait : instruction.waits) {
        name = "section " + std::string(textOf(section.kind)) + ", " + nameOf(instruction, ordinal) +
               " waits for " + std::string(textOf(wait.lane));
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
  void fault(const std::string &rest) { findings.add(name + rest); }

  void checkOrdinal(const Wait &wait) {
    uint32_t earlier = at(counts, wait.lane);
    if (wait.ordinal == 0 || wait.ordinal > earlier)
      fault(" " + std::to_string(wait.ordinal) + ", but " + std::to_string(earlier) +
            " of that lane stand before it");
  }

  void checkPrevious(const Wait &wait) {
    if (beginsAfterDrain(section.kind))
      return fault(" of the previous section, but this section begins after a drain");
    for (const auto &[kind, count] : wait.previous) {
      const std::string which =
          " " + std::to_string(count) + " of section \"" + std::string(textOf(kind)) + "\"";
      const Section *before = findSection(plan, kind);
      if (!mayPrecede(kind, section.kind) || !before)
        fault(which + ", which cannot run just before");
      else if (uint32_t held = at(laneCountsOf(*before), wait.lane); count > held)
        fault(which + ", which has " + std::to_string(held));
    }
    for (SectionKind kind : predecessors)
      if (std::count_if(wait.previous.begin(), wait.previous.end(),
                        [&](const auto &entry) { return entry.first == kind; }) != 1)
        fault(" of the previous section, without one count for section \"" + std::string(textOf(kind)) +
              "\"");
  }

  const LaneCounts &laneCountsOf(const Section &other) {
    size_t index = static_cast<size_t>(&other - plan.sections.data());
    if (countsOfSections.empty())
      for (const Section &each : plan.sections)
        countsOfSections.push_back(laneCounts(each));
    return countsOfSections[index];
  }

  const Plan &plan;
  const Section &section;
  Findings &findings;
  std::vector<SectionKind> predecessors;
  LaneCounts counts{};
  std::vector<LaneCounts> countsOfSections;
  std::string name;
};

} // namespace

void checkWaits(const Plan &plan, Findings &findings) {
  for (const Section &section : plan.sections)
    WaitCheck(plan, section, findings).run();
}

} // namespace windlass::plan
