#include "runtime/executor/RunState.h"
#include "runtime/plan/InstructionName.h"

namespace windlass {

RunState::RunState(const Program &program, Transport &transport, Storage &storage)
    : planned(program), ranks(transport), storage(storage), counters(program.rankCount()) {}

void RunState::begin(const Sequence &next, StepHost &host) {
  current = &next;
  stepHost = &host;
  for (auto &lanes : counters)
    for (LaneCounter &counter : lanes)
      counter.reset();
}

bool RunState::waitForInputs(int64_t rank, size_t run, const plan::Instruction &instruction) {
  for (const plan::Wait &wait : instruction.waits)
    if (!counter(rank, wait.lane).waitFor(planned.target(*current, run, wait)))
      return false;
  return true;
}

bool RunState::waitForSection(int64_t rank, size_t run) {
  if (run < 2)
    return true;
  const plan::LaneCounts &before = current->sections[run - 1].before;
  for (size_t lane = 0; lane < plan::kLanes; ++lane)
    if (!counters[rank][lane].waitFor(before[lane]))
      return false;
  return true;
}

void RunState::fail(int64_t rank, const BoundInstruction &bound, const Status &status) {
  {
    std::lock_guard lock(mutex);
    if (!first.isOk())
      return;
    first = status.in("rank " + std::to_string(rank) + ", " + nameOf(*bound.instruction, bound.ordinal));
  }
  for (auto &lanes : counters)
    for (LaneCounter &counter : lanes)
      counter.stop();
  ranks.abort();
  for (int64_t r = 0; r < planned.rankCount() && storage.hasNvme(); ++r)
    for (IoDirection direction : {IoDirection::Read, IoDirection::Write})
      if (NvmeQueue *queue = storage.nvme(r).queue(direction))
        queue->stop();
}

Status RunState::failure() {
  std::lock_guard lock(mutex);
  return first;
}

} // namespace windlass
