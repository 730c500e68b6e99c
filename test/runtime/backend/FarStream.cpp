// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/runtime/backend/FarStream.h"

namespace windlass::test {

void FarStream::Reached::waitFor(uint64_t target) {
  std::unique_lock lock(mutex);
  grown.wait(lock, [&] { return marks >= target; });
}

Status FarStream::Reached::finish(uint64_t target) {
  std::unique_lock lock(mutex);
  grown.wait(lock, [&] { return marks >= target || isStopped; });
  if (!failure.isOk())
    return failure;
  return marks >= target ? Status::ok() : Status::runFailed("the stream was stopped");
}

FarStream::FarStream(int64_t depth, std::function<void()> idle, std::atomic<int64_t> &waits)
    : ring(depth), idle(std::move(idle)), waits(waits), thread([this] { serve(); }) {}

FarStream::~FarStream() {
  {
    std::lock_guard lock(mutex);
    closing = true;
  }
  posted.notify_one();
  thread.join();
}

void FarStream::enqueue(Work work) {
  {
    std::lock_guard lock(mutex);
    queue.push_back(std::move(work));
  }
  posted.notify_one();
}

Status FarStream::mark(uint32_t count) {
  uint64_t mine = 0;
  {
    std::lock_guard lock(mutex);
    mine = ++marks;
    ring[count % ring.size()] = mine;
  }
  enqueue([shared = reached, mine] {
    std::lock_guard lock(shared->mutex);
    shared->marks = mine;
    shared->grown.notify_all();
    return Status::ok();
  });
  return Status::ok();
}

uint64_t FarStream::marked(uint32_t count) {
  std::lock_guard lock(mutex);
  return ring[count % ring.size()];
}

Status FarStream::startAfter(Stream &other, uint32_t count) {
  auto &from = static_cast<FarStream &>(other);
  ++waits;
  waits.notify_all();
  enqueue([shared = from.reached, target = from.marked(count)] {
    shared->waitFor(target);
    return Status::ok();
  });
  return Status::ok();
}

Status FarStream::finish(uint32_t count) { return reached->finish(marked(count)); }

void FarStream::stop() {
  {
    std::lock_guard lock(reached->mutex);
    reached->isStopped = true;
  }
  reached->grown.notify_all();
}

void FarStream::serve() {
  std::unique_lock lock(mutex);
  for (;;) {
    posted.wait(lock, [this] { return closing || !queue.empty(); });
    if (queue.empty())
      return;
    Work work = std::move(queue.front());
    queue.pop_front();
    lock.unlock();
    idle();
    if (Status status = work(); !status.isOk()) {
      std::lock_guard failing(reached->mutex);
      reached->failure = status;
    }
    lock.lock();
  }
}

} // namespace windlass::test
