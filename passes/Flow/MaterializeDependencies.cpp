// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Derives what every instruction waits for from the bytes it touches.

#include "passes/Flow/ArenaHistory.h"
#include "passes/Flow/Homes.h"
#include "passes/Flow/LaneOrder.h"
#include "passes/Flow/Passes.h"

using namespace mlir;

namespace windlass::flow {

#define GEN_PASS_DEF_MATERIALIZEDEPENDENCIES
#include "passes/Flow/Passes.h.inc"

namespace {

/// Waits of one instruction while they are collected: the last ordinal per lane, here and in each
/// predecessor.
struct Waits {
  std::array<int64_t, kLaneCount> here{};
  std::map<std::string, std::array<int64_t, kLaneCount>> before;

  SmallVector<WaitAttr> toAttributes(MLIRContext *context, Lane own) const {
    SmallVector<WaitAttr> waits;
    for (size_t lane = 0; lane < kLaneCount; ++lane) {
      if (static_cast<Lane>(lane) == own)
        continue;
      if (here[lane]) { // it stands behind all of the section before, on its lane
        waits.push_back(WaitAttr::get(context, static_cast<Lane>(lane), here[lane], {}));
        continue;
      }
      SmallVector<NamedAttribute> previous;
      bool any = false;
      for (auto &[section, ordinals] : before) {
        any |= ordinals[lane] > 0;
        previous.emplace_back(StringAttr::get(context, section),
                              IntegerAttr::get(IntegerType::get(context, 64), ordinals[lane]));
      }
      if (any)
        waits.push_back(
            WaitAttr::get(context, static_cast<Lane>(lane), 0, DictionaryAttr::get(context, previous)));
    }
    return waits;
  }
};

struct MaterializeDependenciesPass : impl::MaterializeDependenciesBase<MaterializeDependenciesPass> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    ArrayRef<int64_t> mesh = meshSizesOf(module);
    HomeTable homes(module);
    for (auto section : module.getOps<SectionOp>()) {
      LaneOrder order(section);
      std::vector<Waits> waits(order.instructions.size());
      ArenaHistory here(homes);
      for (auto [i, op] : llvm::enumerate(order.instructions))
        here.access(op, i, mesh, [&](uint32_t earlier) {
          if (earlier != i)
            raise(waits[i].here, order, earlier);
        });
      for (SectionOp previous : predecessorsOf(section)) {
        LaneOrder before(previous);
        ArenaHistory both(homes);
        for (auto [i, op] : llvm::enumerate(before.instructions))
          both.access(op, i, mesh, [](uint32_t) {});
        uint32_t first = before.instructions.size();
        for (auto [i, op] : llvm::enumerate(order.instructions)) {
          auto &ordinals = waits[i].before[previous.getSymName().str()];
          both.access(op, first + i, mesh, [&](uint32_t earlier) {
            if (earlier < first)
              raise(ordinals, before, earlier);
          });
        }
      }
      for (auto [i, op] : llvm::enumerate(order.instructions)) {
        SmallVector<Attribute> attributes;
        llvm::append_range(attributes, waits[i].toAttributes(&getContext(), order.lanes[i]));
        op->setAttr("waits", ArrayAttr::get(&getContext(), attributes));
      }
    }
  }

  static void raise(std::array<int64_t, kLaneCount> &ordinals, const LaneOrder &order, uint32_t earlier) {
    int64_t &ordinal = ordinals[static_cast<size_t>(order.lanes[earlier])];
    ordinal = std::max(ordinal, order.ordinals[earlier]);
  }
};

} // namespace
} // namespace windlass::flow
