// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Candidates.h - decisions, from what is asked to what is tried =======//
//
// Duty: what the driver tries where decisions leave a choice, and the complete
// decisions of the plan that was taken.
// Units: bytes, elements. Threads: pure functions.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/training/TrainingFile.h"
#include "model/Machine.h"
#include "passes/Flow/PlanMemory.h"
#include <compare>
#include <optional>
#include <string>
#include <vector>

namespace windlass {

/// Bytes over which tensors do not exist whole; none: whatever they take. Of the numerics record, so it is
/// nothing to choose; but where no plan fits, one is looked for that would.
struct Limits {
  std::optional<int64_t> tile, activation, attention;
  auto operator<=>(const Limits &) const = default;
};
Limits limitsOf(const TrainingOptions &training);

/// One way to compile: what the driver tries in turn.
struct Candidate {
  Recompute recompute = Recompute::None; ///< not open
  int64_t stage = 3;
  int64_t bucketBytes = 0, persistence = 0, chunkElements = 0;
  bool prefetchRoom = true;                            ///< keep memory for what is fetched ahead
  MicroBatchOrder order = MicroBatchOrder::Horizontal; ///< not Auto
  Limits limits = {};                                  ///< the training file's
  std::vector<std::string> kept = {}; ///< buckets that stay gathered from the forward to the backward pass
};

/// What a bucket may hold that nobody sized.
inline constexpr int64_t kLeastBucket = 256 << 10, kMostBucket = 64 << 20;
/// Elements of a parameter so small that, if every layer had one, they would take a 512th of the device.
int64_t smallParameter(int64_t layers, const model::Machine &machine);

/// Whether the planner chooses.
bool isOpen(const Recompute &recompute);
/// Where activation checkpoints are to rest away from the device; Auto where nobody says so. Only what
/// recomputation keeps is an activation checkpoint, so this is a wish for recomputation, too.
std::optional<plan::Tier> homeThatAsksForCheckpoints(const Decisions &decisions);
/// Recomputation costs time, so it is tried last. Who places activation checkpoints by name, or all of them
/// away from the device, means to have them.
std::vector<Recompute> recomputeKinds(const Decisions &decisions);
/// Stages 0 and 1 move what 2 moves and keep more, so with several ranks only the latter is a choice
/// beside 3. One rank has nobody to share with: whole states, or shards where they must leave the device.
std::vector<int64_t> stages(const TrainingOptions &training);
/// `layers`: of the model.
Candidate makeCandidate(const Recompute &recompute, int64_t stage, bool prefetchRoom, int64_t layers,
                        const TrainingOptions &training, const model::Machine &machine);

/// Whether nothing is said of buckets by their names, which their sizes and the number of layers change.
bool namesNoBucket(const Decisions &decisions);
/// Whether a plan whose micro-batches run one after the other might be faster if they took turns: something
/// comes or goes with each of them, the device does not compute all the time, and the plan would stay short.
bool mayTakeTurns(const TrainingOptions &training, const Candidate &candidate,
                  const flow::MemoryPlan &horizontal, mlir::ModuleOp planned);
/// Whether a plan of stage 3 might be faster if parameters stayed gathered where nobody says: the device
/// waits.
bool mayKeepGathered(const TrainingOptions &training, const Candidate &candidate,
                     const flow::MemoryPlan &plan);
/// Whether a plan of stage 3 might be faster with buckets of another size, or with other parameters whole,
/// where nobody says: the device waits, and nothing is said of buckets by name.
bool maySizeBuckets(const TrainingOptions &training, const Candidate &candidate,
                    const flow::MemoryPlan &plan);
/// The most seconds that another plan may take to be worth more memory, or its length.
double mostWorthIt(const flow::MemoryPlan &plain);

flow::TierPins pinsOf(const Decisions &decisions);
/// The decisions that `candidate` and its plan were made by, complete: given back as a strategy they make it
/// again.
Decisions takenDecisions(const TrainingOptions &training, const Candidate &candidate,
                         const flow::MemoryPlan &memory);

} // namespace windlass
