// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Flow/PlayLayout.h"

#include "passes/Flow/ArenaHistory.h"
#include "passes/Flow/LaneOrder.h"
#include <algorithm>
#include <limits>

using namespace mlir;

namespace windlass::flow {
namespace {

/// A section's instructions, and what each must wait for beside its lane.
struct Parts {
  LaneOrder order;
  std::vector<double> seconds; ///< of each, alone
  std::vector<SmallVector<uint32_t, 4>> after;

  Parts(SectionOp section, const HomeTable &homes, InstructionCost &cost)
      : order(section), after(order.instructions.size()) {
    ArenaHistory history(homes);
    for (auto [i, op] : llvm::enumerate(order.instructions)) {
      seconds.push_back(cost.seconds(op));
      history.access(op, i, {}, [&, i = i](uint32_t earlier) {
        if (earlier != i) // what it writes in place
          after[i].push_back(earlier);
      });
    }
  }
};

/// What the work of each lane takes of cores that lanes share; none: every lane has its own.
using Weights = std::array<double, kLaneCount>;

/// Lanes that compute or copy on the same cores slow each other down, as on compiler/model/Simulator.h's
/// clock.
class Player {
public:
  Player(const Parts &parts, const Weights &weights, double duplex)
      : parts(parts), duplex(duplex), done(parts.seconds.size()) {
    for (size_t lane = 0; lane < kLaneCount; ++lane) {
      lanes[lane].queue = parts.order.byLane[lane];
      lanes[lane].weight = weights[lane];
    }
  }

  double run() {
    do
      start();
    while (advance());
    return now;
  }

private:
  struct Work {
    ArrayRef<uint32_t> queue;
    size_t next = 0;
    bool isActive = false;
    double weight = 0, left = 0;
  };

  void start() {
    for (Work &lane : lanes) {
      if (lane.isActive || lane.next == lane.queue.size())
        continue;
      const uint32_t task = lane.queue[lane.next];
      lane.isActive = llvm::all_of(parts.after[task], [&](uint32_t earlier) { return done[earlier]; });
      lane.left = parts.seconds[task];
    }
  }

  /// To the next end; false if nothing is under way.
  bool advance() {
    double asked = 0, next = std::numeric_limits<double>::infinity();
    for (const Work &lane : lanes)
      asked += lane.isActive ? lane.weight : 0;
    const double shared = std::max(1.0, asked);
    const Work *diskLanes[] = {&lanes[static_cast<size_t>(Lane::NcIn)],
                               &lanes[static_cast<size_t>(Lane::NcOut)]};
    const bool bothWays = diskLanes[0]->isActive && diskLanes[1]->isActive;
    auto slowdown = [&](const Work &lane) {
      if (&lane == diskLanes[0] || &lane == diskLanes[1])
        return bothWays ? 2 / duplex : 1;
      return lane.weight > 0 ? shared : 1;
    };
    for (const Work &lane : lanes)
      if (lane.isActive)
        next = std::min(next, lane.left * slowdown(lane));
    if (next == std::numeric_limits<double>::infinity())
      return false;
    now += next;
    for (Work &lane : lanes) {
      if (!lane.isActive)
        continue;
      lane.left -= next / slowdown(lane);
      if (lane.left > kRounding * now)
        continue;
      lane.isActive = false;
      done[lane.queue[lane.next++]] = true;
    }
    return true;
  }

  /// Of the time passed, what a difference of sums may leave over.
  static constexpr double kRounding = 1e-12;

  const Parts &parts;
  double duplex; ///< of the disk, see model::Machine
  std::vector<char> done;
  std::array<Work, kLaneCount> lanes;
  double now = 0;
};

} // namespace

int64_t runsOf(SectionOp section, int64_t microBatches) {
  StringRef name = section.getSymName();
  if (name == "evaluate" || name == "sample")
    return 0;
  return name == "middle" ? microBatches - 2 : 1;
}

double computeSeconds(ModuleOp module, InstructionCost &cost, int64_t microBatches) {
  double seconds = 0;
  for (auto section : module.getOps<SectionOp>())
    for (auto launch : section.getBody().front().getOps<LaunchOp>())
      if (launch.deriveLane() == Lane::Compute)
        seconds += static_cast<double>(runsOf(section, microBatches)) * cost.seconds(launch);
  return seconds;
}

double coreSeconds(ModuleOp module, InstructionCost &cost, int64_t microBatches) {
  double seconds = 0;
  for (auto section : module.getOps<SectionOp>())
    for (Operation &op : section.getBody().front())
      if (auto instruction = dyn_cast<InstructionOpInterface>(op))
        if (std::optional<Lane> lane = instruction.deriveLane())
          seconds += static_cast<double>(runsOf(section, microBatches)) * cost.seconds(instruction) *
                     cost.coreWeight(*lane);
  return seconds;
}

bool PlayedStep::isBetter(const PlayedStep &other) const {
  auto differ = [](double a, double b) { return std::abs(a - b) > kNearly * b; };
  if (differ(seconds, other.seconds))
    return seconds < other.seconds;
  return differ(disk, other.disk) ? disk < other.disk : alone < other.alone;
}

PlayedStep playLayout(ModuleOp module, InstructionCost &cost, int64_t microBatches) {
  HomeTable homes(module);
  Weights shares{};
  for (size_t lane = 0; lane < kLaneCount; ++lane)
    shares[lane] = cost.coreWeight(static_cast<Lane>(lane));
  PlayedStep step;
  for (auto section : module.getOps<SectionOp>()) {
    const double runs = static_cast<double>(runsOf(section, microBatches));
    if (runs == 0)
      continue;
    Parts parts(section, homes, cost);
    const double alone = Player(parts, {}, cost.nvmeDuplex()).run();
    step.alone += runs * alone;
    step.seconds += runs * (shares == Weights() ? alone : Player(parts, shares, cost.nvmeDuplex()).run());
    for (auto [lane, seconds] : llvm::zip_equal(parts.order.lanes, parts.seconds))
      step.disk += isNvmeLane(lane) ? runs * seconds : 0;
  }
  return step;
}

} // namespace windlass::flow
