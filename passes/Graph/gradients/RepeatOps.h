// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- RepeatOps.h - what the backward pass computes again =================//
//
// Duty: the ops that say so (kRepeat) are repeated for the ops of the backward pass that read them, each
// right before its first reader: so that what a tile makes exists one tile at a time in the backward pass
// too. Threads, ownership: as MLIR's.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/Operation.h"

namespace windlass::graph {

/// `forward`: the ops of a block's forward pass, in program order; what stands behind the last is the
/// backward pass. The repeated ops are of phase recompute.
void repeatForBackward(llvm::ArrayRef<mlir::Operation *> forward);

} // namespace windlass::graph
