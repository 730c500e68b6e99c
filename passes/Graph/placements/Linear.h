// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Linear.h - linearity of the bodies of maps ============================//
//
// Duty: decides whether a map of terms yields terms. It does if its body is linear in the terms: then the sum
// of the results over ranks is the result of the sum. Threads, ownership: as MLIR's. Errors: none.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "dialects/Graph/IR/GraphDialect.h"

namespace windlass::graph {

/// Whether every result is linear in the inputs that are terms, and depends on them.
bool isLinear(MapOp map, llvm::ArrayRef<bool> areTerms);

} // namespace windlass::graph
