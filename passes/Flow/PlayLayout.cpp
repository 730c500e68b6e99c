#include "passes/Flow/PlayLayout.h"

#include "passes/Flow/ArenaHistory.h"
#include "passes/Flow/LaneOrder.h"
#include <algorithm>

using namespace mlir;

namespace windlass::flow {
namespace {

double sectionSeconds(SectionOp section, const HomeTable &homes, InstructionCost &cost) {
  LaneOrder order(section);
  ArenaHistory history(homes);
  std::array<double, kLaneCount> free{};
  std::vector<double> end(order.instructions.size());
  for (auto [i, op] : llvm::enumerate(order.instructions)) {
    double &lane = free[static_cast<size_t>(order.lanes[i])];
    history.access(op, i, {}, [&](uint32_t earlier) { lane = std::max(lane, end[earlier]); });
    lane = end[i] = lane + cost.seconds(op);
  }
  return *llvm::max_element(free);
}

} // namespace

int64_t runsOf(SectionOp section, int64_t microBatches) {
  StringRef name = section.getSymName();
  if (name == "evaluate" || name == "sample")
    return 0;
  return name == "middle" ? microBatches - 2 : 1;
}

double computeSeconds(ModuleOp module, InstructionCost &cost, int64_t microBatches) {
  double seconds = 0;
  for (auto section : module.getOps<SectionOp>())
    for (auto launch : section.getBody().front().getOps<LaunchOp>())
      if (launch.deriveLane() == Lane::Compute)
        seconds += static_cast<double>(runsOf(section, microBatches)) * cost.seconds(launch);
  return seconds;
}

double playLayout(ModuleOp module, InstructionCost &cost, int64_t microBatches) {
  HomeTable homes(module);
  double seconds = 0;
  for (auto section : module.getOps<SectionOp>())
    if (int64_t runs = runsOf(section, microBatches); runs > 0)
      seconds += static_cast<double>(runs) * sectionSeconds(section, homes, cost);
  return seconds;
}

} // namespace windlass::flow
