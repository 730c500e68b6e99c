// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- OpenWays.h - choices for ops with several candidate placements ========//
//
// Duty: chooses, walk by walk over a module, the placement of every op that has several candidates, until no
// op refuses its operands. Threads, ownership: as MLIR's; ops are keys. Errors: none.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseMap.h"
#include <set>
#include <vector>

namespace windlass::graph {

/// Open ops: ops with several candidate placements (ways). An open op is known by its number in the order of
/// the walk.
using OpenOps = std::set<size_t>;

/// Chooses the way of each open op for a walk: the way that an earlier walk took, or else the first. After a
/// refusal the next walk takes the next way of the last open op on which the refusal depends
/// (conflict-directed backjumping, Prosser 1993). So the ways of unrelated ops do not multiply.
class OpenWays {
public:
  /// The number of the way that this walk takes for `op`, from 0 to `ways` - 1.
  size_t take(mlir::Operation *op, size_t ways);
  /// Records that the ways of open op `op` depend on the ways of `others`.
  void dependOn(size_t op, const OpenOps &others);
  /// How many open ops the walk has passed.
  size_t passed() const { return next; }
  /// Begins another walk. `because`: the open ops on which the refusal depends. False: no walk is left.
  bool tryOthers(OpenOps because);

private:
  struct Open {
    size_t first, tried, ways; ///< `tried`: ways after the first
    OpenOps because;           ///< earlier open ops on which its ways, and their refusals, depend
  };
  std::vector<Open> all;                             ///< in the order of the walk
  llvm::DenseMap<mlir::Operation *, size_t> earlier; ///< the way of each op in earlier walks
  size_t next = 0;
};

} // namespace windlass::graph
