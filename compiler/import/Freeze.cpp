#include "compiler/import/Freeze.h"

#include "compiler/import/Patterns.h"
#include "dialects/Graph/IR/GraphDialect.h"
#include "dialects/Graph/IR/ParameterGroups.h"
#include "dialects/Graph/IR/RunningStatistics.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/StringSet.h"
#include <map>

using namespace mlir;

namespace windlass {
namespace {

/// Which operands of a call are frozen parameters.
std::vector<bool> frozenOperands(func::CallOp call, const llvm::StringSet<> &frozen) {
  std::vector<bool> operands;
  for (Value operand : call.getOperands()) {
    auto read = operand.getDefiningOp<graph::ReadOp>();
    operands.push_back(read && frozen.contains(read.getState()));
  }
  return operands;
}

/// Calls that freeze other arguments of a function get a copy of it.
void separateFunctions(ModuleOp module, const llvm::StringSet<> &frozen) {
  std::map<std::pair<std::string, std::vector<bool>>, std::string> named;
  std::map<std::string, int> copies;
  module.walk([&](func::CallOp call) {
    const std::string callee = call.getCallee().str();
    auto [entry, fresh] = named.try_emplace({callee, frozenOperands(call, frozen)}, callee);
    if (fresh && copies[callee]++ > 0) {
      auto function = module.lookupSymbol<func::FuncOp>(callee);
      OpBuilder builder(function->getContext());
      builder.setInsertionPointAfter(function);
      auto copy = cast<func::FuncOp>(builder.clone(*function));
      copy.setName(entry->second = callee + ".frozen" + std::to_string(copies[callee] - 1));
    }
    call.setCallee(entry->second);
  });
}

} // namespace

Status freezeParameters(ModuleOp module, const std::vector<std::string> &freeze,
                        const std::vector<std::string> &trainable) {
  Result<Patterns> frozenNames = Patterns::compile(freeze), trainedNames = Patterns::compile(trainable);
  if (!frozenNames || !trainedNames)
    return frozenNames ? trainedNames.status() : frozenNames.status();
  llvm::StringSet<> frozen;
  size_t parameters = 0;
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
      frozen.insert(state.getSymName());
    }
  }
  if (frozen.size() == parameters)
    return Status::badInput("every parameter is frozen: nothing is left to train");
  if (!frozen.empty())
    separateFunctions(module, frozen);
  return Status::ok();
}

} // namespace windlass
