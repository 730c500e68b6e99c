// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- ArenaHistory.h - who touched which bytes of the arenas last =========//
//
// Duty: the history of accesses to the three arenas of a rank, once every buffer has an
// offset: conflicts are those of data and those of bytes that two buffers share.
// Ownership: refers to the homes. Threads: none.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "passes/Flow/ByteRanges.h"
#include "passes/Flow/Homes.h"
#include <array>

namespace windlass::flow {

class ArenaHistory {
public:
  explicit ArenaHistory(const HomeTable &homes) : homes(homes) {}

  /// Notes the accesses of an instruction; a range that differs by rank counts as all of its places on a mesh
  /// of these axes.
  void access(InstructionOpInterface op, uint32_t who, llvm::ArrayRef<int64_t> mesh,
              AccessHistory::OnConflict onConflict);

private:
  int64_t arenaOffset(mlir::Value root) const;

  const HomeTable &homes;
  std::array<AccessHistory, 3> tiers;
  std::map<std::pair<size_t, int64_t>, AccessHistory> owned; ///< homes by tier and owner: nobody else's bytes
};

} // namespace windlass::flow
