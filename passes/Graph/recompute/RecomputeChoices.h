// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- RecomputeChoices.h - what layers may keep or repeat =================//
//
// Duty: the layers of a training step as a RecomputeProblem, with the seconds that the machine's rates give
// every operation; and a choice as the names that the pass `recompute` takes. All calls of a layer function
// are one layer: their bytes and seconds together. The last layer is none of them: its backward pass comes
// next, so that whatever it repeats takes its bytes at the very moment when most is kept.
// Units: bytes of one rank, seconds of a micro-batch. Threads, ownership: as MLIR's.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "dialects/Graph/IR/GraphDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "model/Machine.h"
#include "planning/Recompute/RecomputeProblem.h"

namespace windlass::graph {

/// Values and operations alone; `module`: after differentiate, and good for nothing else afterwards
/// (OpSeconds.h).
planning::RecomputeProblem describeRecompute(mlir::ModuleOp module, const model::Machine &machine);

/// "FUNCTION:ACTIVATION" of what a choice keeps, and "FUNCTION:" of every function of the problem.
std::vector<std::string> keptNames(const planning::RecomputeProblem &problem,
                                   const planning::RecomputeChoice &choice);

} // namespace windlass::graph
