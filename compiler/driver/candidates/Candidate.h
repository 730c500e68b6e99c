// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Candidate.h - one way to compile ======================================//
//
// Duty: the complete decisions of one plan: made from the decisions that are asked for and some choices, and
// written as a strategy again. Units: bytes, elements. Threads: pure functions.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/training/TrainingFile.h"
#include "model/Machine.h"
#include "passes/Flow/PlanMemory.h"
#include <compare>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

namespace windlass {

/// The most bytes of a tensor that exists whole: a parameter over `tile`, a value between two such parameters
/// over `activation` and scores of attention over `attention` are cut. None: nothing is cut. Limits change
/// bits, so that the search keeps those of the training file; TileChoice.h looks for smaller ones.
struct Limits {
  std::optional<int64_t> tile, activation, attention;
  auto operator<=>(const Limits &) const = default;
};
Limits limitsOf(const TrainingOptions &training);

struct Candidate {
  Recompute recompute = Recompute::None; ///< not open (Enumeration.h)
  int64_t zero = 3;                      ///< what is partitioned: 0 ... 3
  int64_t bucketBytes = 0, persistence = 0, chunkElements = 0;
  bool prefetchReserve = true;                         ///< homes leave memory for prefetched buffers
  MicroBatchOrder order = MicroBatchOrder::Horizontal; ///< not Auto
  Limits limits = {};                                  ///< the training file's, except in a search for tiles
  std::vector<std::string> keptGathered = {}; ///< buckets gathered once for forward and backward pass
  bool wholeRows = false;   ///< tensor-parallel ranks compute all rows between two split ops
  bool keepsInputs = false; ///< own rows: inputs gathered for a split op stay for its gradients
  /// Whole rows: each tensor-parallel rank keeps a part of every activation checkpoint of a layer.
  bool partsCheckpoints = false;
};

/// In keptGathered: all buckets. No search takes it; it bounds from below the bytes that every plan gathers.
inline constexpr const char *kEveryBucket = "*";

/// The decisions that a lowered module depends on: recomputation, zero, order of micro-batches, bytes of a
/// bucket, persistence, limits, buckets that stay gathered, whole rows, inputs that stay gathered, and parts
/// of checkpoints.
using LoweringKey = std::tuple<std::string, int64_t, MicroBatchOrder, int64_t, int64_t, Limits,
                               std::vector<std::string>, bool, bool, bool>;
LoweringKey loweringKey(const Candidate &candidate);

/// The least and the most bytes of a bucket whose size is open.
inline constexpr int64_t kLeastBucket = 256 << 10, kMostBucket = 64 << 20;
/// Of a model: its layers (0: unknown), and the elements of all parameters that are trained.
struct ModelSize {
  int64_t layers = 0, trained = 0;
};
/// Elements of a parameter that is small: if the step and every layer had one, together they would take a
/// 512th of the device.
int64_t smallParameter(int64_t layers, const model::Machine &machine);
/// Elements of a shard that are updated at once: as many as make the latency of a transfer small. More where
/// a rank has so many parameters that the number of its updates would grow with them; at most a 512th as many
/// as the host has bytes.
int64_t updateChunk(const ModelSize &size, const TrainingOptions &training, const model::Machine &machine);
/// The candidate of some choices: every other decision is the one asked for, or its default.
Candidate makeCandidate(const Recompute &recompute, int64_t zero, bool prefetchReserve, const ModelSize &size,
                        const TrainingOptions &training, const model::Machine &machine);

/// Whether no decision names a bucket. The size of buckets and the number of layers change names of buckets.
bool namesNoBucket(const Decisions &decisions);
/// The homes that decisions ask for.
flow::TierPins pinsOf(const Decisions &decisions);
/// The complete decisions of `candidate` and its plan. Read as a strategy, they give the same plan. `layers`:
/// of each stage of a pipeline; none where there is none.
Decisions takenDecisions(const TrainingOptions &training, const Candidate &candidate,
                         const flow::MemoryPlan &memory, const std::vector<int64_t> &layers);

} // namespace windlass
