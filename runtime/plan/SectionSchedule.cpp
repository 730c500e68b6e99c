// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/plan/SectionSchedule.h"

#include <algorithm>
#include <utility>

namespace windlass::plan {

const std::vector<SectionRuns> &scheduleOf(const Plan &plan, Purpose purpose) {
  switch (purpose) {
  case Purpose::Train:
    return plan.train;
  case Purpose::Evaluate:
    return plan.evaluate;
  case Purpose::Sample:
    break;
  }
  return plan.sample;
}

std::vector<SectionRuns> &scheduleOf(Plan &plan, Purpose purpose) {
  return const_cast<std::vector<SectionRuns> &>(scheduleOf(std::as_const(plan), purpose));
}

int64_t microBatchesOf(const Plan &plan, Purpose purpose) {
  return purpose == Purpose::Train ? plan.training.microBatches : 1;
}

std::vector<SectionRun> unroll(const Plan &plan, Purpose purpose, int64_t most) {
  std::vector<SectionRun> runs;
  int64_t microBatch = 0;
  for (const SectionRuns &some : scheduleOf(plan, purpose))
    for (int64_t i = 0; i < std::min(some.times, most); ++i) {
      runs.push_back({some.section, microBatch});
      microBatch += plan.sections[some.section].advance;
    }
  return runs;
}

std::optional<Purpose> purposeOf(const Plan &plan, uint32_t section) {
  for (Purpose purpose : kPurposes)
    if (std::ranges::find(scheduleOf(plan, purpose), section, &SectionRuns::section) !=
        scheduleOf(plan, purpose).end())
      return purpose;
  return std::nullopt;
}

std::vector<uint32_t> predecessorsOf(const Plan &plan, uint32_t section) {
  std::vector<uint32_t> found;
  auto add = [&](uint32_t before) {
    if (std::ranges::find(found, before) == found.end())
      found.push_back(before);
  };
  for (Purpose purpose : kPurposes) {
    const std::vector<SectionRuns> &schedule = scheduleOf(plan, purpose);
    for (size_t i = 0; i < schedule.size(); ++i) {
      if (schedule[i].section != section)
        continue;
      if (i > 0)
        add(schedule[i - 1].section);
      if (schedule[i].times > 1)
        add(section);
    }
  }
  return found;
}

} // namespace windlass::plan
