// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- CloneByZero.h - one body per layer and ZeRO of its buckets ==========//
//
// Duty: calls of a layer function share its body, in which gathers and reductions stand; those of instances
// whose buckets are shared out otherwise get a copy of it.
// Threads, ownership: as MLIR's.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "passes/Dist/ShardLayout.h"

namespace windlass::dist {

/// The first call keeps the function. A copy is named after the ZeRO of its instance's buckets, in their
/// order.
void cloneByZero(mlir::ModuleOp module, const ShardLayout &layout);

} // namespace windlass::dist
