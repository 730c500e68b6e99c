// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- FewLayers.h - a model with few of its layers ==========================//
//
// Duty: makes a copy of an imported model that has few layers: the first ones and the last of each layer
// function. The whole model computes everything that the copy computes at one time, so bounds of the copy
// hold for the model, and the copy is lowered quickly. A copy with one layer more shows by how much a step
// grows from layer to layer.
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
