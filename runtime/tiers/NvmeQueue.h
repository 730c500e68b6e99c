// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- NvmeQueue.h - transfers in flight, complete in order ==================//
//
// Duty: one direction of one file. Cuts transfers into blocks of at most 1 MiB,
// keeps `depth` transfers in flight, continues short blocks where a sector begins,
// checks every result, and hands transfers back in the order they came (prefix completion).
// Threads: `submit` from one thread, `reap` from another, `stop` from any.
// Ownership: owns its engine; the caller keeps the memory until `reap` or `drain`.
// Errors: a failed transfer is handed back, in its turn, as the Status of `reap`.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/base/DiskBlock.h"
#include "runtime/tiers/BlockEngine.h"
#include <condition_variable>
#include <mutex>
#include <vector>

namespace windlass {

/// A range of the file and the memory it goes to or comes from; 4 KiB aligned.
struct Transfer {
  std::byte *memory = nullptr;
  int64_t offset = 0;
  int64_t bytes = 0;
};

class NvmeQueue {
public:
  static constexpr int64_t kBlockBytes = kDiskBlockBytes;

  /// `slots`: most blocks in flight, no more than the engine has.
  NvmeQueue(std::unique_ptr<BlockEngine> engine, IoDirection direction, int64_t depth, int slots);

  /// Starts a transfer; at most `depth` may be unreaped. One of no bytes only keeps its place.
  Status submit(const Transfer &transfer);
  /// Blocks until the oldest transfer is complete, or the queue is stopped.
  Status reap();
  /// Refuses further transfers and releases `reap`, which then fails.
  void stop();
  /// After stop(), from the thread that reaps: waits until no block is in flight.
  void drain();

private:
  struct Flight {
    Transfer transfer;
    int64_t started = 0;   ///< bytes given to the engine
    int64_t completed = 0; ///< bytes the engine has moved
    int64_t inEngine = 0;  ///< blocks not yet back
    Status failure;
    bool isOver() const { return failure.isOk() ? completed == transfer.bytes : inEngine == 0; }
  };
  struct Slot {
    Flight *flight = nullptr; ///< null: free
    Block block;
    int stalls = 0; ///< completions in a row that moved no whole sector
  };

  Status startBlocks();
  Status start(Slot &slot);
  void settle(const BlockResult &result);
  void fail(Flight &flight, const Block &block, const std::string &reason) const;

  std::unique_ptr<BlockEngine> engine;
  IoDirection direction;
  std::mutex mutex;
  std::condition_variable submitted; ///< a transfer, or the end
  std::vector<Flight> flights;       ///< a ring of `depth`
  size_t oldest = 0, count = 0;
  std::vector<Slot> slots;
  int64_t inEngine = 0;
  bool stopped = false;
  Status engineFailure;
};

} // namespace windlass
