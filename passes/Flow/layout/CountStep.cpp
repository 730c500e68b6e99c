// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Flow/layout/CountStep.h"

#include "passes/Flow/PlanMemory.h"
#include "passes/Flow/homes/Homes.h"
#include "passes/Flow/layout/AllocateBuffers.h"
#include "passes/Flow/layout/InstructionCost.h"
#include "passes/Flow/layout/Workspace.h"
#include "passes/Flow/waits/Schedules.h"
#include "runtime/plan/PlacementClass.h"
#include <algorithm>

using namespace mlir;

namespace windlass::flow {
namespace {

using plan::PlacementClass;

size_t at(PlacementClass cls) { return static_cast<size_t>(cls); }

/// What waits without a state's role is an activation checkpoint.
PlacementClass classOf(HomeOp home) {
  return home.getRole() ? plan::placedAs(*home.getRole()) : PlacementClass::Checkpoint;
}

/// The bytes of homes without a tier. Those of an owner count for every rank with its share.
void countHomes(ModuleOp module, planning::StepCounts &counts) {
  const int64_t owners = dataRanksOf(module);
  for (auto home : module.getOps<HomeOp>()) {
    const bool isOwned = static_cast<int64_t>(home.getOwner()) >= 0;
    if (!home.getTier())
      counts.resting[at(classOf(home))] += heldBytes(home) / (isOwned ? owners : 1);
  }
}

bool asksForAllStates(const planning::ClassTiers &tiers, const planning::StepCounts &counts) {
  for (size_t cls = 0; cls < tiers.size(); ++cls)
    if (cls != at(PlacementClass::Checkpoint) && !tiers[cls] && counts.resting[cls] > 0)
      return false;
  return true;
}

double latencyOf(Lane lane, const model::Machine &machine) {
  if (lane == Lane::NcIn || lane == Lane::NcOut)
    return machine.nvmeLatency;
  return lane == Lane::CgIn || lane == Lane::CgOut ? machine.cgLatency : 0;
}

bool isBetweenRanks(Lane lane) { return lane == Lane::Gg || lane == Lane::Nodes; }

/// Of a module whose transfers are instructions. `all`: of lanes between ranks alone otherwise.
void countLanes(ModuleOp module, const model::Machine &machine, bool all, planning::StepCounts &counts) {
  InstructionCost cost(module, machine);
  const double owners = static_cast<double>(dataRanksOf(module));
  for (auto section : module.getOps<SectionOp>()) {
    const double runs = static_cast<double>(runsOf(section));
    for (auto op : section.getBody().front().getOps<InstructionOpInterface>()) {
      if (!all && !isBetweenRanks(op.deriveLane().value_or(Lane::Compute)))
        continue;
      const model::TimedTask task = cost.task(op);
      const double seconds = std::max(0.0, task.seconds - latencyOf(task.lane, machine));
      counts.busy[static_cast<size_t>(task.lane)] +=
          runs * seconds / (task.owner == model::kAllRanks ? 1 : owners);
    }
  }
}

} // namespace

planning::ClassTiers classTiersOf(const TierPins &pins) {
  planning::ClassTiers tiers;
  for (size_t cls = 0; cls < tiers.size(); ++cls)
    if (auto pinned = pins.find(static_cast<plan::PlacementClass>(cls));
        pinned != pins.end() && pinned->second.of.empty())
      tiers[cls] = pinned->second.others;
  return tiers;
}

OwningOpRef<ModuleOp> placedCopy(ModuleOp lowered, const planning::ClassTiers &tiers, int64_t chunkElements) {
  OwningOpRef<ModuleOp> copy = lowered.clone();
  for (auto home : copy->getOps<HomeOp>()) // checkpoints inside a run have no place yet
    if (!home.getTier())
      home.setTier(tiers[at(classOf(home))].value_or(Tier::Device));
  materializeTransfers(*copy, chunkElements);
  elideCollectives(*copy);
  return copy;
}

planning::StepCounts countStep(ModuleOp lowered, ModuleOp placed, const model::Machine &machine,
                               const planning::ClassTiers &tiers) {
  planning::StepCounts counts;
  countHomes(lowered, counts);
  for (auto home : lowered.getOps<HomeOp>()) // with a tier from the start: library scratch
    counts.working += home.getTier() == Tier::Device ? heldBytes(home) : 0;
  InstructionCost cost(lowered, machine);
  counts.compute = computeSeconds(lowered, cost);
  countLanes(placed, machine, asksForAllStates(tiers, counts), counts);
  const int64_t checkpoints = checkpointBytes(placed);
  counts.resting[at(PlacementClass::Checkpoint)] += checkpoints;
  const BufferAllocator buffers(placed, 0); // of any device
  counts.working += buffers.mostLiveBytes(Tier::Device, Lifetimes::ByOrder) - checkpoints;
  return counts;
}

} // namespace windlass::flow
