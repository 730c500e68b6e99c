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
#include "llvm/ADT/MapVector.h"

namespace windlass::graph {

/// What an attention read before its key heads were repeated.
struct RepeatedHeads {
  mlir::Value keys, values;
  int64_t keyHeads;
};
using RepeatedAttention = llvm::MapVector<mlir::Operation *, RepeatedHeads>;

/// Of every attention of which ranks may have some heads. One key head serves all ranks as it is.
RepeatedAttention repeatKeyHeads(mlir::ModuleOp module, int64_t ranks);
/// Of an attention that all ranks compute alike, which then reads what it did.
void takeBack(AttentionOp op, const RepeatedHeads &repeated);

} // namespace windlass::graph
