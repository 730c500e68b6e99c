// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/plan/check/CheckPrograms.h"
#include "runtime/plan/Enums.h"
#include "runtime/plan/SectionSchedule.h"

#include <map>

namespace windlass::plan {
namespace {

void checkPurposes(const Plan &plan, Findings &findings) {
  for (size_t i = 1; i < plan.programs.size(); ++i)
    for (Purpose purpose : kPurposes)
      if (serves(plan.programs[i], purpose) != serves(plan, purpose))
        findings.add("program " + std::to_string(i) + " has " + (serves(plan, purpose) ? "no" : "a") +
                     " schedule \"" + std::string(textOf(purpose)) + "\", unlike program 0");
}

void checkTensors(const Plan &plan, Findings &findings) {
  std::map<std::pair<StateClass, std::string>, size_t> programs;
  for (size_t i = 0; i < plan.programs.size(); ++i)
    for (const State &state : plan.programs[i].states)
      if (const auto known = programs.try_emplace({state.cls, state.name}, i).first; known->second != i)
        findings.add("state \"" + state.name + "\" (" + std::string(textOf(state.cls)) +
                     ") stands in program " + std::to_string(known->second) + " and in program " +
                     std::to_string(i));
}

} // namespace

void checkPrograms(const Plan &plan, Findings &findings) {
  checkPurposes(plan, findings);
  checkTensors(plan, findings);
}

} // namespace windlass::plan
