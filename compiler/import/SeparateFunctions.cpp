// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/import/SeparateFunctions.h"

#include "dialects/Graph/IR/GraphDialect.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include <map>
#include <vector>

using namespace mlir;

namespace windlass {
namespace {

/// The groups of a call's operands; empty where one is no parameter.
std::vector<std::string> groupsOf(func::CallOp call, const SymbolTable &symbols) {
  std::vector<std::string> groups;
  for (Value operand : call.getOperands()) {
    auto read = operand.getDefiningOp<graph::ReadOp>();
    auto state = read ? symbols.lookup<graph::StateOp>(read.getState()) : graph::StateOp();
    groups.push_back(state ? state.getGroup().str() : "");
  }
  return groups;
}

} // namespace

void separateFunctions(ModuleOp module, StringRef word) {
  SymbolTable symbols(module);
  std::map<std::pair<std::string, std::vector<std::string>>, std::string> named;
  std::map<std::string, int> copies;
  module.walk([&](func::CallOp call) {
    const std::string callee = call.getCallee().str();
    auto [entry, fresh] = named.try_emplace({callee, groupsOf(call, symbols)}, callee);
    if (fresh && copies[callee]++ > 0) {
      auto function = module.lookupSymbol<func::FuncOp>(callee);
      OpBuilder builder(function->getContext());
      builder.setInsertionPointAfter(function);
      auto copy = cast<func::FuncOp>(builder.clone(*function));
      entry->second = (callee + "." + word + std::to_string(copies[callee] - 1)).str();
      copy.setName(entry->second);
    }
    call.setCallee(entry->second);
  });
}

} // namespace windlass
