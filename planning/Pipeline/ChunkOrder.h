// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- ChunkOrder.h - the order of passes in interleaved pipelines ===========//
//
// Duty: interleaved 1F1B (Narayanan et al., Efficient Large-Scale Language Model Training on GPU Clusters).
// Each of p stages has v chunks of layers: chunk c of stage s is the part c p + s of the model, so that a
// micro-batch goes round all stages v times. A stage takes p micro-batches through a chunk before the next
// chunk, and a backward pass behind each forward pass once enough forward passes are under way. What all
// stages do is played with a forward pass of one unit of time and a backward pass of two; messages take none
// and meet in the order in which they are sent there, which therefore agrees with every stage's list.
// Units: micro-batches of a step, from 0. Threads: pure functions.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cstdint>
#include <vector>

namespace windlass::planning {

struct ChunkedPipeline {
  int64_t stages = 1, chunks = 1;
  int64_t microBatches = 1; ///< a multiple of `stages`
};

struct ChunkPass {
  bool isForward = true;
  int64_t chunk = 0, microBatch = 0;
  bool operator==(const ChunkPass &) const = default;
};

/// The passes of a stage in order.
std::vector<ChunkPass> passesOf(const ChunkedPipeline &pipeline, int64_t stage);

/// Of each chunk of a stage: the most micro-batches whose backward pass is still to come.
std::vector<int64_t> inFlight(const ChunkedPipeline &pipeline, int64_t stage);

/// A pass, or the messages between a pass and the part of the model before or behind it.
struct ChunkEvent {
  enum Kind : uint8_t { Receive, Compute, Send };
  Kind kind = Compute;
  ChunkPass pass; ///< the one that computes, takes what is received, or made what is sent
  int64_t run =
      0; ///< runs begin every v p passes of a kind, each with p micro-batches more than the one before
};

/// All events of a stage in a step, in order.
std::vector<ChunkEvent> eventsOf(const ChunkedPipeline &pipeline, int64_t stage);

} // namespace windlass::planning
