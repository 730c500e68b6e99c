// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Flow/layout/Consumers.h"

#include "passes/Flow/homes/Homes.h"
#include "llvm/ADT/StringSet.h"
#include <map>

using namespace mlir;

namespace windlass::flow {
namespace {

/// Bytes: smaller consumers are not named.
constexpr int64_t kWorthNaming = 1024;

using BytesByClass = std::map<BufferClass, int64_t>;

/// The bytes of a section's buffers, by class, at the moment when they take most of a tier.
BytesByClass fullestMoment(SectionOp section, Tier tier) {
  BytesByClass live, fullest;
  int64_t total = 0, most = 0;
  auto count = [&](AllocOp alloc, int64_t sign) {
    if (!alloc || bufferType(alloc.getBuffer()).getTier() != tier)
      return;
    int64_t bytes = sign * bufferType(alloc.getBuffer()).getBytes();
    live[alloc.getBufferClass()] += bytes;
    total += bytes;
    if (total <= most)
      return;
    most = total;
    fullest = live;
  };
  for (Operation &op : section.getBody().front()) {
    if (auto alloc = dyn_cast<AllocOp>(op))
      count(alloc, 1);
    if (auto release = dyn_cast<ReleaseOp>(op))
      count(release.getBuffer().getDefiningOp<AllocOp>(), -1);
  }
  return fullest;
}

int64_t sum(const BytesByClass &bytes) {
  int64_t all = 0;
  for (const auto &[cls, part] : bytes)
    all += part;
  return all;
}

} // namespace

std::vector<plan::Consumer> largestConsumers(ModuleOp module, plan::Tier tier) {
  BytesByClass worst;
  for (auto section : module.getOps<SectionOp>())
    if (BytesByClass mine = fullestMoment(section, tier); sum(mine) > sum(worst))
      worst = std::move(mine);
  for (auto home : module.getOps<HomeOp>())
    if (home.getTier() == tier)
      worst[home.getBufferClass()] += roundUp(heldBytes(home), kShardGranule) /
                                      (static_cast<int64_t>(home.getOwner()) < 0 ? 1 : dataRanksOf(module));
  std::vector<std::pair<int64_t, std::string>> sorted;
  for (auto &[cls, bytes] : worst)
    sorted.push_back({bytes, stringifyEnum(cls).str()});
  llvm::sort(sorted, std::greater<>());
  std::vector<plan::Consumer> largest;
  for (auto &[bytes, cls] : sorted)
    if (bytes >= kWorthNaming)
      largest.push_back({cls, bytes});
  return largest;
}

int64_t bytesOfEverything(ModuleOp module) {
  int64_t homes = 0, most = 0;
  for (auto home : module.getOps<HomeOp>())
    homes += roundUp(heldBytes(home), kShardGranule);
  for (auto section : module.getOps<SectionOp>()) {
    int64_t buffers = 0;
    for (auto alloc : section.getBody().front().getOps<AllocOp>())
      buffers += roundUp(bufferType(alloc.getBuffer()).getBytes(), kShardGranule);
    most = std::max(most, buffers);
  }
  return homes + most;
}

int64_t countTrainedLayers(ModuleOp module) {
  llvm::StringSet<> layers;
  module.walk([&](InstructionOpInterface op) {
    if (OriginAttr origin = op.origin(); origin.getPhase() == Phase::Backward)
      layers.insert(origin.getFunction());
  });
  layers.erase("");
  return static_cast<int64_t>(layers.size());
}

} // namespace windlass::flow
