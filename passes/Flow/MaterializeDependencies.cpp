// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Derives what every instruction waits for from the bytes it touches.

#include "passes/Flow/Passes.h"
#include "passes/Flow/waits/SectionWaits.h"

using namespace mlir;

namespace windlass::flow {

#define GEN_PASS_DEF_MATERIALIZEDEPENDENCIES
#include "passes/Flow/Passes.h.inc"

namespace {

/// At most one wait per lane: an instruction of the section stands behind all of the section before on its
/// lane, so a wait for it is one for these, too.
SmallVector<Attribute> waitsOf(const InstructionWaits &waits, ArrayRef<SectionOp> predecessors, Lane own,
                               MLIRContext *context) {
  SmallVector<Attribute> attributes;
  for (size_t lane = 0; lane < plan::kLanes; ++lane) {
    if (static_cast<Lane>(lane) == own)
      continue;
    if (waits.here[lane]) {
      attributes.push_back(WaitAttr::get(context, static_cast<Lane>(lane), waits.here[lane], {}));
      continue;
    }
    SmallVector<NamedAttribute> previous;
    bool any = false;
    for (auto [predecessor, ordinals] : llvm::zip(predecessors, waits.before)) {
      any |= ordinals[lane] > 0;
      previous.emplace_back(StringAttr::get(context, SectionOp(predecessor).getSymName()),
                            IntegerAttr::get(IntegerType::get(context, 64), ordinals[lane]));
    }
    if (any)
      attributes.push_back(
          WaitAttr::get(context, static_cast<Lane>(lane), 0, DictionaryAttr::get(context, previous)));
  }
  return attributes;
}

struct MaterializeDependenciesPass : impl::MaterializeDependenciesBase<MaterializeDependenciesPass> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    HomeTable homes(module);
    for (auto section : module.getOps<SectionOp>()) {
      const SectionWaits derived(section, homes, meshSizesOf(module), Buffers::LaidOut);
      for (auto [i, op] : llvm::enumerate(derived.order.instructions))
        InstructionOpInterface(op)->setAttr(
            "waits", ArrayAttr::get(&getContext(), waitsOf(derived.waits[i], derived.predecessors,
                                                           derived.order.lanes[i], &getContext())));
    }
  }
};

} // namespace
} // namespace windlass::flow
