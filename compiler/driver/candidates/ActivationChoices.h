// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- ActivationChoices.h - which activations layers may keep ===============//
//
// Duty: the front of choices of activations to keep. A choice keeps some activations of every layer and
// repeats the others; of two choices on the front, one keeps fewer bytes and the other repeats for fewer
// seconds. The first choice keeps all activations, the last none. Other limits of tiles make other
// activations, so that each limits have a front of their own. Also says with which choice a search on a
// machine begins.
// Units: bytes of one rank, seconds of a micro-batch. Errors: those of the passes; CannotFit for a layer with
// too many choices (planning/Recompute/RecomputeSolver.h). Threads, ownership: values.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/driver/candidates/Levels.h"
#include "passes/Graph/recompute/RecomputeChoices.h"
#include "planning/Recompute/RecomputeProblem.h"

namespace windlass {

class ActivationChoices {
public:
  /// Those of the layers of an imported model, cut by `limits`. Where tiles repeat all of a layer, nothing is
  /// left to keep: the only choice then keeps nothing.
  static Result<ActivationChoices> of(mlir::ModuleOp imported, const Limits &limits, Levels &levels);

  size_t size() const { return front.choices.size(); }
  /// A few choices, evenly spread over the front without its last, for a search that asks whether any fits. A
  /// choice that keeps more may need less of the device: kept activations may rest on another tier, of which
  /// it needs more.
  std::vector<size_t> spread() const;
  /// A choice as a decision.
  Recompute recompute(size_t choice) const;
  /// The seconds that a choice repeats.
  double seconds(size_t choice) const { return front.choices[choice].seconds; }
  /// The bytes that a choice keeps and the seconds that it repeats, beside those of the whole layers; and the
  /// gap of the front.
  plan::Figures figures(size_t choice) const;

  /// The share of the layers that a planned module has, and how many micro-batches are in flight: their
  /// activations exist at the same time.
  struct Share {
    double layers = 1, microBatches = 1;
  };
  /// The choice of least cost, if it may use what the arenas of a planned module leave free. `planned`: keeps
  /// every residual (`keepsAll`), or none. `compute`: its seconds of a micro-batch without repetition.
  Result<planning::RecomputeSolution> choose(mlir::ModuleOp planned, bool keepsAll, double compute,
                                             const model::Machine &machine, const Share &share) const;

private:
  graph::RecomputeChoices described;
  planning::RecomputeFront front;
};

} // namespace windlass
