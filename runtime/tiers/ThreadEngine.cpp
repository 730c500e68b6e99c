// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/tiers/BlockEngine.h"
#include <algorithm>
#include <cerrno>
#include <condition_variable>
#include <mutex>
#include <system_error>
#include <thread>
#include <unistd.h>
#include <vector>

namespace windlass {

namespace {

/// First in, first out, in memory reserved once.
template <typename T> class Ring {
public:
  explicit Ring(size_t capacity) : slots(capacity) {}
  bool isEmpty() const { return count == 0; }
  bool isFull() const { return count == slots.size(); }
  void push(const T &value) { slots[(first + count++) % slots.size()] = value; }
  T pop() {
    T value = slots[first];
    first = (first + 1) % slots.size();
    --count;
    return value;
  }

private:
  std::vector<T> slots;
  size_t first = 0, count = 0;
};

class ThreadEngine final : public BlockEngine {
  static constexpr int kMostThreads = 4; ///< more add nothing on one disk

public:
  explicit ThreadEngine(const EngineConfig &config)
      : config(config), queued(config.slots), complete(config.slots + 1) {
    threads.reserve(kMostThreads);
  }

  Status start() {
    try {
      for (int i = 0; i < std::min(config.slots, kMostThreads); ++i)
        threads.emplace_back([this] { serve(); });
    } catch (const std::system_error &error) {
      return Status::runFailed(std::string("a thread of the NVMe tier cannot be started: ") + error.what());
    }
    return Status::ok();
  }

  ~ThreadEngine() override {
    {
      std::lock_guard lock(mutex);
      closing = true;
    }
    blockQueued.notify_all();
    for (std::thread &thread : threads)
      thread.join();
  }

  Status submit(const Block &block) override {
    {
      std::lock_guard lock(mutex);
      if (queued.isFull())
        return Status::internal("thread engine queue is full");
      queued.push(block);
    }
    blockQueued.notify_one();
    return Status::ok();
  }

  Result<BlockResult> wait() override {
    std::unique_lock lock(mutex);
    blockComplete.wait(lock, [this] { return !complete.isEmpty() || interrupted; });
    if (!complete.isEmpty())
      return complete.pop();
    interrupted = false;
    return BlockResult{BlockResult::kInterrupted, 0};
  }

  Status interrupt() override {
    {
      std::lock_guard lock(mutex);
      interrupted = true;
    }
    blockComplete.notify_one();
    return Status::ok();
  }

private:
  void serve() {
    std::unique_lock lock(mutex);
    for (;;) {
      blockQueued.wait(lock, [this] { return !queued.isEmpty() || closing; });
      if (queued.isEmpty())
        return;
      Block block = queued.pop();
      lock.unlock();
      int64_t moved = move(block);
      lock.lock();
      complete.push({block.tag, moved});
      blockComplete.notify_one();
    }
  }

  int64_t move(const Block &block) const {
    ssize_t moved = config.direction == IoDirection::Read
                        ? pread(config.descriptor, block.memory, block.bytes, block.offset)
                        : pwrite(config.descriptor, block.memory, block.bytes, block.offset);
    return moved < 0 ? -errno : moved;
  }

  EngineConfig config;
  std::mutex mutex;
  std::condition_variable blockQueued, blockComplete;
  Ring<Block> queued;
  Ring<BlockResult> complete;
  bool interrupted = false, closing = false;
  std::vector<std::thread> threads;
};

} // namespace

Result<std::unique_ptr<BlockEngine>> makeThreadEngine(const EngineConfig &config) {
  auto engine = std::make_unique<ThreadEngine>(config);
  WINDLASS_TRY(engine->start());
  return std::unique_ptr<BlockEngine>(std::move(engine));
}

} // namespace windlass
