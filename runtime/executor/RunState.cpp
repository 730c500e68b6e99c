// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/executor/RunState.h"
#include "runtime/plan/InstructionTable.h"
#include "runtime/plan/text/InstructionName.h"
#include <algorithm>
#include <utility>

namespace windlass {

namespace {

/// The lanes of collectives and messages.
constexpr plan::Lane kExchanging[] = {plan::Lane::Gg,    plan::Lane::Nodes,   plan::Lane::ActOut,
                                      plan::Lane::ActIn, plan::Lane::GradOut, plan::Lane::GradIn};

} // namespace

RunState::RunState(const BoundPlan &bound, MeshTransport &transport, Storage &storage,
                   const LaneStreams &streams, bool exchangesOneByOne)
    : planned(bound), ranks(transport), storage(storage), exchangesOneByOne(exchangesOneByOne),
      lanes(bound.ranks().size()) {
  for (size_t rank = 0; rank < lanes.size(); ++rank)
    for (size_t lane = 0; lane < plan::kLanes; ++lane)
      lanes[rank][lane].stream = streams[rank][lane].get();
}

void RunState::begin(plan::Purpose next, StepHost &host) {
  purpose = next;
  stepHost = &host;
  for (RankProgress &ofRank : lanes)
    for (Progress &lane : ofRank) {
      lane.complete.reset();
      lane.enqueued.reset();
    }
}

bool RunState::waitForInputs(int64_t rank, size_t run, const BoundInstruction &bound) {
  for (const plan::Wait &wait : bound.instruction->waits)
    if (!waitForLane(rank, bound, wait.lane, targetOf(sequence(rank), run, wait)))
      return false;
  const plan::Opcode op = bound.instruction->op;
  return !exchangesOneByOne || !(plan::isCollective(op) || plan::isMessage(op)) ||
         waitForTurn(rank, run, bound);
}

bool RunState::waitForLane(int64_t rank, const BoundInstruction &bound, plan::Lane lane, uint32_t target) {
  Stream *mine = stream(rank, bound.instruction->lane);
  Progress &before = progress(rank, lane);
  if (!(mine && before.stream ? before.enqueued : before.complete).waitFor(target))
    return false;
  if (!mine || before.complete.hasReached(target))
    return true;
  const Status status = mine->startAfter(*before.stream, target);
  if (!status.isOk())
    fail(bound, status);
  return status.isOk();
}

/// Waits for all exchanges of other lanes in earlier runs, and in this run before the instruction.
bool RunState::waitForTurn(int64_t rank, size_t run, const BoundInstruction &bound) {
  const BoundRun &now = sequence(rank).runs[run];
  const BoundSection &section = planned.section(rank, now);
  return std::ranges::all_of(kExchanging, [&](plan::Lane lane) {
    const std::vector<uint32_t> &indices = section.lanes[static_cast<size_t>(lane)];
    const auto before = std::ranges::lower_bound(indices, bound.index) - indices.begin();
    return lane == bound.instruction->lane ||
           waitForLane(rank, bound, lane, at(now.before, lane) + static_cast<uint32_t>(before));
  });
}

bool RunState::waitForSection(int64_t rank, size_t run) {
  if (run < 2)
    return true;
  const plan::LaneCounts &before = sequence(rank).runs[run - 1].before;
  for (size_t lane = 0; lane < plan::kLanes; ++lane)
    if (!lanesOf(rank)[lane].complete.waitFor(before[lane]))
      return false;
  return true;
}

/// The first incomplete instruction in the plan's order, among the lanes for which `counts` is true.
template <typename Counts> RunState::Place RunState::oldest(int64_t rank, Counts counts) const {
  const RankProgress &progress = lanes[planned.ranks().placeOf(rank)];
  const std::vector<BoundRun> &runs = sequence(rank).runs;
  for (size_t run = 0; run < runs.size(); ++run) {
    const BoundSection &section = planned.section(rank, runs[run]);
    const BoundInstruction *first = nullptr;
    for (size_t lane = 0; lane < plan::kLanes; ++lane) {
      const uint32_t done = progress[lane].complete.count();
      const uint32_t inRun = done - std::min(done, runs[run].before[lane]);
      if (inRun >= section.lanes[lane].size() || !counts(progress[lane]))
        continue;
      const BoundInstruction &next = section.instructions[section.lanes[lane][inRun]];
      first = !first || next.index < first->index ? &next : first;
    }
    if (first)
      return {run, first};
  }
  return {};
}

std::string RunState::whereabouts() const {
  for (int64_t rank : planned.ranks())
    if (const BoundInstruction *waiting = oldest(rank, [](const Progress &) { return true; }).bound)
      return placeOf(*waiting);
  return "the end of a step";
}

const BoundInstruction *RunState::oldestOnDevices() const {
  Place first;
  for (int64_t rank : planned.ranks()) {
    const Place place = oldest(rank, [](const Progress &lane) {
      return lane.stream && lane.enqueued.count() > lane.complete.count();
    });
    if (place.bound &&
        (!first.bound || std::pair(place.run, place.bound->index) < std::pair(first.run, first.bound->index)))
      first = place;
  }
  return first.bound;
}

uint64_t RunState::movesOnDevices() const {
  uint64_t moves = 0;
  for (const RankProgress &ofRank : lanes)
    for (const Progress &lane : ofRank)
      if (lane.stream)
        moves += uint64_t{lane.enqueued.count()} + lane.complete.count();
  return moves;
}

Status RunState::explained(const BoundInstruction &bound, const Status &status) const {
  const BoundInstruction *before = oldestOnDevices();
  if (!before || before == &bound)
    return status;
  return {status.code(), status.message() + "; the first that the device is not known to have completed is " +
                             placeOf(*before)};
}

void RunState::fail(const BoundInstruction &bound, const Status &status) { fail(status.in(placeOf(bound))); }

void RunState::fail(const Status &status) {
  {
    std::lock_guard lock(mutex);
    if (!first.isOk())
      return;
    first = status;
  }
  for (RankProgress &ofRank : lanes)
    for (Progress &lane : ofRank) {
      lane.complete.stop();
      lane.enqueued.stop();
      if (lane.stream)
        lane.stream->stop();
    }
  ranks.abort();
  for (int64_t each : planned.ranks())
    for (IoDirection direction : {IoDirection::Read, IoDirection::Write})
      if (NvmeQueue *queue = storage.hasNvme(each) ? storage.nvme(each).queue(direction) : nullptr)
        queue->stop();
}

Status RunState::failure() {
  std::lock_guard lock(mutex);
  return first;
}

} // namespace windlass
