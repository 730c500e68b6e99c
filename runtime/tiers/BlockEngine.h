// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- BlockEngine.h - the seam to the disk ==================================//
//
// Duty: moves blocks between memory and a file, several at once, in any order.
// io_uring and a thread pool stand behind it; tests put a fake there that fails
// on purpose.
// Ownership: the caller keeps the memory alive until the block's completion.
// Threads: `submit` and `interrupt` under one lock of the caller; `wait` from
// one thread, at the same time as both.
// Errors: a block's own failure is its result; a Status means the engine broke.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/base/Status.h"
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

namespace windlass {

enum class IoDirection : uint8_t { Read, Write };

struct Block {
  std::byte *memory = nullptr;
  int64_t bytes = 0;
  int64_t offset = 0; ///< in the file
  uint64_t tag = 0;   ///< comes back with the completion; never kInterrupted
};

struct BlockResult {
  static constexpr uint64_t kInterrupted = ~uint64_t{0};
  uint64_t tag = 0;
  int64_t result = 0; ///< bytes moved, maybe fewer than asked for, or -errno
};

class BlockEngine {
public:
  virtual ~BlockEngine() = default;
  /// Queues a block. The caller keeps the count of queued blocks within the engine's slots.
  virtual Status submit(const Block &block) = 0;
  /// Blocks until some block is complete, or interrupt() was called.
  virtual Result<BlockResult> wait() = 0;
  /// Lets one wait() return kInterrupted.
  virtual Status interrupt() = 0;
  /// Whether the memory it was made for is pinned.
  virtual bool hasRegistered() const { return false; }
};

/// What every engine is made for: one direction of one file.
struct EngineConfig {
  int descriptor = -1;
  IoDirection direction = IoDirection::Read;
  int slots = 8;                   ///< most blocks queued at once
  std::span<std::byte> registered; ///< memory to pin once, if the locked-memory limit allows; may be empty
};

Result<std::unique_ptr<BlockEngine>> makeUringEngine(const EngineConfig &config);
Result<std::unique_ptr<BlockEngine>> makeThreadEngine(const EngineConfig &config);

} // namespace windlass
