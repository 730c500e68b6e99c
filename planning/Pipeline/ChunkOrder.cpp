// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "planning/Pipeline/ChunkOrder.h"

#include <algorithm>
#include <cassert>
#include <optional>
#include <tuple>

namespace windlass::planning {
namespace {

/// The number of a stage's passes of one kind, forward or backward.
int64_t passesOfAKind(const ChunkedPipeline &pipeline) { return pipeline.microBatches * pipeline.chunks; }

/// The number of forward passes of a stage before its first backward pass, without the one right before it.
int64_t warmUp(const ChunkedPipeline &pipeline, int64_t stage) {
  const int64_t ahead = 2 * (pipeline.stages - 1 - stage) + (pipeline.chunks - 1) * pipeline.stages;
  return std::min(ahead, passesOfAKind(pipeline));
}

/// Pass number `number` of a kind; the numbers are the same on every stage.
ChunkPass numbered(const ChunkedPipeline &pipeline, bool isForward, int64_t number) {
  const int64_t round = number / (pipeline.stages * pipeline.chunks);
  const int64_t chunk = number / pipeline.stages % pipeline.chunks;
  return {isForward, isForward ? chunk : pipeline.chunks - 1 - chunk,
          round * pipeline.stages + number % pipeline.stages};
}

/// A pass with the run it belongs to: a run has the place of a forward and of a backward pass, in turn.
struct Placed {
  ChunkPass pass;
  int64_t run = 0;
};

std::vector<Placed> placedPasses(const ChunkedPipeline &pipeline, int64_t stage) {
  const int64_t all = passesOfAKind(pipeline), ahead = warmUp(pipeline, stage);
  std::vector<Placed> placed;
  for (int64_t place = 0; place < all + ahead; ++place) {
    const int64_t run = place / (pipeline.stages * pipeline.chunks);
    if (place < all)
      placed.push_back({numbered(pipeline, true, place), run});
    if (place >= ahead)
      placed.push_back({numbered(pipeline, false, place - ahead), run});
  }
  return placed;
}

/// When every pass of all stages ends, if each begins as soon as its stage and what it needs are ready.
class Clock {
public:
  explicit Clock(const ChunkedPipeline &pipeline)
      : pipeline(pipeline), parts(pipeline.stages * pipeline.chunks),
        ends(static_cast<size_t>(2 * parts * pipeline.microBatches)) {
    std::vector<std::vector<Placed>> passes;
    for (int64_t stage = 0; stage < pipeline.stages; ++stage)
      passes.push_back(placedPasses(pipeline, stage));
    std::vector<size_t> next(passes.size());
    std::vector<int64_t> free(passes.size());
    for (bool any = true; any;) {
      any = false;
      for (size_t stage = 0; stage < passes.size(); ++stage)
        for (; next[stage] < passes[stage].size(); ++next[stage], any = true) {
          const ChunkPass &pass = passes[stage][next[stage]].pass;
          const std::optional<int64_t> ready = readyAt(static_cast<int64_t>(stage), pass);
          if (!ready)
            break;
          free[stage] = std::max(free[stage], *ready) + secondsOf(pass);
          endOf(partOf(static_cast<int64_t>(stage), pass.chunk), pass) = free[stage];
        }
    }
    assert(std::ranges::find(ends, 0) == ends.end() && "no stage waits forever");
  }

  int64_t partOf(int64_t stage, int64_t chunk) const { return chunk * pipeline.stages + stage; }
  int64_t startOf(int64_t stage, const ChunkPass &pass) const {
    return endOf(partOf(stage, pass.chunk), pass) - secondsOf(pass);
  }
  /// The end of the pass of the same kind and micro-batch in part `part`; 0: not known yet.
  int64_t endOf(int64_t part, const ChunkPass &pass) const {
    return const_cast<Clock *>(this)->endOf(part, pass);
  }
  bool isPart(int64_t part) const { return part >= 0 && part < parts; }

private:
  static int64_t secondsOf(const ChunkPass &pass) { return pass.isForward ? 1 : 2; }

  int64_t &endOf(int64_t part, const ChunkPass &pass) {
    const int64_t kind = pass.isForward ? 0 : 1;
    return ends[static_cast<size_t>((2 * part + kind) * pipeline.microBatches + pass.microBatch)];
  }

  /// The time at which the inputs of a pass are ready; nothing if they have not been computed yet.
  std::optional<int64_t> readyAt(int64_t stage, const ChunkPass &pass) {
    const int64_t part = partOf(stage, pass.chunk), before = pass.isForward ? part - 1 : part + 1;
    if (pass.isForward && part == 0)
      return 0;
    const int64_t end =
        isPart(before) ? endOf(before, pass) : endOf(part, {true, pass.chunk, pass.microBatch});
    return end == 0 ? std::nullopt : std::optional(end);
  }

  const ChunkedPipeline &pipeline;
  const int64_t parts;
  std::vector<int64_t> ends; ///< by part, kind and micro-batch; 0: not yet
};

struct TimedEvent {
  ChunkEvent event;
  int64_t time = 0; ///< when a pass starts, when messages meet
  int64_t from = 0; ///< of messages: the part that sends them

  /// The key of the order of events. Messages come before the pass that begins when they meet. The order
  /// among messages is the same on all stages.
  auto key() const {
    const ChunkPass &pass = event.pass;
    return std::tuple(time, event.kind == ChunkEvent::Compute, !pass.isForward, from, pass.microBatch);
  }
};

/// Messages between two runs belong to the first of them up to the last that its passes send.
void placeMessages(std::vector<TimedEvent> &events) {
  int64_t run = 0;
  for (auto next = events.begin(); next != events.end();) {
    const auto isPass = [](const TimedEvent &each) { return each.event.kind == ChunkEvent::Compute; };
    const auto pass = std::find_if(next, events.end(), isPass);
    auto behind = pass;
    while (behind != next && (behind - 1)->event.kind != ChunkEvent::Send)
      --behind;
    const int64_t following = pass == events.end() ? run : pass->event.run;
    for (auto message = next; message != pass; ++message)
      message->event.run = message < behind ? run : following;
    run = following;
    next = pass == events.end() ? pass : std::next(pass);
  }
}

} // namespace

std::vector<ChunkPass> passesOf(const ChunkedPipeline &pipeline, int64_t stage) {
  std::vector<ChunkPass> passes;
  for (const Placed &placed : placedPasses(pipeline, stage))
    passes.push_back(placed.pass);
  return passes;
}

std::vector<int64_t> inFlight(const ChunkedPipeline &pipeline, int64_t stage) {
  std::vector<int64_t> now(static_cast<size_t>(pipeline.chunks)), most = now;
  for (const ChunkPass &pass : passesOf(pipeline, stage)) {
    const auto chunk = static_cast<size_t>(pass.chunk);
    now[chunk] += pass.isForward ? 1 : -1;
    most[chunk] = std::max(most[chunk], now[chunk]);
  }
  return most;
}

std::vector<ChunkEvent> eventsOf(const ChunkedPipeline &pipeline, int64_t stage) {
  const Clock clock(pipeline);
  std::vector<TimedEvent> events;
  for (const auto &[pass, run] : placedPasses(pipeline, stage)) {
    const int64_t part = clock.partOf(stage, pass.chunk), step = pass.isForward ? 1 : -1;
    if (clock.isPart(part - step))
      events.push_back({{ChunkEvent::Receive, pass, run}, clock.endOf(part - step, pass), part - step});
    events.push_back({{ChunkEvent::Compute, pass, run}, clock.startOf(stage, pass)});
    if (clock.isPart(part + step))
      events.push_back({{ChunkEvent::Send, pass, run}, clock.endOf(part, pass), part});
  }
  std::ranges::stable_sort(events, {}, &TimedEvent::key);
  placeMessages(events);
  std::vector<ChunkEvent> order;
  for (const TimedEvent &each : events)
    order.push_back(each.event);
  return order;
}

} // namespace windlass::planning
