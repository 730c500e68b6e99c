// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- MemoryPlanner.h - homes, order and offsets of one module ==============//
//
// Duty: decides the homes, the order and the offsets of one module, by trial.
//
// An attempt starts with a reserve: the bytes of each tier that homes must leave free. A round of an attempt
// places the homes beside the reserve, and lays out a copy of the module with these homes (Layouts.h). If an
// arena of the layout exceeds its tier, the next round enlarges the reserve, or the slack, which are the
// bytes that the scheduler leaves free. If the homes of the first round do not fit beside the reserve, the
// attempt fails. If those of a later round do not fit, further rounds bisect between this reserve and the
// largest one whose layout did not fit.
//
// Attempts differ in their reserves and in the way in which homes are placed (HomePolicy). Of the layouts
// that fit, the planner takes the one with the fastest simulated step. Then it backfills: it moves homes from
// the disk into the memory of the host that this layout leaves free.
//
// The planner leaves out work that cannot change the result:
// - The busiest resource of a placement is a lower bound of the step of every layout of the placement. An
//   attempt ends if this bound is clearly slower than the best layout.
// - The bound of the best placement is a lower bound of the step of all attempts. No attempt follows a step
//   that is nearly as fast as this bound and leaves the disk alone.
// - A layout depends only on its homes, credits and slack. A round with the same homes, whose slack is in the
//   range in which the layout does not change, takes the known layout. A request that gives homes, credits
//   and slack gets the same layout again.
//
// Units: bytes of one rank, by plan::Tier; seconds of a step. Errors: those of PlanMemory.h. Threads,
// ownership: as MLIR's; refers to the module, the machine and the request.
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
  /// The memory that homes leave free in the first round of an attempt.
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
