// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- FewLayers.h - a model with few of its layers ========================//
//
// Duty: of an imported model whose layers follow one another, a copy with the first and the last of each
// layer function alone: what it computes with at one time, the whole model computes with, too, and it is
// lowered in no time.
// Threads, ownership: as MLIR's.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace windlass::graph {

/// Null where that leaves out no layer, or so few that nothing is gained.
mlir::OwningOpRef<mlir::ModuleOp> withFewLayers(mlir::ModuleOp imported);

} // namespace windlass::graph
