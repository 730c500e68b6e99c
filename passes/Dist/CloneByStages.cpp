// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Dist/CloneByStages.h"

#include "passes/Graph/Attributes.h"

using namespace mlir;

namespace windlass::dist {

void cloneByStages(ModuleOp module, const ShardLayout &layout) {
  std::map<std::string, std::string> stages; // of a layer's buckets, in their order
  for (const BucketPlan &bucket : layout.buckets)
    stages[bucket.layer] += std::to_string(bucket.stage);
  SymbolTable symbols(module);
  std::map<std::string, std::string> first;                         // stages of the first call
  std::map<std::pair<std::string, std::string>, StringAttr> copies; // by function and stages
  module.walk([&](func::CallOp call) {
    auto layer = call->getAttrOfType<StringAttr>(graph::kLayer);
    const std::string function = call.getCallee().str(), mine = stages[layer ? layer.str() : ""];
    if (first.try_emplace(function, mine).first->second == mine)
      return;
    StringAttr &copy = copies[{function, mine}];
    if (!copy) {
      auto clone = symbols.lookup<func::FuncOp>(function).clone();
      clone.setName("stages_" + mine + "." + function);
      copy = symbols.insert(clone);
    }
    call.setCallee(copy.getValue());
  });
}

} // namespace windlass::dist
