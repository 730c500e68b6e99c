// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Linear.h - whether a map may be run on terms ========================//
//
// Duty: a map of terms makes terms if its body is linear in them: then the sum of what it makes is what it
// would make of the sum. Threads, ownership: as MLIR's. Errors: none.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "dialects/Graph/IR/GraphDialect.h"

namespace windlass::graph {

/// Whether every result is linear in the inputs that are terms, and depends on them.
bool isLinear(MapOp map, llvm::ArrayRef<bool> areTerms);

} // namespace windlass::graph
