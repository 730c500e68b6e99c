// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Flow/layout/RepeatedGathers.h"

#include "passes/Flow/homes/Homes.h"
#include "passes/Flow/waits/Schedules.h"
#include "llvm/ADT/MapVector.h"
#include <map>

using namespace mlir;

namespace windlass::flow {

static int64_t bytesOf(CollectiveOpInterface gather) {
  int64_t bytes = 0;
  for (Value unit : gather.getUnits())
    bytes += bufferType(unit).getBytes();
  return bytes;
}

std::vector<RepeatedGather> repeatedGathers(ModuleOp module) {
  HomeTable homes(module);
  llvm::MapVector<StringRef, RepeatedGather> found;
  SmallVector<SectionRuns> step = trainingSchedule(module);
  if (step.empty())
    return {};
  for (auto [at, op] : llvm::enumerate(step.back().first.getBody().front())) {
    auto gather = dyn_cast<CollectiveOpInterface>(op);
    HomeOp home = gather && gather.bringsUnits() ? homes.behind(gather.getShard()) : HomeOp();
    if (!home || home.getRole() != graph::Role::Parameter)
      continue;
    const auto place = static_cast<int64_t>(at);
    RepeatedGather first{home.getBucket()->str(), place, place, bytesOf(gather)};
    found.try_emplace(*home.getBucket(), std::move(first)).first->second.last = place;
  }
  std::vector<RepeatedGather> again;
  for (auto &[bucket, gathers] : found)
    if (gathers.last > gathers.first)
      again.push_back(std::move(gathers));
  llvm::stable_sort(again, [](const RepeatedGather &a, const RepeatedGather &b) {
    return a.last - a.first < b.last - b.first;
  });
  return again;
}

int64_t mostKeptBytes(ArrayRef<RepeatedGather> kept) {
  std::map<int64_t, int64_t> changes; // of the bytes, by operation
  for (const RepeatedGather &gather : kept) {
    changes[gather.first] += gather.bytes;
    changes[gather.last] -= gather.bytes;
  }
  int64_t live = 0, most = 0;
  for (const auto &[place, change] : changes)
    most = std::max(most, live += change);
  return most;
}

} // namespace windlass::flow
