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

/// The states that the values of a module depend on, by gradients: not through what is detached.
class Reached {
public:
  explicit Reached(ModuleOp module) : symbols(module) {
    module.walk([&](func::CallOp call) { callsOf[symbols.lookup(call.getCallee())].push_back(call); });
    if (auto evaluate = symbols.lookup<graph::StepOp>("evaluate"))
      for (auto report : evaluate.getBody().front().getOps<graph::ReportOp>())
        waiting.push_back(report.getValue());
    while (!waiting.empty())
      if (Value value = waiting.pop_back_val(); seen.insert(value).second)
        follow(value);
  }

  bool has(graph::StateOp state) const { return states.contains(state.getSymName()); }

private:
  void follow(Value value) {
    if (!isa<FloatType>(getElementTypeOrSelf(value.getType()))) // has no gradient
      return;
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      for (func::CallOp call : callsOf.lookup(argument.getOwner()->getParentOp()))
        waiting.push_back(call.getOperand(argument.getArgNumber()));
      return;
    }
    Operation *op = value.getDefiningOp();
    if (auto read = dyn_cast<graph::ReadOp>(op))
      states.insert(read.getState());
    else if (auto call = dyn_cast<func::CallOp>(op))
      waiting.push_back(symbols.lookup<func::FuncOp>(call.getCallee())
                            .front()
                            .getTerminator()
                            ->getOperand(cast<OpResult>(value).getResultNumber()));
    else if (!op->hasAttr(graph::kDetached))
      llvm::append_range(waiting, op->getOperands());
  }

  SymbolTable symbols;
  llvm::DenseMap<Operation *, SmallVector<func::CallOp>> callsOf; ///< by function
  SmallVector<Value> waiting;
  llvm::DenseSet<Value> seen;
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

} // namespace windlass
