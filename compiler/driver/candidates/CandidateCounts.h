// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- CandidateCounts.h - the counts of a candidate, from few layers ======//
//
// Duty: counts the step of a candidate (planning/Step/StepCounts.h) without lowering all layers of the model:
// few layers are lowered, and few and one more, and the counts are extended to all of them.
// Errors: none; nothing where few layers say nothing of all. Threads, ownership: as MLIR's; refers to
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
      : training(training), levels(levels), graphs(graphs) {}

  /// Of a pipeline: what its fullest stage holds at least, and nothing of what it does.
  /// `machine`: machines that are asked for one after the other differ in capacities alone. Of a model with
  /// layers of several functions, the counts of few layers: all of them take as much at least.
  std::optional<planning::StepCounts> of(const Candidate &candidate, const model::Machine &machine);

  /// Whether few layers are lowered to the same module under both, as all of them are then; nothing where few
  /// layers say nothing of all.
  std::optional<bool> areAlike(const Candidate &candidate, const Candidate &other,
                               const model::Machine &machine);

  /// Whether of() counts all layers of the model, not few alone.
  bool areOfAll();

private:
  /// Whether the decisions mean the same with few layers as with all.
  bool fewRepresentAll(const Candidate &candidate, const planning::ClassTiers &tiers,
                       const model::Machine &machine) const;
  mlir::OwningOpRef<mlir::ModuleOp> lowered(Layers layers, const Candidate &candidate);
  std::optional<planning::StepCounts> count(Layers layers, const Candidate &candidate,
                                            const model::Machine &machine);
  /// Of a candidate whose layers are all alike, as one program for all stages.
  std::optional<planning::StepCounts> ofAlike(const Candidate &candidate, const model::Machine &machine);
  /// Of a candidate that repeats the first layers alone, as one program for all stages.
  std::optional<planning::StepCounts> ofSomeRepeated(const Candidate &candidate,
                                                     const model::Machine &machine);
  /// Of few layers, and of one more where these say what each layer adds.
  struct Counted {
    planning::StepCounts few;
    std::optional<planning::StepCounts> more;
  };
  std::optional<Counted> countFew(const Candidate &candidate, const model::Machine &machine);
  /// `layers`: beyond the few.
  static planning::StepCounts extended(const Counted &counted, int64_t layers);
  std::optional<Counted> counted(const Candidate &candidate, const model::Machine &machine);

  const TrainingOptions &training;
  Levels &levels;
  ModelGraphs &graphs;
  std::map<std::pair<LoweringKey, int64_t>, std::optional<Counted>> known; ///< and by chunk
};

} // namespace windlass
