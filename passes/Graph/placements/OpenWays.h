// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- OpenWays.h - what a walk tries where an op leaves ways open ========//
//
// Duty: the choices of walks over a module of which some op may be placed in several ways, until a walk is
// refused nowhere. Threads, ownership: as MLIR's; ops are keys. Errors: none.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseMap.h"
#include <set>
#include <vector>

namespace windlass::graph {

/// Ops that left ways open, by their place among those.
using OpenOps = std::set<size_t>;

/// Which of the ways that ops leave open a walk takes: of each the first, or the one that an earlier walk
/// took. A walk that is refused goes back to the last of those ops on which the refusal depends, and takes
/// its next way (conflict-directed backjumping, Prosser 1993), so that what lies between does not multiply.
class OpenWays {
public:
  /// The way to take of an op that leaves some open, of `ways`.
  size_t take(mlir::Operation *op, size_t ways);
  /// What ways an op has depends on those of others.
  void dependOn(size_t op, const OpenOps &others);
  /// How many such ops the walk has passed.
  size_t passed() const { return next; }
  /// Goes back for another walk. `because`: on what the refusal depends. False: no walk is left.
  bool tryOthers(OpenOps because);

private:
  struct Open {
    size_t first, tried, ways; ///< `tried` behind the first
    OpenOps because;           ///< on what its ways, and the refusals of those before, depend
  };
  std::vector<Open> all;                             ///< in the order of the walk
  llvm::DenseMap<mlir::Operation *, size_t> earlier; ///< what earlier walks took
  size_t next = 0;
};

} // namespace windlass::graph
