// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- GraphExchange.h - between ranks that share out operations ===========//
//
// Duty: the exchange ops of the graph dialect, apart from the others so that who knows nothing of ranks that
// share out operations need not read them. Rationale: docs/dialects/graph.md.
// Threads, ownership: as MLIR's.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "dialects/Graph/IR/GraphDialect.h"

#define GET_OP_CLASSES
#include "dialects/Graph/IR/GraphExchangeOps.h.inc"
