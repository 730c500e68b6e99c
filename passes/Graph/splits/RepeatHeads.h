// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- RepeatHeads.h - key heads that ranks do not divide ==================//
//
// Duty: has each head of keys and values stand as often side by side as it takes for ranks to divide them,
// where ranks divide the query heads. A rank then has whole key heads for the query heads that it has; of
// heads that are repeated all ranks compute the keys and values.
// Threads, ownership: as MLIR's. Errors: none.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "dialects/Graph/IR/GraphDialect.h"
#include "mlir/IR/BuiltinOps.h"

namespace windlass::graph {

void repeatKeyHeads(mlir::ModuleOp module, int64_t ranks);

} // namespace windlass::graph
