// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- PlanMemory.h - homes, order and offsets, decided together =============//
//
// Duty: places every state, orders every section and lays out every arena, so that the plan fits the machine
// and takes as few seconds as is found (layout/MemoryPlanner.h).
// Errors: CannotFit, whose message names the tier that is short, by how many bytes, and what fills it.
// Threads, ownership: as MLIR's.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "passes/Flow/layout/PlaceStates.h"
#include "passes/Flow/layout/PrefetchCredits.h"
#include "passes/Flow/layout/SimulateLayout.h"
#include "passes/Flow/layout/Workspace.h"
#include <limits>

namespace windlass::flow {

/// The arenas, on the module, for the levels below: {tier = [bytes, lower bound, capacity]}.
inline constexpr llvm::StringLiteral kArenas = "windlass.arenas";

/// One of them; zeros where a module has none of the tier.
struct Arena {
  int64_t bytes = 0, lowerBound = 0, capacity = 0;
  /// What is free, as buffers may pack at best.
  int64_t left() const { return std::max<int64_t>(0, capacity - lowerBound); }
};
Arena arenaOf(mlir::ModuleOp planned, plan::Tier tier);

/// By plan::Tier: bytes kept from the scheduler that are asked for; none: open.
using GivenSlack = std::array<std::optional<int64_t>, 3>;

struct PlanMemoryRequest {
  TierPins pins;
  GivenCredits credits;
  GivenSlack slack;
  bool overlap = true;
  int64_t chunkElements = 262144;
  bool wholeOnDevice = false;  ///< parameters without shards stay on the device, unless pinned elsewhere
  bool isStage = false;        ///< one of several, whose step alone does not show when others wait for it
  bool prefetchReserve = true; ///< homes leave memory to bytes that are fetched ahead
  bool firstThatFits = false;  ///< only whether a plan fits is asked: the first that does is returned
  /// Takes what is short where no plan fits, which takes time; null: nobody asks.
  std::optional<plan::Shortage> *shortage = nullptr;
  double limit = std::numeric_limits<double>::infinity(); ///< seconds: plans that are clearly slower are left
  std::optional<TierBytes> workspace = {};                ///< of the module with these chunks, if it is known
};

struct MemoryPlan {
  /// The step as it is laid out; of a slow plan, in its order, without offsets. Zero where only a fit was
  /// asked for.
  SimulatedStep step;
  double computeSeconds = 0;                   ///< of a step, that the device computes
  TierPins homes;                              ///< the tier of every item
  std::vector<planning::Credits> credits = {}; ///< of each stage
  std::vector<TierBytes> slack = {};           ///< of each stage: bytes kept from the scheduler
  bool isSlow = false;                         ///< clearly over the limit: nothing is laid out
  bool isBound = false; ///< the slow plan has no order either: its step takes at least so long
  std::vector<plan::Reason> reasons = {}; ///< of homes, credits and slack
  double waiting =
      1; ///< of stages: the step that they take together, over that of the one that takes longest alone
};

/// Plans on copies of `module`. `planned` takes the one that is laid out; none where the plan is slow.
Result<MemoryPlan> planMemory(mlir::ModuleOp module, const model::Machine &machine,
                              const PlanMemoryRequest &request, mlir::OwningOpRef<mlir::ModuleOp> &planned);

/// Transfers as instructions (the pass `materialize-transfers`).
void materializeTransfers(mlir::ModuleOp module, int64_t chunkElements);

/// Collectives of one rank as views (the pass `elide-collectives`).
void elideCollectives(mlir::ModuleOp module);

} // namespace windlass::flow
