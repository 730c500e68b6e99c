// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- GraphBodyCost.h - the operations of maps, reductions and row ops ======//
//
// Duty: counts the operations that generated code takes for an op. An instruction on all lanes of a vector is
// one operation. Functions of `math` count as the operations that they are expanded to, divisions and roots
// by the time that their unit is busy. A value that is equal for all elements along the innermost loop is
// computed once outside of the loop, and does not count. Units: operations on 32-bit lanes; a machine's
// `device.flops.vector` is how many of these the device does per second.
// test/compiler/codegen/KernelCostTest.cpp checks the counts against generated code.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "dialects/Graph/IR/GraphDialect.h"

namespace windlass::graph {

/// Operations that a division or a square root counts for: processors of the last ten years begin a vector of
/// 8 floats every 5 cycles, or of 16 every 10 (uops.info, vdivps and vsqrtps), and do one or two other
/// operations per cycle.
inline constexpr double kDivisionOperations = 10;
/// Operations that the load of an element counts for if no vector load brings it: a load and an insertion for
/// one lane, where other operations do all 16 lanes.
inline constexpr double kLaneLoadOperations = 32;

/// Operations of a map or a reduction, in total.
double countOperations(MapOp op);
double countOperations(ReduceOp op);
/// Operations of the reductions that the op decomposes into, and of its results, each with the maps that are
/// computed for it.
double countDecomposedOperations(DecomposableOpInterface op);

} // namespace windlass::graph
