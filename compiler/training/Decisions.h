// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Decisions.h - what may differ between plans of one training =========//
//
// Duty: a strategy as a plain struct: partitioning, recomputation, homes, prefetch.
// Decisions never change a number (docs/numerics.md). One table, DecisionKeys.def,
// says every key, its place in the struct, its rule and its description.
// Units: bytes. std::nullopt and Auto leave the decision to the planner.
// Threads: plain values.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/plan/PlacementClass.h"
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace windlass {

/// What of the forward pass is repeated for the backward pass instead of kept: nothing, attention's core, or
/// whole layers, of which each `every`-th keeps its input; of all layers, or of the first `layers`; or what
/// is chosen activation by activation.
struct Recompute {
  enum Kind : uint8_t { Auto, None, Selective, Full, PerActivation };
  Kind kind = Auto;
  int64_t every = 1, layers = 0; ///< 0: all
  /// Of PerActivation, by layer function: what is kept beside its input. Functions that are not named keep
  /// every residual. Empty: the planner chooses.
  std::map<std::string, std::vector<std::string>> kept;

  Recompute(Kind kind = Auto, int64_t every = 1, int64_t layers = 0)
      : kind(kind), every(every), layers(layers) {}
  explicit Recompute(std::map<std::string, std::vector<std::string>> kept)
      : kind(PerActivation), kept(std::move(kept)) {}
  bool operator==(const Recompute &) const = default;

  /// Whether layers keep their input to repeat themselves; of Auto, whether they may.
  bool mayMakeCheckpoints() const { return kind != None && kind != Selective; }
};
/// How a parameter that is partitioned comes to every rank: pieces of it from all, or all of it from its
/// owner. Auto: from all, unless a strategy with a name that says otherwise is faster.
enum class Gather : uint8_t { Auto, Allgather, Broadcast };
/// Where the sum of gradients goes at zero 1: to each rank its shard, or whole to every rank.
enum class Reduction : uint8_t { Scatter, All };
/// Micro-batches run one after the other; or all of them run a layer before the next layer begins, so that
/// its parameters come once and the sum of its gradients goes once.
enum class MicroBatchOrder : uint8_t { Auto, Horizontal, Vertical };
/// The most micro-batches of a vertical plan, which writes out every micro-batch.
inline constexpr int64_t kMostVertical = 64;
/// In which order a stage of a pipeline runs passes: the forward passes of all micro-batches before any
/// backward pass, or each backward pass as soon as its gradient can be there. Auto: the latter.
enum class PipelineSchedule : uint8_t { Auto, Gpipe, OneForwardOneBackward, Interleaved, ZeroBubbleH1 };

/// "auto", "none", "selective", "full", "every:2", "layers:3", "per-activation", "block: matmul.0, map.1".
std::string word(const Recompute &value);
/// The other way; nothing for other words, nor for lists of activations.
std::optional<Recompute> recomputeOf(std::string_view word);
/// One word of the file per enumerator, in order.
std::string_view word(Gather value);
std::string_view word(Reduction value);
std::string_view word(MicroBatchOrder value);
std::string_view word(PipelineSchedule value);

/// A decision for buckets: those named in `of`, and all others.
template <typename Value> struct ByBucket {
  Value others{};
  std::map<std::string, Value> of;

  bool isAuto() const { return others == Value{} && of.empty(); }
  bool operator==(const ByBucket &) const = default;
  const Value &at(const std::string &bucket) const {
    const auto named = of.find(bucket);
    return named == of.end() ? others : named->second;
  }
};
/// Where a class of states rests; of checkpoints, by their own names.
using Homes = ByBucket<std::optional<plan::Tier>>;
using Flags = ByBucket<std::optional<bool>>;
using Zeros = ByBucket<std::optional<int64_t>>; ///< 0 ... 3

/// A number of each stage of a pipeline. One: of every stage. None: open.
struct ByStage {
  std::vector<int64_t> numbers;

  std::optional<int64_t> at(size_t stage) const {
    return numbers.empty() ? std::nullopt : std::optional(numbers[numbers.size() == 1 ? 0 : stage]);
  }
  bool operator==(const ByStage &) const = default;
};

struct Decisions {
  Zeros zeroStage;
  Flags reshardAfterForward;
  std::optional<int64_t> persistence; ///< elements
  Gather gather = Gather::Auto;
  Reduction reduction = Reduction::Scatter;
  Recompute recompute = Recompute::Auto;
  MicroBatchOrder microBatchOrder = MicroBatchOrder::Auto;
  PipelineSchedule pipelineSchedule = PipelineSchedule::Auto;
  std::optional<bool> sequenceParallel;    ///< with several tensor ranks
  std::optional<bool> reshardActivations;  ///< where these have rows of their own
  std::optional<bool> checkpointPartition; ///< with several tensor ranks
  std::vector<int64_t> pipelineLag;        ///< of each stage, in micro-batches; empty: as the schedule needs
  std::optional<int64_t> pipelineChunks; ///< parts of the model that a stage has; of an interleaved pipeline
  std::vector<int64_t> pipelineCut;      ///< layers of each stage, or of each part; empty: the planner cuts
  std::optional<int64_t> bucket;         ///< bytes
  std::optional<int64_t> updateChunk;    ///< elements
  Homes paramHome, gradHome, masterHome, momentsHome, checkpointHome;
  ByStage prefetchNc, prefetchCg, prefetchGg; ///< credits, one or more
  ByStage slackDevice, slackHost, slackNvme;  ///< bytes
  bool overlap = true;

  bool operator==(const Decisions &) const = default;
};

/// The homes of every class.
template <typename Any> auto homesByClass(Any &decisions) {
  using enum plan::PlacementClass;
  return std::array{std::pair(Param, &decisions.paramHome), std::pair(Grad, &decisions.gradHome),
                    std::pair(Master, &decisions.masterHome), std::pair(Moments, &decisions.momentsHome),
                    std::pair(Checkpoint, &decisions.checkpointHome)};
}

} // namespace windlass
