// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Dist/CloneByZero.h"

#include "passes/Graph/Attributes.h"

using namespace mlir;

namespace windlass::dist {

void cloneByZero(ModuleOp module, const ShardLayout &layout) {
  std::map<std::string, std::string> numbers; // ZeRO of a layer's buckets, in their order
  for (const BucketPlan &bucket : layout.buckets)
    numbers[bucket.layer] += std::to_string(bucket.zero);
  SymbolTable symbols(module);
  std::map<std::string, std::string> first;                         // numbers of the first call's instance
  std::map<std::pair<std::string, std::string>, StringAttr> copies; // by function and numbers
  module.walk([&](func::CallOp call) {
    auto layer = call->getAttrOfType<StringAttr>(graph::kLayer);
    const std::string function = call.getCallee().str(), mine = numbers[layer ? layer.str() : ""];
    if (first.try_emplace(function, mine).first->second == mine)
      return;
    StringAttr &copy = copies[{function, mine}];
    if (!copy) {
      auto clone = symbols.lookup<func::FuncOp>(function).clone();
      clone.setName("zero_" + mine + "." + function);
      copy = symbols.insert(clone);
    }
    call.setCallee(copy.getValue());
  });
}

} // namespace windlass::dist
