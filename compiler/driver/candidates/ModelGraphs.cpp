// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/driver/candidates/ModelGraphs.h"

#include "dialects/Graph/IR/GraphAttributes.h"

using namespace mlir;

namespace windlass {

ModuleOp ModelGraphs::importedWith(Layers layers) {
  switch (layers) {
  case Layers::All:
    return imported;
  case Layers::Few:
    return few().module.get();
  case Layers::OneMore:
    return oneMore().module.get();
  }
  llvm_unreachable("closed enum");
}

Result<ModuleOp> ModelGraphs::lowered(const Candidate &candidate, Levels &levels, Layers layers) {
  OwningOpRef<ModuleOp> &graph =
      graphs[{layers, word(candidate.recompute), candidate.limits, candidate.wholeRows, candidate.keepsInputs,
              candidate.partsCheckpoints}];
  if (!graph) {
    OwningOpRef<ModuleOp> module = importedWith(layers).clone();
    WINDLASS_TRY(levels.lowerToGraph(*module, candidate));
    graph = std::move(module);
  }
  return *graph;
}

bool ModelGraphs::hasKept(const Candidate &candidate, Levels &levels) const {
  return levels.checkKept(imported, candidate).isOk();
}

Result<ActivationChoices> ModelGraphs::activationChoices(const Limits &limits, Levels &levels) {
  auto known = choices.find(limits);
  if (known == choices.end())
    known = choices.emplace(limits, ActivationChoices::of(imported, limits, levels)).first;
  return known->second;
}

int64_t ModelGraphs::layers() const {
  auto layers = imported->getAttrOfType<IntegerAttr>(graph::kLayers);
  return layers ? layers.getInt() : 0;
}

const graph::FewLayers &ModelGraphs::few() {
  if (!withFew[0])
    withFew[0] = graph::withFewLayers(imported);
  return *withFew[0];
}

const graph::FewLayers &ModelGraphs::oneMore() {
  if (!withFew[1])
    withFew[1] = graph::withFewLayers(imported, 1);
  return *withFew[1];
}

} // namespace windlass
