// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Refusal.h - refuses a machine that no candidate fits ==================//
//
// Duty: refuses a machine that no candidate fits, and says what the machine lacks (Shortage.h): the same
// candidates (FeasibilityCandidates.h) are tried for larger machines, until one fits.
// Errors: CannotFit, the refusal itself; other failures of a plan as they are. Threads, ownership: as MLIR's;
// refers to training options, machine and planner.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/driver/candidates/CandidatePlanner.h"

namespace windlass {

class Refusal {
public:
  Refusal(const TrainingOptions &training, const model::Machine &machine, const ModelSize &size,
          CandidatePlanner &planner)
      : training(training), machine(machine), size(size), planner(planner) {}

  /// `otherwise`: the refusal if no larger machine helps.
  Status describe(const std::function<Status()> &otherwise);

private:
  const TrainingOptions &training;
  const model::Machine &machine;
  ModelSize size;
  CandidatePlanner &planner;
};

/// Whether all tiers together hold the trained parameters and their moments.
bool statesFindRoom(int64_t parameters, const TrainingOptions &training, const model::Machine &machine);
/// Refuses, without planning, a model whose trained parameters and moments are many times what all tiers
/// hold.
Status refuseFarTooLarge(int64_t parameters, const TrainingOptions &training, const model::Machine &machine);

} // namespace windlass
