// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Flow/layout/JoinStages.h"

using namespace mlir;

namespace windlass::flow {

Result<MemoryPlan> joinStages(ArrayRef<OwningOpRef<ModuleOp>> stages, std::vector<MemoryPlan> plans,
                              const model::Machine &machine, bool fitsAlone) {
  const auto slowest =
      std::max_element(plans.begin(), plans.end(), [](const MemoryPlan &a, const MemoryPlan &b) {
        return a.computeSeconds < b.computeSeconds;
      });
  MemoryPlan all;
  all.computeSeconds = slowest->computeSeconds;
  all.reasons = std::move(slowest->reasons);
  all.credits = {1, 1, 1};
  for (const MemoryPlan &plan : plans) {
    all.isSlow |= plan.isSlow;
    all.isBound |= plan.isBound;
    all.step.seconds = std::max(all.step.seconds, plan.step.seconds);
    for (planning::Link link : planning::kLinks)
      all.credits.of(link) = std::max(all.credits.of(link), plan.credits.of(link));
    for (const auto &[cls, homes] : plan.homes)
      all.homes[cls].of.insert(homes.of.begin(), homes.of.end());
  }
  if (all.isSlow || fitsAlone)
    return all;
  Result<SimulatedStep> step = simulateStages(
      llvm::map_to_vector(stages, [](const OwningOpRef<ModuleOp> &stage) { return *stage; }), machine);
  if (!step)
    return step.status();
  all.step = *step;
  return all;
}

} // namespace windlass::flow
