#include "compiler/import/Freeze.h"

#include "compiler/import/Patterns.h"
#include "dialects/Graph/IR/GraphDialect.h"
#include "dialects/Graph/IR/ParameterGroups.h"
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

Status freezeParameters(ModuleOp module, const std::vector<std::string> &patterns) {
  if (patterns.empty())
    return Status::ok();
  llvm::StringSet<> frozen;
  for (const std::string &text : patterns) {
    Result<Patterns> pattern = Patterns::compile({text});
    if (!pattern)
      return pattern.status();
    bool matches = false;
    for (auto state : module.getOps<graph::StateOp>()) {
      if (state.getRole() != graph::Role::Parameter || !pattern->match(state.getOriginal().str()))
        continue;
      matches = true;
      state.setGroup(graph::kFrozenGroup);
      frozen.insert(state.getSymName());
    }
    if (!matches)
      return Status::badInput("\"" + text + "\" matches no parameter");
  }
  for (auto state : module.getOps<graph::StateOp>())
    if (state.getRole() == graph::Role::Parameter && !frozen.contains(state.getSymName())) {
      separateFunctions(module, frozen);
      return Status::ok();
    }
  return Status::badInput("matches every parameter: nothing is left to train");
}

} // namespace windlass
