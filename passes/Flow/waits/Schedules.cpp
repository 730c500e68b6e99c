// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Flow/waits/Schedules.h"

using namespace mlir;

namespace windlass::flow {
namespace {

SmallVector<SectionRuns> runsOf(ScheduleOp schedule) {
  auto module = schedule->getParentOfType<ModuleOp>();
  SmallVector<SectionRuns> runs;
  for (auto [section, times] :
       llvm::zip_equal(schedule.getSections().getAsRange<FlatSymbolRefAttr>(), schedule.getTimes()))
    runs.emplace_back(module.lookupSymbol<SectionOp>(section.getAttr()), times);
  return runs;
}

} // namespace

SmallVector<SectionRuns> trainingSchedule(ModuleOp module) {
  for (auto schedule : module.getOps<ScheduleOp>())
    if (schedule.getPurpose() == Purpose::Train)
      return runsOf(schedule);
  return {};
}

int64_t runsOf(SectionOp section) {
  int64_t runs = 0;
  for (auto [each, times] : trainingSchedule(section->getParentOfType<ModuleOp>()))
    runs += each == section ? times : 0;
  return runs;
}

SmallVector<SectionOp> predecessorsOf(SectionOp section) {
  SmallVector<SectionOp> found;
  auto add = [&](SectionOp before) {
    if (!llvm::is_contained(found, before))
      found.push_back(before);
  };
  for (auto schedule : section->getParentOfType<ModuleOp>().getOps<ScheduleOp>()) {
    const SmallVector<SectionRuns> runs = runsOf(schedule);
    for (auto [i, each] : llvm::enumerate(runs)) {
      if (each.first != section)
        continue;
      if (i > 0)
        add(runs[i - 1].first);
      if (each.second > 1)
        add(section);
    }
  }
  return found;
}

} // namespace windlass::flow
