// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Flow/layout/JoinStages.h"

#include "runtime/plan/Reasons.h"

using namespace mlir;

namespace windlass::flow {

std::string itemOfStage(const std::string &item, size_t stage) { return item + "@" + std::to_string(stage); }

Result<MemoryPlan> joinStages(ArrayRef<OwningOpRef<ModuleOp>> stages, std::vector<MemoryPlan> plans,
                              const model::Machine &machine, bool fitsAlone) {
  const auto slowest =
      std::max_element(plans.begin(), plans.end(), [](const MemoryPlan &a, const MemoryPlan &b) {
        return a.computeSeconds < b.computeSeconds;
      });
  MemoryPlan all;
  all.computeSeconds = slowest->computeSeconds;
  const auto explain = [&](std::vector<MemoryPlan>::iterator plan) {
    for (plan::Reason &reason : plan->reasons) {
      reason.stage = plan - plans.begin();
      all.reasons.push_back(std::move(reason));
    }
    plan->reasons.clear();
  };
  explain(slowest);
  for (auto plan = plans.begin(); plan != plans.end(); ++plan)
    explain(plan);
  for (auto [stage, plan] : llvm::enumerate(plans)) {
    all.isSlow |= plan.isSlow;
    all.isBound |= plan.isBound;
    all.step.seconds = std::max(all.step.seconds, plan.step.seconds);
    llvm::append_range(all.credits, plan.credits);
    llvm::append_range(all.slack, plan.slack);
    for (const auto &[cls, homes] : plan.homes)
      for (const auto &[item, home] : homes.of)
        if (all.homes[cls].of.try_emplace(item, home).first->second != home)
          all.homes[cls].of[itemOfStage(item, stage)] = home;
  }
  if (all.isSlow || fitsAlone)
    return all;
  Result<SimulatedStep> step = simulateStages(
      llvm::map_to_vector(stages, [](const OwningOpRef<ModuleOp> &stage) { return *stage; }), machine);
  if (!step)
    return step.status();
  all.waiting = step->seconds / all.step.seconds;
  all.step = *step;
  return all;
}

} // namespace windlass::flow
