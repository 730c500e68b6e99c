// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Refusal.h - what would fit where nothing does =======================//
//
// Duty: says what a machine lacks (Shortage.h). Everything that may be tried (LeanWays.h) is tried for larger
// machines until something fits. Errors: the refusal (CannotFit) itself; other failures of a
// plan as they are. Threads, ownership: as MLIR's; refers to what it is made of.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/driver/CandidatePlanner.h"

namespace windlass {

class Refusal {
public:
  /// `layers`: of the model.
  Refusal(const TrainingOptions &training, const model::Machine &machine, int64_t layers,
          CandidatePlanner &planner)
      : training(training), machine(machine), layers(layers), planner(planner) {}

  /// `otherwise`: what to say if nothing helps.
  Status describe(const std::function<Status()> &otherwise);

private:
  const TrainingOptions &training;
  const model::Machine &machine;
  int64_t layers;
  CandidatePlanner &planner;
};

/// Whether all tiers together hold the trained parameters with their moments, and nothing else.
bool statesFindRoom(int64_t parameters, const TrainingOptions &training, const model::Machine &machine);
/// Refuses at once a model whose trained parameters, with their moments, are many times what all tiers hold:
/// planning would take minutes to say so.
Status refuseFarTooLarge(int64_t parameters, const TrainingOptions &training, const model::Machine &machine);

} // namespace windlass
