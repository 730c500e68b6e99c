// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/support/Sections.h"

#include "runtime/plan/SectionSchedule.h"

namespace windlass::test {

using namespace windlass::plan;

const Section *sectionNamed(const Plan &plan, std::string_view name) {
  for (const Section &section : plan.programs[0].sections)
    if (section.name == name)
      return &section;
  return nullptr;
}

std::vector<const Section *> stepSections(const Plan &plan) {
  std::vector<const Section *> sections;
  for (const SectionRun &run : unroll(plan.programs[0], Purpose::Train))
    sections.push_back(&plan.programs[0].sections[run.section]);
  return sections;
}

void setSchedules(Plan &plan) {
  Program &program = plan.programs[0];
  for (Purpose purpose : kPurposes)
    scheduleOf(program, purpose).clear();
  for (uint32_t i = 0; i < program.sections.size(); ++i) {
    Section &section = program.sections[i];
    const Purpose purpose = section.name == "evaluate" ? Purpose::Evaluate
                            : section.name == "sample" ? Purpose::Sample
                                                       : Purpose::Train;
    if (section.name == "only")
      section.advance = plan.training.microBatches;
    scheduleOf(program, purpose)
        .push_back({i, section.name == "middle" ? plan.training.microBatches - 2 : 1});
  }
}

} // namespace windlass::test
