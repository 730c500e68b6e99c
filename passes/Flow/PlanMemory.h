// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- PlanMemory.h - homes, order and offsets, decided together ===========//
//
// Duty: places every state, orders every section and lays out every arena so that
// the plan fits the machine: rounds of place, materialise, schedule, allocate on copies
// of the module, under a shrinking cap, until one fits; that one is kept.
// Errors: a Status (CannotFit) that says which tier is short, by how much, and what fills it.
// Threads, ownership: as MLIR's.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "passes/Flow/layout/PlaceStates.h"
#include "passes/Flow/layout/PlayLayout.h"
#include "passes/Flow/layout/PrefetchCredits.h"
#include "passes/Flow/layout/Workspace.h"
#include <limits>

namespace windlass::flow {

/// On the module, for the levels below: {tier = [bytes, lower bound, capacity]}.
inline constexpr llvm::StringLiteral kArenas = "windlass.arenas";

struct PlanMemoryRequest {
  TierPins pins;
  GivenCredits credits;
  bool overlap = true;
  int64_t chunkElements = 262144;
  bool wholeOnDevice = false; ///< parameters without shards stay on the device, unless pinned elsewhere
  bool prefetchRoom = true;   ///< keep room for what is fetched ahead, rather than for homes
  bool firstThatFits = false; ///< do not look for a faster plan: only whether one fits is asked
  std::optional<plan::Shortage> *shortage = nullptr; ///< takes what is short where nothing fits: takes time
  double limit = std::numeric_limits<double>::infinity(); ///< seconds: clearly slower plans are of no use
  std::optional<Workspace> workspace = {}; ///< of the module with these chunks, where that is known
};

struct MemoryPlan {
  /// As it is laid out; or, of one left as slow, in its order alone. Zero where only a fit was asked for.
  PlayedStep step;
  double computeSeconds = 0;         ///< of these the device computes
  TierPins homes;                    ///< where every item rests
  planning::Credits credits;         ///< fetches under way ahead of their users
  bool isSlow = false;               ///< clearly over the limit: nothing is laid out
  std::vector<plan::Reason> reasons; ///< of homes and credits
};

/// Replaces the body of `module` by the planned one, unless that is slow.
Result<MemoryPlan> planMemory(mlir::ModuleOp module, const model::Machine &machine,
                              const PlanMemoryRequest &request);

/// Transfers as instructions (the pass `materialize-transfers`).
void materializeTransfers(mlir::ModuleOp module, int64_t chunkElements);

/// Collectives of one rank as views (the pass `elide-collectives`).
void elideCollectives(mlir::ModuleOp module);

} // namespace windlass::flow
