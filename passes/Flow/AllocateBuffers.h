//===- AllocateBuffers.h - offsets for homes and buffers ===================//
//
// Duty: lays homes at the bottom of each tier's arena, packs every section's buffers
// above them (a Memory problem each, solved and checked), and writes the offsets.
// Threads, ownership: as MLIR's.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/planning/Memory/MemoryProblem.h"
#include "dialects/Flow/IR/FlowDialect.h"
#include <array>

namespace windlass::flow {

struct ArenaUse {
  int64_t homes = 0;      ///< bytes of homes
  int64_t buffers = 0;    ///< bytes above them
  int64_t lowerBound = 0; ///< homes + the largest sum of live bytes
  std::string worstSection;
  int64_t bytes() const { return homes + buffers; }
};

/// How long a buffer keeps its bytes to itself after its last user was issued. From least to most room.
enum class Lifetimes {
  ByOrder,  ///< the next instruction may take them, and then waits for that user
  ByTime,   ///< until the user has ended in the schedule, so that whoever takes them need not wait
  ByMargin, ///< until a transfer that takes twice as long as planned has ended
};

/// One kind of lifetimes per tier.
Result<std::array<ArenaUse, 3>> allocateBuffers(mlir::ModuleOp module,
                                                const std::array<Lifetimes, 3> &lifetimes);

} // namespace windlass::flow
