// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "model/ProgramRuns.h"

namespace windlass::model {

ProgramRuns::ProgramRuns(const TimedProgram &program, size_t firstRank)
    : firstRank(firstRank), behindRank(firstRank + static_cast<size_t>(program.ranks)), program(&program) {
  for (const TimedSection &section : program.sections) {
    LaneLists &list = lists.emplace_back();
    list.tasks = static_cast<uint32_t>(section.tasks.size());
    for (uint32_t i = 0; i < section.tasks.size(); ++i)
      list.byLane[static_cast<size_t>(section.tasks[i].lane)].push_back(i);
  }
  TaskCounts passed{};
  for (const plan::SectionRuns &repeated : program.schedule) {
    const LaneLists &list = lists[repeated.section];
    const RunRange range{sections.size(), sections.size() + static_cast<uint64_t>(repeated.times)};
    for (int64_t i = 0; i < repeated.times; ++i) {
      ranges.push_back(range);
      sections.push_back(repeated.section);
      counts.push_back(passed);
      spans.push_back(tasks);
      tasks += list.tasks;
      for (size_t lane = 0; lane < kLanes; ++lane)
        passed[lane] += list.byLane[lane].size();
    }
  }
}

} // namespace windlass::model
