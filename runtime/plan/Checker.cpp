// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/plan/Checker.h"
#include "runtime/plan/CheckAccesses.h"
#include "runtime/plan/CheckItems.h"
#include "runtime/plan/CheckOptimizer.h"
#include "runtime/plan/CheckReplicas.h"
#include "runtime/plan/CheckStates.h"
#include "runtime/plan/CheckStructure.h"
#include "runtime/plan/CheckUpdates.h"
#include "runtime/plan/CheckWaits.h"
#include "runtime/plan/Timeline.h"
#include "runtime/plan/WellFormed.h"

#include <algorithm>

namespace windlass::plan {
namespace {

/// A middle section meets each of its possible neighbours once it ran three times.
constexpr int64_t kUnrolledMicroBatches = 5;

/// Every order of sections between two drains that may happen.
std::vector<std::vector<const Section *>> ordersOf(const Plan &plan) {
  std::vector<std::vector<const Section *>> orders;
  int64_t microBatches = plan.training.microBatches;
  if (Result<std::vector<const Section *>> step =
          stepSections(plan, microBatches < 3 ? microBatches : kUnrolledMicroBatches))
    orders.push_back(*step);
  for (SectionKind kind : {SectionKind::Evaluate, SectionKind::Sample})
    if (const Section *section = findSection(plan, kind))
      orders.push_back({section});
  return orders;
}

} // namespace

Examination examine(const Plan &plan) {
  if (Status wellFormed = checkWellFormed(plan); !wellFormed)
    return {.faults = {wellFormed.message()}};
  Findings findings;
  checkStructure(plan, findings);
  checkStates(plan, findings);
  checkOptimizer(plan, findings);
  checkItems(plan, findings);
  checkWaits(plan, findings);
  if (findings.none())
    for (const std::vector<const Section *> &order : ordersOf(plan)) {
      const Timeline timeline(plan, order);
      checkAccesses(plan, timeline, findings);
      checkReplicas(plan, timeline, findings);
      checkUpdates(plan, timeline, findings);
    }
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
