// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/import/Freeze.h"

#include "compiler/import/SeparateFunctions.h"
#include "compiler/training/Patterns.h"
#include "dialects/Graph/IR/GraphAttributes.h"
#include "dialects/Graph/IR/GraphDialect.h"
#include "dialects/Graph/IR/ParameterGroups.h"
#include "dialects/Graph/IR/RunningStatistics.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;

namespace windlass {
namespace {

/// The states that the loss of a module depends on, by gradients: not through what is detached.
class Reached {
public:
  explicit Reached(ModuleOp module) : symbols(module) {
    if (auto evaluate = symbols.lookup<graph::StepOp>("evaluate"))
      for (auto report : evaluate.getBody().front().getOps<graph::ReportOp>())
        waiting.push_back({report.getValue(), {}});
    while (!waiting.empty())
      if (const Place place = waiting.pop_back_val(); seen.insert(place).second)
        follow(place);
  }

  bool has(graph::StateOp state) const { return states.contains(state.getSymName()); }

private:
  /// A value, and the call of the layer function that it is in; no call in a step.
  using Place = std::pair<Value, Operation *>;

  void follow(const Place &place) {
    const auto [value, site] = place;
    if (!isa<FloatType>(getElementTypeOrSelf(value.getType()))) // has no gradient
      return;
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      if (site) // layer functions call no others
        waiting.push_back({site->getOperand(argument.getArgNumber()), nullptr});
      return;
    }
    Operation *op = value.getDefiningOp();
    if (auto read = dyn_cast<graph::ReadOp>(op))
      states.insert(read.getState());
    else if (auto call = dyn_cast<func::CallOp>(op))
      waiting.push_back({symbols.lookup<func::FuncOp>(call.getCallee())
                             .front()
                             .getTerminator()
                             ->getOperand(cast<OpResult>(value).getResultNumber()),
                         call});
    else if (!op->hasAttr(graph::kDetached))
      for (Value operand : op->getOperands())
        waiting.push_back({operand, site});
  }

  SymbolTable symbols;
  SmallVector<Place> waiting;
  llvm::DenseSet<Place> seen;
  llvm::StringSet<> states;
};

} // namespace

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

Result<std::vector<std::string>> freezeUnreached(ModuleOp module) {
  const Reached reached(module);
  std::vector<std::string> names;
  bool isAnyTrained = false;
  for (auto state : module.getOps<graph::StateOp>()) {
    if (state.getRole() != graph::Role::Parameter || graph::isStatistic(state) ||
        state.getGroup() == graph::kFrozenGroup)
      continue;
    if (reached.has(state)) {
      isAnyTrained = true;
      continue;
    }
    state.setGroup(graph::kFrozenGroup);
    names.push_back(state.getOriginal().str());
  }
  if (!isAnyTrained)
    return Status::badInput("the loss depends on no trained parameter, or through detached values alone");
  if (!names.empty())
    separateFunctions(module, "frozen");
  return names;
}

Status checkStatistics(ModuleOp module) {
  const Reached reached(module);
  for (auto state : module.getOps<graph::StateOp>())
    if (state.getRole() == graph::Role::Parameter && graph::isStatistic(state) && !reached.has(state))
      return Status::badInput("running statistic \"" + state.getOriginal().str() +
                              "\": the loss must depend on its batch norm, and not through detached values "
                              "alone, or training would not change it, as PyTorch does");
  return Status::ok();
}

} // namespace windlass
