// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- RepeatHeads.h - repeats key heads until ranks divide them =============//
//
// Duty: repeats each head of keys and values, side by side, until ranks divide the number of key heads, if
// they divide the number of query heads. A rank then has whole key heads for its query heads. All ranks
// compute the keys and values of heads that are repeated.
// Threads, ownership: as MLIR's. Errors: none.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "dialects/Graph/IR/GraphDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/MapVector.h"

namespace windlass::graph {

/// The keys and values that an attention read before they were repeated.
struct RepeatedHeads {
  mlir::Value keys, values;
  int64_t keyHeads;
};
using RepeatedAttention = llvm::MapVector<mlir::Operation *, RepeatedHeads>;

/// Repeats the key heads of every attention whose heads ranks may share out. A single key head serves all
/// ranks and is not repeated.
RepeatedAttention repeatKeyHeads(mlir::ModuleOp module, int64_t ranks);
/// Undoes the repetition for an attention that all ranks compute alike: it reads its former keys and values
/// again.
void takeBack(AttentionOp op, const RepeatedHeads &repeated);

} // namespace windlass::graph
