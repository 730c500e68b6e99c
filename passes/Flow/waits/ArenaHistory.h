// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- ArenaHistory.h - who touched which bytes of the arenas last ===========//
//
// Duty: the history of accesses to the three arenas of a rank. Two accesses to the same buffer conflict; once
// buffers have offsets, so do accesses to two buffers that share bytes.
// Ownership: refers to the homes. Threads: none.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "passes/Flow/homes/Homes.h"
#include "passes/Flow/waits/ByteRanges.h"
#include <array>

namespace windlass::flow {

enum class Buffers : uint8_t {
  Apart,   ///< every buffer has bytes of its own, as if memory had no end; offsets are not needed
  LaidOut, ///< every buffer lies at its offset
};

class ArenaHistory {
public:
  ArenaHistory(const HomeTable &homes, Buffers buffers) : homes(homes), buffers(buffers) {}

  /// Adds the accesses of an instruction, whose section counts its micro-batches from `first` on. A range
  /// that differs by rank counts once for every rank of a mesh with these axes.
  void access(InstructionOpInterface op, uint32_t who, int64_t first, llvm::ArrayRef<int64_t> mesh,
              AccessHistory::OnConflict onConflict);

private:
  AccessHistory &historyOf(mlir::Value root);
  int64_t arenaOffset(mlir::Value root) const;

  const HomeTable &homes;
  Buffers buffers;
  llvm::DenseMap<mlir::Operation *, AccessHistory> apart; ///< by allocation or home
  std::array<AccessHistory, 3> tiers;
  std::map<std::pair<size_t, int64_t>, AccessHistory>
      owned; ///< homes of owners, by tier and owner: no other rank has their bytes
};

} // namespace windlass::flow
