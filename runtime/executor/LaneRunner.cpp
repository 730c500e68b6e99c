// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/executor/LaneRunner.h"
#include "runtime/plan/InstructionTable.h"
#include <algorithm>
#include <thread>

namespace windlass {

namespace {

/// A rank's part of a collective.
Status exchange(const BoundInstruction &bound, const MeshTransport &transport) {
  const auto [group, place] = transport.at(bound.instruction->lane, bound.instruction->axes, bound.rank);
  const plan::ElementType type = bound.instruction->type;
  const std::span<std::byte> shard = bound.shard();
  switch (bound.instruction->op) {
  case plan::Opcode::AllGather:
    return group->allGather(place, shard, bound.whole);
  case plan::Opcode::ReduceScatter:
    return group->reduceScatter(place, type, shard, bound.whole, bound.staging());
  case plan::Opcode::Broadcast:
    return group->broadcast(place, bound.root, shard, bound.whole);
  case plan::Opcode::Reduce:
    return group->reduce(place, bound.root, type, shard, bound.whole, bound.staging());
  default:
    return Status::internal("instruction is no collective");
  }
}

/// A rank's part of a message: a broadcast between two, of which the sender takes nothing.
Status pass(const BoundInstruction &bound, const MeshTransport &transport) {
  const auto [pair, place] = transport.onChannel(static_cast<size_t>(bound.channel), bound.rank);
  const std::span<std::byte> value = bound.span(0);
  if (bound.instruction->op == plan::Opcode::Send)
    return pair->broadcast(place, /*root=*/0, value, {});
  const WholeTensor taken[] = {{value.data(), std::ssize(value)}};
  return pair->broadcast(place, /*root=*/0, {}, taken);
}

} // namespace

LaneRunner::LaneRunner(Config given, RunState &state, Trace &trace)
    : config(std::move(given)), state(state), trace(trace), inFlight(config.depth) {}

template <typename Visit> void LaneRunner::forEach(Visit visit) {
  uint32_t count = 0;
  const Sequence &sequence = state.sequence(config.rank);
  for (size_t run = 0; run < sequence.runs.size(); ++run) {
    const BoundSection &section = state.plan().section(config.rank, sequence.runs[run]);
    for (uint32_t index : section.lanes[static_cast<size_t>(config.lane)])
      if (!visit(run, section.instructions[index], ++count))
        return;
  }
}

void LaneRunner::issue() {
  if (!isAsynchronous())
    counters = {};
  forEach([&](size_t run, const BoundInstruction &bound, uint32_t count) {
    if (!state.waitForSection(config.rank, run) || !state.waitForInputs(config.rank, run, bound))
      return false;
    return isAsynchronous() ? start(run, bound, count) : runOne(run, bound);
  });
}

bool LaneRunner::runOne(size_t run, const BoundInstruction &bound) {
  InFlight flight{trace.start(config.kernels.get()), book(bound)};
  if (Status status = execute(run, bound); !status.isOk()) {
    state.fail(bound, status);
    return false;
  }
  finish(run, bound, flight);
  return true;
}

Status LaneRunner::execute(size_t run, const BoundInstruction &bound) {
  if (!bound.executes)
    return Status::ok();
  if (plan::isCollective(bound.instruction->op))
    return exchange(bound, state.transport());
  if (plan::isMessage(bound.instruction->op))
    return pass(bound, state.transport());
  return dispatch(bound, {config.rank, config.kernels.get(), config.device, config.stream},
                  state.sequence(config.rank).runs[run].microBatch, state.host());
}

/// Instruction `count` may start when instruction `count` - depth is complete.
bool LaneRunner::start(size_t run, const BoundInstruction &bound, uint32_t count) {
  auto depth = static_cast<uint32_t>(config.depth);
  if (count > depth && !state.counter(config.rank, config.lane).waitFor(count - depth))
    return false;
  inFlight[count % depth] = {trace.startElsewhere(), book(bound)};
  Status status = config.queue ? startTransfer(bound) : enqueue(run, bound, count);
  if (!status.isOk())
    state.fail(bound, status);
  return status.isOk();
}

Status LaneRunner::startTransfer(const BoundInstruction &bound) {
  size_t inMemory = bound.instruction->op == plan::Opcode::Read ? 1 : 0;
  // What another rank moves keeps its place in the queue, as a transfer of no bytes.
  std::span<std::byte> memory = bound.executes ? bound.span(inMemory) : std::span<std::byte>();
  return config.queue->submit({memory.data(), bound.fileOffset, static_cast<int64_t>(memory.size())});
}

Status LaneRunner::enqueue(size_t run, const BoundInstruction &bound, uint32_t count) {
  WINDLASS_TRY(execute(run, bound));
  WINDLASS_TRY(config.stream->mark(count));
  state.enqueued(config.rank, config.lane).publish();
  return Status::ok();
}

/// Blocks until instruction `count`, the oldest in flight, is complete.
Status LaneRunner::await(uint32_t count) {
  if (config.queue)
    return config.queue->reap();
  if (!state.enqueued(config.rank, config.lane).waitFor(count))
    return Status::runFailed("the lane was stopped");
  return config.stream->finish(count);
}

void LaneRunner::complete() {
  counters = {};
  double end = 0;
  forEach([&](size_t run, const BoundInstruction &bound, uint32_t count) {
    if (Status status = await(count); !status.isOk()) {
      state.fail(bound, config.stream ? state.explained(bound, status) : status);
      if (config.queue)
        config.queue->drain();
      return false;
    }
    InFlight flight = inFlight[count % config.depth];
    if (config.stream) // which runs one after another what it was given ahead of time
      flight.start.seconds = std::max(flight.start.seconds, end);
    end = finish(run, bound, flight);
    return true;
  });
}

Pace::Clock::time_point LaneRunner::book(const BoundInstruction &bound) {
  return config.pace ? config.pace->book(config.lane, movedBytes(bound)) : Pace::Clock::time_point{};
}

double LaneRunner::finish(size_t run, const BoundInstruction &bound, const InFlight &flight) {
  if (config.pace)
    std::this_thread::sleep_until(flight.due);
  count(bound, counters);
  const double end = trace.record(run, config.rank, bound.index, flight.start);
  state.counter(config.rank, config.lane).publish();
  return end;
}

} // namespace windlass
