// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- RecomputeChoices.h - what layers may keep or repeat =================//
//
// Duty: the layers of a training step as a RecomputeProblem, with the seconds that the machine's rates give
// every operation; and a choice as the names of what layer functions keep. All calls of a layer function
// are one layer: their bytes and seconds together. The last layer is none of them: its backward pass comes
// next, so that whatever it repeats takes its bytes at the very moment when most is kept.
// Units: bytes of one rank, seconds of a micro-batch. Threads, ownership: as MLIR's.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "dialects/Graph/IR/GraphDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "model/Machine.h"
#include "passes/Graph/gradients/LayerCalls.h"
#include "planning/Recompute/RecomputeProblem.h"

namespace windlass::graph {

/// A value of the problem: an activation of a layer function, or an argument, which has no name.
struct LayerValue {
  std::string function, activation;
};

struct RecomputeChoices {
  planning::RecomputeProblem problem; ///< values and operations alone
  std::vector<LayerValue> values;     ///< of the problem

  /// What a choice keeps in every function of the problem.
  KeptNames kept(const planning::RecomputeChoice &choice) const;
};

/// `module`: after differentiate, and good for nothing else afterwards (OpSeconds.h).
RecomputeChoices describeRecompute(mlir::ModuleOp module, const model::Machine &machine);

} // namespace windlass::graph
