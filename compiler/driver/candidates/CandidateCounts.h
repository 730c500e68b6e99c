// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- CandidateCounts.h - the counts of a candidate, from few layers ========//
//
// Duty: counts the step of a candidate (planning/Step/StepCounts.h) without lowering all layers of the model.
// A copy of the model with few layers is lowered, and one with one layer more, and the counts are
// extrapolated to all layers. Errors: none; the results are empty if the decisions mean something else with
// few layers (fewRepresentAll()), or if a copy cannot be lowered. Threads, ownership: as MLIR's; refers to
// training options, levels and graphs.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/driver/candidates/ModelGraphs.h"
#include "planning/Step/StepBound.h"
#include <map>
#include <optional>

namespace windlass {

class CandidateCounts {
public:
  CandidateCounts(const TrainingOptions &training, Levels &levels, ModelGraphs &graphs)
      : training(training), levels(levels), graphs(graphs), lowerings(graphs.lowerings(training)) {}

  /// The counts of a candidate. For a pipeline, lower bounds of the bytes of its fullest stage, without its
  /// work. For a model with layers of several functions, the counts of few layers, which are lower bounds for
  /// all. `machine`: the machines of all calls may differ in capacities alone.
  std::optional<planning::StepCounts> of(const Candidate &candidate, const model::Machine &machine);

  /// Whether the copy with few layers is lowered to the same module for both candidates; then the whole model
  /// is, too. Nothing if that is unknown.
  std::optional<bool> areAlike(const Candidate &candidate, const Candidate &other,
                               const model::Machine &machine);

  /// Whether of() counts all layers of the model, not few alone.
  bool areOfAll();

private:
  /// Whether the decisions mean the same with few layers as with all.
  bool fewRepresentAll(const Candidate &candidate, const planning::ClassTiers &tiers,
                       const model::Machine &machine) const;
  mlir::ModuleOp lowered(Layers layers, const Candidate &candidate);
  mlir::OwningOpRef<mlir::ModuleOp> lower(Layers layers, const Candidate &candidate);
  std::optional<planning::StepCounts> count(Layers layers, const Candidate &candidate,
                                            const model::Machine &machine);
  /// The counts of a candidate that repeats all layers or none, as one program for all stages.
  std::optional<planning::StepCounts> ofAlike(const Candidate &candidate, const model::Machine &machine);
  /// The counts of a candidate that repeats only the first layers, as one program for all stages.
  std::optional<planning::StepCounts> ofSomeRepeated(const Candidate &candidate,
                                                     const model::Machine &machine);
  /// The counts with few layers and, if areOfAll(), with one layer more.
  struct Counted {
    planning::StepCounts few;
    std::optional<planning::StepCounts> more;
  };
  std::optional<Counted> countFew(const Candidate &candidate, const model::Machine &machine);
  /// The counts with `layers` more than the few layers.
  static planning::StepCounts extended(const Counted &counted, int64_t layers);
  std::optional<Counted> counted(const Candidate &candidate, const model::Machine &machine);

  const TrainingOptions &training;
  Levels &levels;
  ModelGraphs &graphs;
  std::shared_ptr<Lowerings> lowerings;
  std::map<std::pair<LoweringKey, int64_t>, std::optional<Counted>> known; ///< and by chunk
};

} // namespace windlass
