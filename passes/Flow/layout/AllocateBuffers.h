// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- AllocateBuffers.h - offsets for homes and buffers =====================//
//
// Duty: writes the offsets of homes and buffers. In each tier homes lie at the bottom of the arena; the
// buffers of every section are packed above them, as one Memory problem per section, solved and checked.
// Units: bytes of one rank. Threads, ownership: as MLIR's; refers to the module, whose instructions must not
// change.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "dialects/Flow/IR/FlowDialect.h"
#include "planning/Memory/MemorySolver.h"
#include <array>
#include <vector>

namespace windlass::flow {

struct ArenaUse {
  int64_t homes = 0;      ///< bytes of homes
  int64_t buffers = 0;    ///< bytes above them
  int64_t lowerBound = 0; ///< homes + the largest sum of live bytes
  int64_t bytes() const { return homes + buffers; }
};

/// How long a buffer keeps its bytes after its last user is issued. Longer lifetimes take more bytes and
/// cause fewer waits.
enum class Lifetimes {
  ByOrder,  ///< until the next instruction, which may take the bytes and then waits for the last user
  ByTime,   ///< until the last user ends in the schedule
  ByMargin, ///< until the last user ends in the schedule if, as a transfer, it takes twice its seconds
};

class BufferAllocator {
public:
  /// Buffers of the device begin at multiples of `deviceAlignment`; 0: as everywhere.
  BufferAllocator(mlir::ModuleOp module, int64_t deviceAlignment);

  /// Lays out one tier. A layout of at most `enough` bytes is not made smaller.
  Result<ArenaUse> allocate(Tier tier, Lifetimes lifetimes, int64_t enough = 0);
  /// The largest sum of bytes that live at one time in a section, beside homes.
  int64_t mostLiveBytes(Tier tier, Lifetimes lifetimes) const;
  /// A bound: false if the bytes that live at one time exceed `capacity`.
  bool mayFit(Tier tier, Lifetimes lifetimes, int64_t capacity) const;

private:
  struct Buffer {
    AllocOp alloc;
    int64_t begin = 0;
    std::array<int64_t, 3> end{}; ///< by Lifetimes
  };
  using SectionBuffers = std::array<std::vector<Buffer>, 3>; ///< by tier; in the order of first users

  static SectionBuffers buffersOf(SectionOp section);
  planning::MemoryProblem problemOf(const std::vector<Buffer> &buffers, Lifetimes lifetimes) const;
  int64_t alignmentOf(BufferType type) const;

  mlir::ModuleOp module;
  int64_t deviceAlignment;
  std::vector<SectionBuffers> sections;
};

} // namespace windlass::flow
