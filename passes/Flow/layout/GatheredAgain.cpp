// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Flow/layout/GatheredAgain.h"

#include "passes/Flow/homes/Homes.h"
#include "passes/Flow/waits/Schedules.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;

namespace windlass::flow {

std::vector<std::string> gatheredAgain(ModuleOp module) {
  HomeTable homes(module);
  struct Gathers {
    int64_t first = 0, between = 0;
  };
  llvm::MapVector<StringRef, Gathers> found;
  SmallVector<SectionRuns> step = trainingSchedule(module);
  if (step.empty())
    return {};
  for (auto [at, op] : llvm::enumerate(step.back().first.getBody().front())) {
    auto gather = dyn_cast<CollectiveOpInterface>(op);
    HomeOp home = gather && gather.bringsUnits() ? homes.behind(gather.getShard()) : HomeOp();
    if (!home || home.getRole() != graph::Role::Parameter)
      continue;
    auto [entry, isFirst] = found.try_emplace(*home.getBucket(), Gathers{static_cast<int64_t>(at), 0});
    if (!isFirst)
      entry->second.between = static_cast<int64_t>(at) - entry->second.first;
  }
  std::vector<std::pair<StringRef, Gathers>> again;
  for (auto &[bucket, gathers] : found)
    if (gathers.between > 0)
      again.emplace_back(bucket, gathers);
  llvm::stable_sort(again, [](auto &a, auto &b) { return a.second.between < b.second.between; });
  std::vector<std::string> names;
  for (auto &[bucket, gathers] : again)
    names.push_back(bucket.str());
  return names;
}

} // namespace windlass::flow
