// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- RepeatOps.h - ops that are repeated in the backward pass ==============//
//
// Duty: repeats the ops with the attribute kRepeat for the ops of the backward pass that read them, each
// right before its first reader. So the values of a tile exist for one tile at a time in the backward pass,
// too. Threads, ownership: as MLIR's. Errors: none.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/Operation.h"

namespace windlass::graph {

/// `forward`: the ops of a block's forward pass, in program order; all ops behind the last one are the
/// backward pass. The repeated ops get the phase recompute.
void repeatForBackward(llvm::ArrayRef<mlir::Operation *> forward);

} // namespace windlass::graph
