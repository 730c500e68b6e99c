// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- DistDialect.h - the dist dialect ======================================//
//
// Duty: the ops and attributes that say which ranks compute and store each tensor. Rationale:
// docs/dialects/dist.md. Threads, ownership: as MLIR's.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "dialects/Graph/IR/GraphDialect.h"

#include "dialects/Dist/IR/DistDialect.h.inc"
#define GET_ATTRDEF_CLASSES
#include "dialects/Dist/IR/DistAttrs.h.inc"
#define GET_OP_CLASSES
#include "dialects/Dist/IR/DistOps.h.inc"

namespace windlass::dist {

/// Marks a func.func as an outlined kernel.
inline constexpr llvm::StringLiteral kKernelAttr = "dist.kernel";

/// The mesh of the module that `from` is or stands in; null where it has none.
MeshOp meshOf(mlir::Operation *from);

} // namespace windlass::dist
