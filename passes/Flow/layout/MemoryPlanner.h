// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- MemoryPlanner.h - homes, order and offsets of one module ============//
//
// Duty: plans the memory of one module, in attempts. An attempt starts with a reserve, which is the memory
// that homes must leave free, and goes round by round on copies of the module: place homes, materialise
// transfers, schedule sections, allocate offsets. If an arena does not fit, the next round reserves more,
// until a round fits. Attempts differ in their reserve; of the layouts that fit, the one that is simulated as
// fastest is taken, and homes are backfilled into the memory that it leaves free on the host. An attempt that
// cannot become the fastest is left as soon as that is known: the busiest resource of a placement bounds
// every layout of it, and that of the best placement all attempts. None follows one as fast as this bound.
// No layout is made twice: attempts that come to the same homes, with memory of which the schedule needs no
// more, share it.
// Units: bytes of one rank by plan::Tier, seconds of a step. Errors: PlanMemory.h. Threads, ownership: as
// MLIR's; refers to module, machine and request.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "passes/Flow/PlanMemory.h"
#include "passes/Flow/layout/AllocateBuffers.h"
#include "passes/Flow/layout/SimulateLayout.h"
#include "passes/Flow/layout/Workspace.h"

namespace windlass::flow {

class MemoryPlanner {
public:
  MemoryPlanner(mlir::ModuleOp module, const model::Machine &machine, const PlanMemoryRequest &request);

  /// Replaces the module's body by the planned one.
  Result<MemoryPlan> run();

private:
  /// The memory that homes leave free at first.
  struct Reserve {
    planning::Credits prefetch{0, 0, 0}; ///< groups that are fetched ahead, beside the group in use
    int64_t slackShare = 0;              ///< n: an nth of each tier is kept from the scheduler; 0: nothing is
    bool workspace = true;               ///< the bytes that a section needs beside homes
  };
  /// How an attempt places homes: by the placement solver, or all on the device but those pinned elsewhere.
  enum class HomePolicy { Solved, OnDevice };
  /// What came of a layout. A slow one has no offsets, and its `step` is its `inOrder`.
  struct Layout {
    Placement placement;
    TierBytes reserved{}, slack{}; ///< bytes kept from homes, and from the scheduler, when it was laid out
    TierBytes mostSlack{};         ///< with any slack between, it would be the same
    PrefetchCredits prefetch;
    planning::Credits reach{1, 1, 1}; ///< groups under way at once, at most, in the memory there is
    bool isReordered = false;         ///< some section of the step has another order than the program's
    bool fitsInOrder = true;          ///< the live bytes of every section of the step fit
    SimulatedStep inOrder;            ///< before buffers have offsets, so that none waits for another's bytes
    SimulatedStep step;               ///< as it is laid out; of a layout that does not fit as `inOrder`
    std::array<ArenaUse, 3> arenas;
    std::optional<plan::Shortage> shortage; ///< where it does not fit, if asked for
    bool isSlow = false;
    bool isBound = false; ///< it was left before it had an order: `step` is what its homes take at least

    /// More slack changes nothing: either no section found another order than the program's in the memory
    /// that slack left, or waits for bytes that another buffer had before cost hardly any time.
    bool needsNoSlack() const;
    bool isSameWith(const TierPins &homes, const TierBytes &other) const;
  };
  /// A layout that fits, or was left as slow.
  struct Attempt : Layout {
    mlir::OwningOpRef<mlir::ModuleOp> module;
    double solvedSeconds = 0; ///< of the best with solved homes, if this one has all on the device; else 0
    bool isKnown = false;     ///< an earlier attempt came to the same layout; no module then
  };

  /// The best of some attempts.
  struct Outcome {
    std::optional<Attempt> best, slow;
    Status shortfall = Status::ok();        ///< of the first attempt that does not fit
    std::optional<plan::Shortage> shortage; ///< of the same
    bool needsNoSlack = false;              ///< some attempt does not
  };

  Result<MemoryPlan> search(Outcome &outcome);
  MemoryPlan leftAsSlow(const Attempt &attempt);
  bool isAsFastAsAny(const SimulatedStep &step) const;
  Status tryOnDevice(Outcome &outcome);
  Status tryReserves(const std::vector<Reserve> &reserves, HomePolicy policy, Outcome &outcome);
  std::vector<Reserve> reserves() const;
  Result<Attempt> attempt(const Reserve &reserve, HomePolicy policy, double limit);
  Status shortfallOf(const Status &refusal);
  const Layout *findKnown(const TierPins &homes) const;
  Result<Attempt> layOut(Placement placement, double limit);
  Status schedule(Attempt &attempt, InstructionCost &cost);
  Status allocate(Attempt &attempt);
  Result<ArenaUse> allocateToFit(BufferAllocator &allocator, plan::Tier tier);
  Result<ArenaUse> allocateFreely(BufferAllocator &allocator, plan::Tier tier);
  Status shrink(const Layout &layout);
  std::optional<plan::Shortage> shortageOf(const Attempt &attempt) const;
  Status refuse(plan::Shortage lacking);
  bool fits(const std::array<ArenaUse, 3> &arenas) const;
  void backfillHost(Attempt &best);
  std::vector<plan::Reason> reasonsOf(const Attempt &attempt);
  void commit(Attempt &attempt);

  mlir::ModuleOp module;
  const model::Machine &machine;
  const PlanMemoryRequest &request;
  StatePlacer placer;
  double leastSeconds = 0;                ///< of a step, whatever its homes and order are
  TierBytes workspace{};                  ///< bytes that a section needs beside homes
  TierBytes reserved{};                   ///< bytes kept from homes
  TierBytes slack{};                      ///< bytes kept from the scheduler, so that buffers pack
  TierBytes shrunk{};                     ///< bytes by which the last round grew `reserved` or `slack`
  std::vector<Layout> known;              ///< of all attempts
  std::optional<plan::Shortage> shortage; ///< of the last layout or placement that did not fit, if asked for
};

} // namespace windlass::flow
