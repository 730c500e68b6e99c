// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- GraphOps.td - states, steps, maps, reductions, coarse ops -*- tablegen -*-===//

#ifndef WINDLASS_GRAPH_OPS
#define WINDLASS_GRAPH_OPS

include "dialects/Graph/IR/GraphStateOps.td"
include "dialects/Graph/IR/GraphMapOps.td"
include "dialects/Graph/IR/GraphCoarseOps.td"

#endif
