// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- TileMatmuls.h - limits on tiles =======================================//
//
// Duty: the limits of the pass `tile-matmuls`, and the limits that it cannot keep, for checks of a user's
// limits. Units: bytes. Threads, ownership: as MLIR's.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/BuiltinOps.h"
#include <optional>
#include <set>
#include <string>

namespace windlass::graph {

struct TileLimits {
  int64_t parameter = 0; ///< bytes of a tile of a parameter; 0: no limit
  /// Bytes of a tile of a matrix between two linear layers, or of logits; 0: no limit.
  int64_t activation = 0;
};

/// The smallest possible tile of a tensor, if this tile is over its limit. Its bytes are the least limit that
/// the pass can keep.
struct LeastTile {
  bool ofParameter = true; ///< false: of an activation
  std::string parameter;   ///< the original name of the parameter that is cut
  int64_t bytes = 0;
};

std::optional<LeastTile> leastTileOver(mlir::ModuleOp module, const TileLimits &limits);

/// Bytes of the largest parameter or activation that tiles can cut.
int64_t largestToTile(mlir::ModuleOp module);

/// Original names of the parameters, matrices and larger, that are over their limit and that no tiles cut, in
/// order.
std::set<std::string> parametersOver(mlir::ModuleOp module, const TileLimits &limits);

} // namespace windlass::graph
