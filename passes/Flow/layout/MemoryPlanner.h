// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- MemoryPlanner.h - homes, order and offsets of one module ============//
//
// Duty: plans the memory of one module, in attempts. An attempt starts with a reserve, which is the memory
// that homes must leave free, and goes round by round: place homes, lay a copy of the module out with them
// (Layouts.h). If an arena does not fit, the next round reserves more, until a round fits, or homes do not:
// then less. Attempts differ in their reserve; of the layouts that fit, the one that is simulated as fastest
// is taken, and homes are backfilled into the memory that it leaves free on the host. An attempt that cannot
// become the fastest is left as soon as that is known: the busiest resource of a placement bounds every
// layout of it, and that of the best placement all attempts. None follows one as fast as this bound. No
// layout is made twice: attempts that come to the same homes, with memory of which the schedule needs no
// more, share it. Homes, credits and slack are all that a layout depends on: a request that gives them gets
// it again. Units: bytes of one rank by plan::Tier, seconds of a step. Errors: PlanMemory.h. Threads,
// ownership: as MLIR's; refers to module, machine and request.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "passes/Flow/layout/Layouts.h"
#include "passes/Flow/layout/Workspace.h"

namespace windlass::flow {

class MemoryPlanner {
public:
  MemoryPlanner(mlir::ModuleOp module, const model::Machine &machine, const PlanMemoryRequest &request);

  /// `planned` takes the copy of the module that is laid out; none where the plan is slow.
  Result<MemoryPlan> run(mlir::OwningOpRef<mlir::ModuleOp> &planned);

private:
  /// The memory that homes leave free at first.
  struct Reserve {
    planning::Credits prefetch{0, 0, 0}; ///< groups that are fetched ahead, beside the group in use
    int64_t slackShare = 0;              ///< n: an nth of each tier is kept from the scheduler; 0: nothing is
    bool workspace = true;               ///< the bytes that a section needs beside homes
  };
  /// How an attempt places homes: by the placement solver, with updates behind the passes or beside them; or
  /// all on the device but those pinned elsewhere.
  enum class HomePolicy { Solved, SolvedBeside, OnDevice };
  /// A layout that fits, or was left as slow.
  struct Attempt : LaidOut {
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

  Result<MemoryPlan> search(Outcome &outcome, mlir::OwningOpRef<mlir::ModuleOp> &planned);
  MemoryPlan leftAsSlow(const Attempt &attempt);
  bool isAsFastAsAny(const SimulatedStep &step) const;
  bool isSettled(const SimulatedStep &step) const;
  bool isWorthBackfilling(const Attempt &attempt) const;
  Status tryBeside(Outcome &outcome);
  Status tryOnDevice(Outcome &outcome);
  Result<Placement> placeBy(HomePolicy policy);
  Status tryReserves(const std::vector<Reserve> &reserves, HomePolicy policy, Outcome &outcome);
  std::vector<Reserve> reserves() const;
  Result<Attempt> attempt(const Reserve &reserve, HomePolicy policy, double limit);
  Result<Attempt> attemptRounds(const Reserve &reserve, HomePolicy policy, double limit);
  Status shortfallOf(const Status &refusal);
  const Layout *findKnown(const TierPins &homes) const;
  Result<Attempt> layOut(Placement placement, double limit);
  Status shrink(const Layout &layout, bool isAgain = false);
  bool bisect(const TierBytes &tooLittle, const TierBytes &tooMuch);
  Status refuse(plan::Shortage lacking);
  void backfillHost(Attempt &best);
  std::vector<plan::Reason> reasonsOf(const Attempt &attempt);
  std::optional<plan::Reason> reasonOfSlack(const Attempt &attempt, plan::Tier tier) const;
  plan::Trial trialOfSlack(const Layout &layout, plan::Tier tier, double taken) const;

  mlir::ModuleOp module;
  const model::Machine &machine;
  const PlanMemoryRequest &request;
  StatePlacer placer;
  Layouts layouts;
  double leastSeconds = 0;                ///< of a step, whatever its homes and order are
  TierBytes workspace{};                  ///< bytes that a section needs beside homes
  TierBytes reserved{};                   ///< bytes kept from homes
  TierBytes slack{};                      ///< bytes kept from the scheduler, so that buffers pack
  TierBytes shrunk{};                     ///< bytes by which the last round grew `reserved` or `slack`
  int shrinks = 0;                        ///< rounds of this attempt whose layout did not fit
  bool isPackable = false;                ///< live bytes fit in one of them
  std::vector<Layout> known;              ///< of all attempts
  std::optional<plan::Shortage> shortage; ///< of the last layout or placement that did not fit, if asked for
};

} // namespace windlass::flow
