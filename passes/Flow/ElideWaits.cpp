// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Drops waits that an instruction's lane and its other waits imply.

#include "passes/Flow/Passes.h"
#include "passes/Flow/waits/LaneOrder.h"

using namespace mlir;

namespace windlass::flow {

#define GEN_PASS_DEF_ELIDEWAITS
#include "passes/Flow/Passes.h.inc"

namespace {

/// How many instructions of each lane are known to be complete: in this section, and in
/// each section that may have run before it.
struct Clock {
  std::array<int64_t, plan::kLanes> here{};
  std::map<std::string, std::array<int64_t, plan::kLanes>> before;

  void join(const Clock &other) {
    for (size_t lane = 0; lane < plan::kLanes; ++lane)
      here[lane] = std::max(here[lane], other.here[lane]);
    for (auto &[section, ordinals] : other.before)
      for (size_t lane = 0; lane < plan::kLanes; ++lane) {
        int64_t &mine = before[section][lane];
        mine = std::max(mine, ordinals[lane]);
      }
  }
  void join(WaitAttr wait) {
    size_t lane = static_cast<size_t>(wait.getLane());
    here[lane] = std::max(here[lane], wait.getOrdinal());
    if (wait.getPrevious())
      for (NamedAttribute entry : wait.getPrevious()) {
        int64_t &mine = before[entry.getName().str()][lane];
        mine = std::max(mine, cast<IntegerAttr>(entry.getValue()).getInt());
      }
  }
  bool covers(WaitAttr wait) const {
    size_t lane = static_cast<size_t>(wait.getLane());
    if (!wait.getPrevious())
      return here[lane] >= wait.getOrdinal();
    return llvm::all_of(wait.getPrevious(), [&](NamedAttribute entry) {
      auto known = before.find(entry.getName().str());
      int64_t ordinal = known == before.end() ? 0 : known->second[lane];
      return ordinal >= cast<IntegerAttr>(entry.getValue()).getInt();
    });
  }
};

class SectionElider {
public:
  explicit SectionElider(SectionOp section)
      : order(section), started(order.instructions.size()), done(order.instructions.size()) {}

  void run() {
    for (uint32_t i = 0; i < order.instructions.size(); ++i) {
      Clock clock = fromLane(i);
      SmallVector<Attribute> kept;
      for (WaitAttr wait : latestFirst(i)) {
        if (clock.covers(wait))
          continue;
        kept.push_back(wait);
        clock.join(wait);
        if (!wait.getPrevious())
          clock.join(done[order.byLane[static_cast<size_t>(wait.getLane())][wait.getOrdinal() - 1]]);
      }
      order.instructions[i]->setAttr("waits", ArrayAttr::get(order.instructions[i]->getContext(), kept));
      started[i] = clock;
      done[i] = clock;
      done[i].here[static_cast<size_t>(order.lanes[i])] = order.ordinals[i];
      // A wait for an instruction of an NVMe lane is for all before it, too.
      if (order.ordinals[i] > 1)
        done[i].join(done[laneBefore(i, 1)]);
    }
  }

private:
  uint32_t laneBefore(uint32_t i, int64_t distance) const {
    return order.byLane[static_cast<size_t>(order.lanes[i])][order.ordinals[i] - 1 - distance];
  }

  /// What the lane's own order implies. An NVMe lane starts its next before the last is complete.
  Clock fromLane(uint32_t i) const {
    if (order.ordinals[i] == 1)
      return {};
    return isNvmeLane(order.lanes[i]) ? started[laneBefore(i, 1)] : done[laneBefore(i, 1)];
  }

  /// Waits in this section by position, the latest first, as it implies most; then those in the section
  /// before.
  SmallVector<WaitAttr> latestFirst(uint32_t i) {
    SmallVector<WaitAttr> waits = llvm::to_vector(order.instructions[i].waits().getAsRange<WaitAttr>());
    llvm::stable_sort(waits, [&](WaitAttr a, WaitAttr b) { return position(a) > position(b); });
    return waits;
  }
  int64_t position(WaitAttr wait) const {
    return wait.getPrevious() ? -1 : order.byLane[static_cast<size_t>(wait.getLane())][wait.getOrdinal() - 1];
  }

  LaneOrder order;
  std::vector<Clock> started, done;
};

struct ElideWaitsPass : impl::ElideWaitsBase<ElideWaitsPass> {
  void runOnOperation() override {
    for (auto section : getOperation().getOps<SectionOp>())
      SectionElider(section).run();
  }
};

} // namespace
} // namespace windlass::flow
