// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- RecomputeChoices.h - activations that layers may keep or repeat =======//
//
// Duty: describes the layers of a training step as a RecomputeProblem, with the seconds of each operation by
// the machine's rates, and translates a choice to the names of the activations that layer functions keep. All
// calls of a layer function are one layer of the problem, with the sums of their bytes and seconds. The last
// layer is left out: its backward pass follows at once, so that repeated activations would take their bytes
// at the moment when the kept bytes are most. Units: bytes of one rank, seconds of a micro-batch. Threads,
// ownership: as MLIR's.
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

  /// The activations that a choice keeps, in every function of the problem.
  KeptNames kept(const planning::RecomputeChoice &choice) const;
};

/// The problem of a module after differentiate. Changes the module, which the caller must not use afterwards
/// (OpSeconds.h).
RecomputeChoices describeRecompute(mlir::ModuleOp module, const model::Machine &machine);

} // namespace windlass::graph
