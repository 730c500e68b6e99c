// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- CloneByStages.h - one body per layer and stages =====================//
//
// Duty: calls of a layer function share its body, in which gathers and reductions stand; those of instances
// whose buckets have other stages get a copy of it.
// Threads, ownership: as MLIR's.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "passes/Dist/ShardLayout.h"

namespace windlass::dist {

/// The first call's stages keep the function; the copies are named after theirs.
void cloneByStages(mlir::ModuleOp module, const ShardLayout &layout);

} // namespace windlass::dist
