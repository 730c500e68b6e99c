// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- FewLayers.h - a model with few of its layers ========================//
//
// Duty: of an imported model whose layers follow one another, a copy with the first and the last of each
// layer function alone: what it computes with at one time, the whole model computes with, too, and it is
// lowered in no time. With one layer more it says by how much a step grows from layer to layer.
// Threads, ownership: as MLIR's.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace windlass::graph {

struct FewLayers {
  mlir::OwningOpRef<mlir::ModuleOp> module; ///< null where too few layers are left out for any gain
  int64_t leftOut = 0;                      ///< layers of one function; 0: layers of several are left out
};

/// `more`: layers of each function beyond the fewest; there is a module of any gain then.
FewLayers withFewLayers(mlir::ModuleOp imported, size_t more = 0);

} // namespace windlass::graph
