// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Decisions.h - the decisions of a strategy =============================//
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

/// The part of the forward pass that is repeated for the backward pass instead of kept: nothing; the core of
/// attention; whole layers, where each `every`-th keeps its input, of all layers or of the first `layers`; or
/// a choice activation by activation.
struct Recompute {
  enum Kind : uint8_t { Auto, None, Selective, Full, PerActivation };
  Kind kind = Auto;
  int64_t every = 1, layers = 0; ///< 0: all
  /// For PerActivation, by layer function: the activations that are kept beside the input. Functions without
  /// an entry keep every residual. Empty: the planner chooses.
  std::map<std::string, std::vector<std::string>> kept;

  Recompute(Kind kind = Auto, int64_t every = 1, int64_t layers = 0)
      : kind(kind), every(every), layers(layers) {}
  explicit Recompute(std::map<std::string, std::vector<std::string>> kept)
      : kind(PerActivation), kept(std::move(kept)) {}
  bool operator==(const Recompute &) const = default;

  /// Whether layers keep their inputs as checkpoints; for Auto, whether they may.
  bool mayMakeCheckpoints() const { return kind != None && kind != Selective; }
};
/// How every rank gets a partitioned parameter: pieces from all ranks, or the whole from its owner. Auto:
/// pieces from all, unless a named strategy with owners is faster.
enum class Gather : uint8_t { Auto, Allgather, Broadcast };
/// The result of the sum of gradients at ZeRO stage 1: each rank gets its shard, or every rank the whole sum.
enum class Reduction : uint8_t { Scatter, All };
/// Horizontal: micro-batches run one after another. Vertical: all micro-batches run a layer before the next
/// layer, so that its parameters are fetched once, and the sum of its gradients is sent once.
enum class MicroBatchOrder : uint8_t { Auto, Horizontal, Vertical };
/// The most micro-batches of a vertical plan, which writes out every micro-batch.
inline constexpr int64_t kMostVertical = 64;
/// The order of passes on a stage of a pipeline: Gpipe: all forward passes before any backward pass;
/// OneForwardOneBackward: each backward pass as soon as its gradient can arrive. Auto: the latter.
enum class PipelineSchedule : uint8_t { Auto, Gpipe, OneForwardOneBackward, Interleaved, ZeroBubbleH1 };

/// "auto", "none", "selective", "full", "every:2", "layers:3", "per-activation", "block: matmul.0, map.1".
std::string word(const Recompute &value);
/// The recomputation of a word; nothing for other words, and for lists of activations.
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
/// The tiers of a class of states; for checkpoints by their own names.
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
