// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Stages with several chunks run every pass once, and never wait for each other forever.
#include "planning/Pipeline/ChunkOrder.h"
#include <algorithm>
#include <gtest/gtest.h>
#include <map>
#include <optional>
#include <set>
#include <tuple>

using namespace windlass::planning;

namespace {

const ChunkedPipeline kPipelines[] = {{2, 2, 2}, {2, 2, 8}, {2, 3, 6}, {3, 2, 9}, {4, 2, 16}, {4, 4, 8}};

TEST(ChunkOrder, everyPassComesOnceAndBackwardPassesInTheOrderOfMicroBatches) {
  for (const ChunkedPipeline &pipeline : kPipelines)
    for (int64_t stage = 0; stage < pipeline.stages; ++stage) {
      std::map<std::pair<bool, int64_t>, int64_t> next; // by kind and chunk, the next micro-batch
      for (const ChunkPass &pass : passesOf(pipeline, stage)) {
        EXPECT_EQ(pass.microBatch, (next[{pass.isForward, pass.chunk}]++));
        if (!pass.isForward)
          EXPECT_LT(pass.microBatch, (next[{true, pass.chunk}]));
      }
      EXPECT_EQ(std::ssize(next), 2 * pipeline.chunks);
      for (const auto &[pass, count] : next)
        EXPECT_EQ(count, pipeline.microBatches);
    }
}

/// A message by its sender, its receiver and its micro-batch.
using Message = std::tuple<int64_t, int64_t, int64_t>;

/// The message of an event; none for a pass.
std::optional<Message> messageOf(const ChunkedPipeline &pipeline, int64_t stage, const ChunkEvent &event) {
  if (event.kind == ChunkEvent::Compute)
    return std::nullopt;
  const int64_t part = event.pass.chunk * pipeline.stages + stage, way = event.pass.isForward ? 1 : -1;
  return event.kind == ChunkEvent::Send ? Message{part, part + way, event.pass.microBatch}
                                        : Message{part - way, part, event.pass.microBatch};
}

/// A stage goes on while its next event is a pass. Two stages go on if both are at the same message.
TEST(ChunkOrder, stagesMeetInOneOrder) {
  for (const ChunkedPipeline &pipeline : kPipelines) {
    std::vector<std::vector<ChunkEvent>> events;
    for (int64_t stage = 0; stage < pipeline.stages; ++stage)
      events.push_back(eventsOf(pipeline, stage));
    std::vector<size_t> at(events.size());
    std::set<Message> met;
    for (bool any = true; any;) {
      any = false;
      std::map<Message, size_t> waiting; // the stage that waits
      for (size_t stage = 0; stage < events.size(); ++stage) {
        std::optional<Message> message;
        while (at[stage] < events[stage].size() &&
               !(message = messageOf(pipeline, static_cast<int64_t>(stage), events[stage][at[stage]])))
          ++at[stage];
        if (!message)
          continue;
        const auto [other, first] = waiting.try_emplace(*message, stage);
        if (first)
          continue;
        EXPECT_TRUE(met.insert(*message).second);
        ++at[stage];
        ++at[other->second];
        any = true;
      }
    }
    for (size_t stage = 0; stage < events.size(); ++stage)
      EXPECT_EQ(at[stage], events[stage].size()) << "stage " << stage << " waits forever";
    EXPECT_EQ(std::ssize(met), 2 * (pipeline.stages * pipeline.chunks - 1) * pipeline.microBatches);
  }
}

/// In the list of a stage, the input of a pass is received before it, and its result is sent after it.
TEST(ChunkOrder, messagesStandAroundTheirPass) {
  for (const ChunkedPipeline &pipeline : kPipelines)
    for (int64_t stage = 0; stage < pipeline.stages; ++stage) {
      std::set<std::tuple<bool, int64_t, int64_t>> received, computed;
      int64_t run = 0;
      for (const ChunkEvent &event : eventsOf(pipeline, stage)) {
        const std::tuple pass{event.pass.isForward, event.pass.chunk, event.pass.microBatch};
        EXPECT_GE(event.run, run);
        run = event.run;
        if (event.kind == ChunkEvent::Receive)
          EXPECT_TRUE(!computed.contains(pass) && received.insert(pass).second);
        if (event.kind == ChunkEvent::Compute)
          EXPECT_TRUE(computed.insert(pass).second);
        if (event.kind == ChunkEvent::Send)
          EXPECT_TRUE(computed.contains(pass));
      }
    }
}

/// The number of different runs, by their events, with micro-batches counted from that of the run.
size_t differentRuns(const ChunkedPipeline &pipeline, int64_t stage) {
  using Done = std::vector<std::tuple<ChunkEvent::Kind, bool, int64_t, int64_t>>;
  std::map<int64_t, Done> runs;
  for (const ChunkEvent &event : eventsOf(pipeline, stage))
    runs[event.run].emplace_back(event.kind, event.pass.isForward, event.pass.chunk,
                                 event.pass.microBatch - event.run * pipeline.stages);
  std::set<Done> different;
  for (auto &[run, done] : runs)
    different.insert(std::move(done));
  return different.size();
}

/// The end of a step whose passes take these times, forward and backward, and whose messages take none.
int64_t endOf(const ChunkedPipeline &pipeline, int64_t forward, int64_t backward) {
  std::vector<std::vector<ChunkPass>> passes;
  for (int64_t stage = 0; stage < pipeline.stages; ++stage)
    passes.push_back(passesOf(pipeline, stage));
  std::vector<size_t> next(passes.size());
  std::vector<int64_t> free(passes.size());
  std::map<std::tuple<bool, int64_t, int64_t>, int64_t> ends; // by kind, part and micro-batch
  const int64_t last = pipeline.stages * pipeline.chunks - 1;
  for (bool any = true; any;) {
    any = false;
    for (size_t stage = 0; stage < passes.size(); ++stage)
      for (; next[stage] < passes[stage].size(); ++next[stage], any = true) {
        const auto &[isForward, chunk, microBatch] = passes[stage][next[stage]];
        const int64_t part = chunk * pipeline.stages + static_cast<int64_t>(stage);
        const auto before = isForward && part == 0 ? ends.end()
                            : isForward            ? ends.find({true, part - 1, microBatch})
                            : part == last         ? ends.find({true, part, microBatch})
                                                   : ends.find({false, part + 1, microBatch});
        if (before == ends.end() && !(isForward && part == 0))
          break;
        free[stage] = std::max(free[stage], before == ends.end() ? 0 : before->second) +
                      (isForward ? forward : backward);
        ends[{isForward, part, microBatch}] = free[stage];
      }
  }
  return *std::ranges::max_element(free);
}

/// With equal passes, (p - 1) of each kind are bubble, exactly, whatever their time: (p - 1) / (v m + p - 1)
/// of a step.
TEST(ChunkOrder, equalPassesLeaveTheBubbleOfTheFormula) {
  for (const ChunkedPipeline &pipeline : kPipelines)
    for (auto [forward, backward] : {std::pair<int64_t, int64_t>(1, 2), {1, 1}, {3, 5}, {2, 7}})
      EXPECT_EQ(endOf(pipeline, forward, backward),
                (pipeline.chunks * pipeline.microBatches + pipeline.stages - 1) * (forward + backward))
          << pipeline.stages << " stages, " << pipeline.chunks << " chunks";
}

TEST(ChunkOrder, moreMicroBatchesTakeNoOtherRuns) {
  for (auto [stages, chunks] : {std::pair<int64_t, int64_t>(2, 2), {4, 2}, {3, 3}})
    for (int64_t stage = 0; stage < stages; ++stage)
      EXPECT_EQ(differentRuns({stages, chunks, 8 * stages}, stage),
                differentRuns({stages, chunks, 32 * stages}, stage));
}

TEST(ChunkOrder, aStageHoldsWhatIsUnderWay) {
  EXPECT_EQ(inFlight({2, 2, 8}, 0), (std::vector<int64_t>{4, 2}));
  EXPECT_EQ(inFlight({2, 2, 8}, 1), (std::vector<int64_t>{3, 1}));
  EXPECT_EQ(inFlight({4, 2, 16}, 0), (std::vector<int64_t>{8, 4}));
  // The first stage holds p (1 + (p - 1) / (p v)) micro-batches of all chunks, as in the formula, and the
  // pass that runs.
  for (auto [stages, chunks] : {std::pair<int64_t, int64_t>(2, 2), {4, 2}, {4, 4}}) {
    int64_t passes = 0;
    for (const ChunkPass &pass : passesOf({stages, chunks, 8 * stages}, 0)) {
      if (!pass.isForward)
        break;
      ++passes;
    }
    EXPECT_EQ(passes, stages * chunks + stages - 1);
  }
}

} // namespace
