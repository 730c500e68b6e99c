// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- DeclareBuckets.h - buckets in the place of states =====================//
//
// Duty: declares the mesh and the buckets of a layout as symbols of a module, with the members and the roles
// of each, and erases the states that they hold. Threads, ownership: as MLIR's.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "passes/Dist/ShardLayout.h"

namespace windlass::dist {

void declareBuckets(mlir::ModuleOp module, const ShardLayout &layout);

} // namespace windlass::dist
