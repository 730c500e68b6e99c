// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- TileMatmuls.h - what limits on tiles ask for ========================//
//
// Duty: what the pass `tile-matmuls` cannot do under its limits, for whoever let a person choose them.
// Units: bytes.
// Threads, ownership: as MLIR's.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/BuiltinOps.h"
#include <optional>
#include <string>

namespace windlass::graph {

struct TileLimits {
  int64_t parameter = 0; ///< of a tile of a parameter; 0: none is too large
  int64_t activation =
      0; ///< of a tile of a matrix between two linear layers, or of logits; 0: none is too large
};

/// The smallest tile there can be, where a limit asks for less: a limit of its bytes is the least that works.
struct LeastTile {
  bool ofParameter = true; ///< else of an activation
  std::string parameter;   ///< the original name of what is cut
  int64_t bytes = 0;
};

std::optional<LeastTile> leastTileOver(mlir::ModuleOp module, const TileLimits &limits);

/// Bytes of the largest parameter or activation that tiles can cut.
int64_t largestToTile(mlir::ModuleOp module);

} // namespace windlass::graph
