// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- MemoryPlanner.h - homes, order and offsets of one module ============//
//
// Duty: rounds of place, materialise, schedule, allocate on copies of a module, under a shrinking cap, until
// one fits; with more or less room for what is fetched ahead and for packing; and of the plans that fit the
// one that plays fastest. What cannot become the fastest is left as soon as that is known.
// Units: bytes of one rank by plan::Tier, seconds of a step. Errors: PlanMemory.h. Threads, ownership: as
// MLIR's; refers to module, machine and request.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "passes/Flow/PlanMemory.h"
#include "passes/Flow/layout/AllocateBuffers.h"
#include "passes/Flow/layout/PlayLayout.h"
#include "passes/Flow/layout/Workspace.h"

namespace windlass::flow {

class MemoryPlanner {
public:
  MemoryPlanner(mlir::ModuleOp module, const model::Machine &machine, const PlanMemoryRequest &request);

  /// Replaces the module's body by the planned one.
  Result<MemoryPlan> run();

private:
  /// What is kept free: fetches under way, and one part in `slackShare` of every tier; or nothing at all, so
  /// that whoever pins homes is only held to what turns out to fit.
  struct Room {
    planning::Credits ahead{0, 0, 0};
    int64_t slackShare = 0;
    bool nothing = false, onDevice = false; ///< the latter: homes are not asked for, but all there
  };
  /// A plan. It fits, unless it was left for being slow: then it has no offsets, and `step` is `inOrder`.
  struct Attempt {
    mlir::OwningOpRef<mlir::ModuleOp> module;
    Placement placement;
    TierBytes reserved{}, slack{}; ///< what it was made under
    PrefetchCredits prefetch;
    planning::Credits reach{1, 1, 1}; ///< of these, under way where memory allows
    bool isReordered = false;         ///< some section of the step found an order in what slack left
    bool fitsInOrder = true;          ///< so far as live bytes say, every section of the step
    PlayedStep inOrder;               ///< before bytes have places, for which instructions then wait
    PlayedStep step;                  ///< as it is laid out
    double elsewhere = 0; ///< of the best with homes as solved for, if this has them on the device
    std::array<ArenaUse, 3> arenas;
    bool isSlow = false;

    /// More slack changes nothing: it left no room for another order than the program's, or waiting for
    /// bytes that another buffer had before costs hardly any time.
    bool needsNoSlack() const;
  };

  /// What came of some rooms.
  struct Outcome {
    std::optional<Attempt> best, slow;
    Status shortfall = Status::ok();       ///< of the first that does not fit
    std::optional<plan::Shortage> missing; ///< to it
    bool settled = false;                  ///< more room for packing is of no use
  };

  Result<MemoryPlan> search(Outcome &outcome);
  Status tryOnDevice(Outcome &outcome);
  Status tryRooms(const std::vector<Room> &rooms, Outcome &outcome);
  std::vector<Room> rooms() const;
  Result<Attempt> attempt(const Room &room, double limit);
  Status shortfall(const Status &refusal);
  Result<Attempt> layOut(Placement placement, double limit);
  Status schedule(Attempt &attempt, InstructionCost &cost);
  Status allocate(Attempt &attempt);
  Result<ArenaUse> allocateToFit(BufferAllocator &allocator, plan::Tier tier);
  Result<ArenaUse> allocateFreely(BufferAllocator &allocator, plan::Tier tier);
  Status shrink(mlir::ModuleOp copy, const std::array<ArenaUse, 3> &arenas);
  plan::Shortage shortageOf(mlir::ModuleOp copy, plan::Tier tier, const ArenaUse &arena) const;
  Status lacks(plan::Shortage shortage);
  bool fits(const std::array<ArenaUse, 3> &arenas) const;
  void fillUp(Attempt &best);
  std::vector<plan::Reason> reasonsOf(const Attempt &attempt);
  void keep(Attempt &attempt);

  mlir::ModuleOp module;
  const model::Machine &machine;
  const PlanMemoryRequest &request;
  StatePlacer placer;
  TierBytes workspace{};                 ///< what a section needs beside homes
  TierBytes reserved{};                  ///< not for homes
  TierBytes slack{};                     ///< kept from the scheduler, for packing
  TierBytes taken{};                     ///< by the last round that did not fit
  std::optional<plan::Shortage> missing; ///< to the last layout or placement that did not fit, if asked for
};

} // namespace windlass::flow
