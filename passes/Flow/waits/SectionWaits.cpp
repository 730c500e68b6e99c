// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Flow/waits/SectionWaits.h"

#include "passes/Flow/waits/Schedules.h"

using namespace mlir;

namespace windlass::flow {

static void raise(LaneOrdinals &ordinals, const LaneOrder &order, uint32_t earlier) {
  int64_t &ordinal = ordinals[static_cast<size_t>(order.lanes[earlier])];
  ordinal = std::max(ordinal, order.ordinals[earlier]);
}

SectionWaits::SectionWaits(SectionOp section, const HomeTable &homes, ArrayRef<int64_t> mesh, Buffers buffers)
    : order(section), predecessors(predecessorsOf(section)), waits(order.instructions.size()) {
  auto addHere = [&](size_t instruction, uint32_t earlier) {
    if (earlier != instruction) // what it writes in place
      raise(waits[instruction].here, order, earlier);
  };
  if (predecessors.empty()) {
    ArenaHistory history(homes, buffers);
    for (auto [i, op] : llvm::enumerate(order.instructions))
      history.access(op, i, 0, mesh, [&, i = i](uint32_t earlier) { addHere(i, earlier); });
  }
  for (SectionOp predecessor : predecessors) {
    const LaneOrder before(predecessor);
    const uint32_t first = before.instructions.size();
    const int64_t advance = predecessor.getAdvance(); // a run before begins so many micro-batches earlier
    ArenaHistory history(homes, buffers);
    for (auto [i, op] : llvm::enumerate(before.instructions))
      history.access(op, i, -advance, mesh, [](uint32_t) {});
    for (auto [i, op] : llvm::enumerate(order.instructions)) {
      LaneOrdinals &ordinals = waits[i].before.emplace_back();
      history.access(op, first + i, 0, mesh, [&, i = i](uint32_t earlier) {
        if (earlier < first)
          raise(ordinals, before, earlier);
        else
          addHere(i, earlier - first);
      });
    }
  }
}

} // namespace windlass::flow
