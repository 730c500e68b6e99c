// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- ActivationChoices.h - what layers may keep, in order ================//
//
// Duty: the ways to keep some activations of the layers and repeat the others, none of which is better than
// another by the machine's rates: the fewest bytes last; and which of them a machine with so much room should
// begin with.
// Units: bytes of one rank, seconds of a micro-batch. Errors: those of the passes, and of a layer that is too
// entangled (planning/Recompute/RecomputeSolver.h).
// Threads, ownership: values.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/driver/Levels.h"
#include "passes/Graph/recompute/RecomputeChoices.h"
#include "planning/Recompute/RecomputeProblem.h"

namespace windlass {

class ActivationChoices {
public:
  static Result<ActivationChoices> of(mlir::ModuleOp imported, Levels &levels);

  size_t size() const { return front.choices.size(); }
  /// A few from all to fewest bytes, for who asks whether any fits. Kept in all layers, more of them need
  /// less of the device, for they may rest elsewhere, and more of that.
  std::vector<size_t> spread() const;
  /// As a decision.
  Recompute recompute(size_t choice) const;
  /// What a choice repeats.
  double seconds(size_t choice) const { return front.choices[choice].seconds; }
  /// What a choice keeps and repeats, of how much, and how far it may be from the best.
  plan::Figures figures(size_t choice) const;

  /// `planned`: where every residual, or none (`keepsAll`), is kept, and what is left beside it may be used.
  /// `compute`: of a micro-batch without repetition.
  Result<planning::RecomputeSolution> choose(mlir::ModuleOp planned, bool keepsAll, double compute,
                                             const model::Machine &machine) const;

private:
  graph::RecomputeChoices described;
  planning::RecomputeFront front;
};

} // namespace windlass
