// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- AllocateBuffers.h - offsets for homes and buffers ===================//
//
// Duty: lays homes at the bottom of a tier's arena, packs every section's buffers
// above them (a Memory problem each, solved and checked), and writes the offsets.
// Units: bytes of one rank. Threads, ownership: as MLIR's; refers to the module, whose
// instructions must stay as they are.
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

/// How long a buffer keeps its bytes to itself after its last user was issued. From least to most room.
enum class Lifetimes {
  ByOrder,  ///< the next instruction may take them, and then waits for that user
  ByTime,   ///< until the user has ended in the schedule, so that whoever takes them need not wait
  ByMargin, ///< until a transfer that takes twice as long as planned has ended
};

class BufferAllocator {
public:
  explicit BufferAllocator(mlir::ModuleOp module);

  /// Lays out one tier; no smaller than in `enough` bytes.
  Result<ArenaUse> allocate(Tier tier, Lifetimes lifetimes, int64_t enough = 0);
  /// False if the bytes that live at once are already more than `capacity`.
  bool mayFit(Tier tier, Lifetimes lifetimes, int64_t capacity) const;

private:
  struct Buffer {
    AllocOp alloc;
    int64_t begin = 0;
    std::array<int64_t, 3> end{}; ///< by Lifetimes
  };
  using SectionBuffers = std::array<std::vector<Buffer>, 3>; ///< by tier, in the order of their first users

  static SectionBuffers buffersOf(SectionOp section);
  static planning::MemoryProblem problemOf(const std::vector<Buffer> &buffers, Lifetimes lifetimes);

  mlir::ModuleOp module;
  std::vector<SectionBuffers> sections;
};

} // namespace windlass::flow
