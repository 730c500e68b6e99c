// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/support/Sections.h"

#include "runtime/plan/SectionSchedule.h"

namespace windlass::test {

using namespace windlass::plan;

const Section *sectionNamed(const Plan &plan, std::string_view name) {
  for (const Section &section : plan.sections)
    if (section.name == name)
      return &section;
  return nullptr;
}

std::vector<const Section *> stepSections(const Plan &plan) {
  std::vector<const Section *> sections;
  for (const SectionRun &run : unroll(plan, Purpose::Train))
    sections.push_back(&plan.sections[run.section]);
  return sections;
}

void setSchedules(Plan &plan) {
  plan.train.clear();
  plan.evaluate.clear();
  plan.sample.clear();
  for (uint32_t i = 0; i < plan.sections.size(); ++i) {
    Section &section = plan.sections[i];
    const bool evaluates = section.name == "evaluate", samples = section.name == "sample";
    if (section.name == "only")
      section.advance = plan.training.microBatches;
    (evaluates ? plan.evaluate
     : samples ? plan.sample
               : plan.train)
        .push_back({i, section.name == "middle" ? plan.training.microBatches - 2 : 1});
  }
}

} // namespace windlass::test
