// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- ArenaHistory.h - who touched which bytes of the arenas last =========//
//
// Duty: the history of accesses to the three arenas of a rank: conflicts are those of data and, once every
// buffer has an offset, those of bytes that two buffers share.
// Ownership: refers to the homes. Threads: none.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "passes/Flow/homes/Homes.h"
#include "passes/Flow/waits/ByteRanges.h"
#include <array>

namespace windlass::flow {

enum class Buffers : uint8_t {
  Apart,   ///< each has bytes of its own, as if memory had no end; they need no offsets
  LaidOut, ///< at their offsets
};

class ArenaHistory {
public:
  ArenaHistory(const HomeTable &homes, Buffers buffers) : homes(homes), buffers(buffers) {}

  /// Notes the accesses of an instruction; a range that differs by rank counts as all of its places on a mesh
  /// of these axes.
  void access(InstructionOpInterface op, uint32_t who, llvm::ArrayRef<int64_t> mesh,
              AccessHistory::OnConflict onConflict);

private:
  AccessHistory &historyOf(mlir::Value root);
  int64_t arenaOffset(mlir::Value root) const;

  const HomeTable &homes;
  Buffers buffers;
  llvm::DenseMap<mlir::Operation *, AccessHistory> apart; ///< by allocation or home
  std::array<AccessHistory, 3> tiers;
  std::map<std::pair<size_t, int64_t>, AccessHistory> owned; ///< homes by tier and owner: nobody else's bytes
};

} // namespace windlass::flow
