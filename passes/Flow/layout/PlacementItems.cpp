// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Flow/layout/PlacementItems.h"

using namespace mlir;

namespace windlass::flow {

SmallVector<AllocOp> checkpointsOf(SectionOp section) {
  SmallVector<AllocOp> checkpoints;
  for (auto alloc : section.getBody().front().getOps<AllocOp>())
    if (alloc.getBufferClass() == BufferClass::Checkpoint)
      checkpoints.push_back(alloc);
  return checkpoints;
}

ItemName placementItem(HomeOp home) {
  if (!home.getRole())
    return {plan::PlacementClass::Checkpoint, home.getSymName().str()};
  return {plan::placedAs(*home.getRole()), home.getBucket()->str()};
}

std::vector<ItemName> placementItems(ModuleOp module) {
  std::vector<ItemName> items;
  for (auto home : module.getOps<HomeOp>())
    if (!home.getTier())
      items.push_back(placementItem(home));
  for (auto section : module.getOps<SectionOp>())
    for (AllocOp alloc : checkpointsOf(section))
      items.emplace_back(plan::PlacementClass::Checkpoint, alloc.getName().str());
  return items;
}

TierPins itemsOf(ModuleOp module) {
  TierPins items;
  for (const auto &[cls, name] : placementItems(module))
    items[cls].of[name] = Tier::Device;
  return items;
}

bool allOnDevice(const TierPins &homes) {
  return llvm::all_of(homes, [](const auto &cls) {
    return llvm::all_of(cls.second.of, [](const auto &item) { return item.second == plan::Tier::Device; });
  });
}

void applyPlacement(ModuleOp module, const TierPins &homes) {
  for (auto home : module.getOps<HomeOp>())
    if (!home.getTier())
      home.setTier(homes.at(placementItem(home).first).of.at(placementItem(home).second));
  for (auto section : module.getOps<SectionOp>())
    for (AllocOp alloc : checkpointsOf(section))
      alloc.setCheckpointHomeAttr(TierAttr::get(
          module.getContext(), homes.at(plan::PlacementClass::Checkpoint).of.at(alloc.getName().str())));
}

} // namespace windlass::flow
