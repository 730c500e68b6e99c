// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/import/Freeze.h"

#include "compiler/import/SeparateFunctions.h"
#include "compiler/training/Patterns.h"
#include "dialects/Graph/IR/GraphDialect.h"
#include "dialects/Graph/IR/ParameterGroups.h"
#include "dialects/Graph/IR/RunningStatistics.h"

using namespace mlir;

namespace windlass {
Status freezeParameters(ModuleOp module, const std::vector<std::string> &freeze,
                        const std::vector<std::string> &trainable) {
  Result<Patterns> frozenNames = Patterns::compile(freeze), trainedNames = Patterns::compile(trainable);
  if (!frozenNames || !trainedNames)
    return frozenNames ? trainedNames.status() : frozenNames.status();
  size_t parameters = 0, frozen = 0;
  for (auto state : module.getOps<graph::StateOp>()) {
    if (state.getRole() != graph::Role::Parameter || graph::isStatistic(state))
      continue;
    ++parameters;
    const std::string name = state.getOriginal().str();
    const bool wasFrozen = state.getGroup() == graph::kFrozenGroup;
    if (trainedNames->match(name)) {
      if (wasFrozen)
        state.setGroup(graph::groupOfRank(cast<RankedTensorType>(state.getType()).getRank()));
    } else if (wasFrozen || frozenNames->match(name)) {
      state.setGroup(graph::kFrozenGroup);
      ++frozen;
    }
  }
  if (frozen == parameters)
    return Status::badInput("every parameter is frozen: nothing is left to train");
  if (frozen > 0)
    separateFunctions(module, "frozen");
  return Status::ok();
}

} // namespace windlass
