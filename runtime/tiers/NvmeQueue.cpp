// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/tiers/NvmeQueue.h"
#include <algorithm>
#include <cerrno>
#include <cstring>

namespace windlass {

NvmeQueue::NvmeQueue(std::unique_ptr<BlockEngine> engine, IoDirection direction, int64_t depth, int slots)
    : engine(std::move(engine)), direction(direction), flights(depth), slots(slots) {
  for (size_t i = 0; i < this->slots.size(); ++i)
    this->slots[i].block.tag = i;
}

Status NvmeQueue::submit(const Transfer &transfer) {
  std::lock_guard lock(mutex);
  if (stopped)
    return Status::runFailed("the nvme queue is stopped");
  if (count == flights.size())
    return Status::internal("more nvme transfers in flight than the depth allows");
  Flight &flight = flights[(oldest + count++) % flights.size()];
  flight = {};
  flight.transfer = transfer;
  submitted.notify_one();
  return startBlocks();
}

/// Fills the free slots with blocks of the transfers in flight, oldest first.
Status NvmeQueue::startBlocks() {
  auto free = slots.begin();
  for (size_t i = 0; i < count; ++i) {
    Flight &flight = flights[(oldest + i) % flights.size()];
    while (flight.failure.isOk() && flight.started < flight.transfer.bytes) {
      free = std::find_if(free, slots.end(), [](const Slot &slot) { return !slot.flight; });
      if (free == slots.end())
        return Status::ok();
      free->flight = &flight;
      free->block.memory = flight.transfer.memory + flight.started;
      free->block.offset = flight.transfer.offset + flight.started;
      free->block.bytes = std::min(kBlockBytes, flight.transfer.bytes - flight.started);
      free->stalls = 0;
      flight.started += free->block.bytes;
      WINDLASS_TRY(start(*free));
    }
  }
  return Status::ok();
}

Status NvmeQueue::start(Slot &slot) {
  if (Status submitted = engine->submit(slot.block); !submitted.isOk()) {
    slot.flight->failure = submitted;
    slot.flight = nullptr;
    engineFailure = submitted;
    return submitted;
  }
  ++slot.flight->inEngine;
  ++inEngine;
  return Status::ok();
}

Status NvmeQueue::reap() {
  for (;;) {
    {
      std::unique_lock lock(mutex);
      submitted.wait(lock, [this] { return count > 0 || stopped; });
      if (stopped)
        return Status::runFailed("the nvme queue is stopped");
      if (!engineFailure.isOk())
        return engineFailure;
      if (count > 0 && flights[oldest].isOver()) {
        Status status = std::move(flights[oldest].failure);
        flights[oldest] = {};
        oldest = (oldest + 1) % flights.size();
        --count;
        return status;
      }
    }
    Result<BlockResult> result = engine->wait();
    std::lock_guard lock(mutex);
    if (!result)
      return engineFailure = result.status();
    if (result->tag == BlockResult::kInterrupted)
      continue;
    settle(*result);
    if (!stopped)
      WINDLASS_TRY(startBlocks());
  }
}

/// Books one completion: done, to be continued, or failed.
void NvmeQueue::settle(const BlockResult &result) {
  Slot &slot = slots[result.tag];
  Flight &flight = *slot.flight;
  Block &block = slot.block;
  --flight.inEngine;
  --inEngine;
  bool again = result.result == -EINTR || result.result == -EAGAIN;
  if (result.result > 0 && result.result <= block.bytes) {
    const int64_t moved = wholeSectors(result.result);
    flight.completed += moved;
    block.memory += moved;
    block.offset += moved;
    block.bytes -= moved;
    slot.stalls = moved > 0 ? 0 : slot.stalls + 1;
    again = block.bytes > 0 && slot.stalls < kMostStalls;
    if (slot.stalls == kMostStalls)
      fail(flight, block, "no more than " + std::to_string(result.result) + " bytes moved at a time");
  } else if (!again) {
    fail(flight, block, result.result < 0 ? std::strerror(-result.result) : "no bytes moved");
  }
  if (again && !stopped && flight.failure.isOk() && start(slot).isOk())
    return;
  slot.flight = nullptr;
}

void NvmeQueue::fail(Flight &flight, const Block &block, const std::string &reason) const {
  if (flight.failure.isOk())
    flight.failure = Status::runFailed(
        std::string("nvme ") + (direction == IoDirection::Read ? "read" : "write") + " of " +
        std::to_string(block.bytes) + " bytes at offset " + std::to_string(block.offset) + ": " + reason);
}

void NvmeQueue::stop() {
  std::lock_guard lock(mutex);
  if (stopped)
    return;
  stopped = true;
  submitted.notify_all();
  if (Status interrupted = engine->interrupt(); !interrupted.isOk())
    engineFailure = interrupted;
}

void NvmeQueue::drain() {
  for (;;) {
    {
      std::lock_guard lock(mutex);
      if (inEngine == 0)
        return;
    }
    Result<BlockResult> result = engine->wait();
    if (!result)
      return;
    std::lock_guard lock(mutex);
    if (result->tag != BlockResult::kInterrupted)
      settle(*result);
  }
}

} // namespace windlass
