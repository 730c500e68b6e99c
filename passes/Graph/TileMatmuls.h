//===- TileMatmuls.h - what a limit on tiles asks for ======================//
//
// Duty: what the pass `tile-matmuls` cannot do under a limit, for whoever let a person choose it.
// Units: bytes of a parameter.
// Threads, ownership: as MLIR's.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/BuiltinOps.h"
#include <optional>

namespace windlass::graph {

/// One output of a linear layer: the smallest tile its parameter can be cut into.
struct LayerOutput {
  std::string parameter; ///< its original name
  int64_t bytes = 0;
};

/// Of the linear layers over `limit`, the one whose single output is largest, if that exceeds the limit. A
/// limit of its bytes is the smallest that works.
std::optional<LayerOutput> outputOver(mlir::ModuleOp module, int64_t limit);

} // namespace windlass::graph
