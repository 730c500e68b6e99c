// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/plan/SectionSchedule.h"

#include <algorithm>
#include <utility>

namespace windlass::plan {

const std::vector<SectionRuns> &scheduleOf(const Program &program, Purpose purpose) {
  switch (purpose) {
  case Purpose::Train:
    return program.train;
  case Purpose::Evaluate:
    return program.evaluate;
  case Purpose::Sample:
    break;
  }
  return program.sample;
}

std::vector<SectionRuns> &scheduleOf(Program &program, Purpose purpose) {
  return const_cast<std::vector<SectionRuns> &>(scheduleOf(std::as_const(program), purpose));
}

int64_t microBatchesOf(const Plan &plan, Purpose purpose) {
  return purpose == Purpose::Train ? plan.training.microBatches : 1;
}

std::vector<SectionRun> unroll(const Program &program, Purpose purpose, int64_t most) {
  std::vector<SectionRun> runs;
  int64_t microBatch = 0;
  for (const SectionRuns &some : scheduleOf(program, purpose))
    for (int64_t i = 0; i < std::min(some.times, most); ++i) {
      runs.push_back({some.section, microBatch});
      microBatch += program.sections[some.section].advance;
    }
  return runs;
}

std::optional<Purpose> purposeOf(const Program &program, uint32_t section) {
  for (Purpose purpose : kPurposes)
    if (std::ranges::find(scheduleOf(program, purpose), section, &SectionRuns::section) !=
        scheduleOf(program, purpose).end())
      return purpose;
  return std::nullopt;
}

std::vector<uint32_t> predecessorsOf(const Program &program, uint32_t section) {
  std::vector<uint32_t> found;
  auto add = [&](uint32_t before) {
    if (std::ranges::find(found, before) == found.end())
      found.push_back(before);
  };
  for (Purpose purpose : kPurposes) {
    const std::vector<SectionRuns> &schedule = scheduleOf(program, purpose);
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
