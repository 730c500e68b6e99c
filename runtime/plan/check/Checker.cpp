// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/plan/check/Checker.h"
#include "runtime/plan/WellFormed.h"
#include "runtime/plan/check/CheckAccesses.h"
#include "runtime/plan/check/CheckItems.h"
#include "runtime/plan/check/CheckMeetings.h"
#include "runtime/plan/check/CheckOptimizer.h"
#include "runtime/plan/check/CheckPrograms.h"
#include "runtime/plan/check/CheckReplicas.h"
#include "runtime/plan/check/CheckSlots.h"
#include "runtime/plan/check/CheckStates.h"
#include "runtime/plan/check/CheckStructure.h"
#include "runtime/plan/check/CheckSums.h"
#include "runtime/plan/check/CheckUpdates.h"
#include "runtime/plan/check/CheckWaits.h"
#include "runtime/plan/check/Timeline.h"

#include <algorithm>

namespace windlass::plan {
namespace {

/// How many runs of a section in a row show all that more of them would: three, for no run starts beside the
/// one two places back; and one more for each slot in which a value waits for a later run.
int64_t tellingRuns(const Program &program) {
  int64_t slots = 0;
  for (const Buffer &buffer : program.buffers)
    slots = std::max(slots, buffer.slots);
  return 3 + slots;
}

void checkRecords(const Plan &plan, const Program &program, Findings &findings) {
  checkStructure(plan, program, findings);
  checkStates(plan, program, findings);
  checkOptimizer(plan, program, findings);
  checkWaits(program, findings);
}

void replay(const Plan &plan, Purpose purpose, Findings &findings) {
  std::vector<Timeline> timelines;
  for (const Program &program : plan.programs)
    timelines.emplace_back(plan, program, purpose, tellingRuns(program));
  for (const Timeline &timeline : timelines)
    checkAccesses(plan, timeline, findings);
  checkReplicas(plan, timelines, findings);
  for (const Timeline &timeline : timelines)
    checkUpdates(plan, timeline, findings);
}

} // namespace

Examination examine(const Plan &plan) {
  if (Status wellFormed = checkWellFormed(plan); !wellFormed)
    return {.faults = {wellFormed.message()}};
  Findings findings;
  checkKernels(plan, findings);
  for (const Program &program : plan.programs)
    checkRecords(plan, program, findings);
  checkItems(plan, findings);
  checkPrograms(plan, findings);
  if (findings.none())
    for (const Program &program : plan.programs) {
      checkSlots(program, findings);
      checkSums(plan, program, findings);
    }
  if (findings.none())
    for (Purpose purpose : kPurposes)
      checkMeetings(plan, purpose, findings);
  if (findings.none())
    for (Purpose purpose : kPurposes)
      if (serves(plan, purpose))
        replay(plan, purpose, findings);
  const int64_t looked = findings.looked();
  return {findings.take(), looked};
}

std::vector<std::string> findFaults(const Plan &plan) { return examine(plan).faults; }

Status checkPlan(const Plan &plan) {
  std::vector<std::string> faults = findFaults(plan);
  if (faults.empty())
    return Status::ok();
  std::string more = faults.size() == 1 ? "" : " (and " + std::to_string(faults.size() - 1) + " more faults)";
  return Status::badInput("the plan is not sound: " + faults.front() + more);
}

} // namespace windlass::plan
