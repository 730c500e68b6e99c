// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- CloneByZero.h - one layer function per zero of its buckets ============//
//
// Duty: clones layer functions. The body of a layer function has gathers and reductions, which depend on the
// zero of its buckets. Instances whose buckets have other values of zero get a copy of the function.
// Threads, ownership: as MLIR's.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "passes/Dist/ShardLayout.h"

namespace windlass::dist {

/// The instance of the first call keeps the function. The name of a copy has the values of zero of its
/// instance's buckets, in their order.
void cloneByZero(mlir::ModuleOp module, const ShardLayout &layout);

} // namespace windlass::dist
