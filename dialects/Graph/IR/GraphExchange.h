// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- GraphExchange.h - exchanges between tensor-parallel ranks =============//
//
// Duty: the exchange ops of the graph dialect. They have a header of their own, since most code knows nothing
// of tensor-parallel ranks. Rationale: docs/dialects/graph.md. Threads, ownership: as MLIR's.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "dialects/Graph/IR/GraphDialect.h"

#define GET_OP_CLASSES
#include "dialects/Graph/IR/GraphExchangeOps.h.inc"
