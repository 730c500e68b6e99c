// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- LeanWays.h - everything that is tried before a refusal ==============//
//
// Duty: the ways to compile that decisions leave open, without room to prefetch, those that need least memory
// first; and whether one of them fits a machine. What does not fit by any of these is refused.
// Errors: CannotFit; other failures of a plan as they are. Threads, ownership: as MLIR's; refers to what it
// is made of.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/driver/CandidatePlanner.h"

namespace windlass {

class LeanWays {
public:
  /// `layers`: of the model.
  static Result<LeanWays> of(const TrainingOptions &training, int64_t layers, CandidatePlanner &planner);

  /// Whether one of them may fit, as far as few of the layers say: "no" is certain, and soon said.
  static Result<bool> anyMayFit(const TrainingOptions &training, int64_t layers, CandidatePlanner &planner,
                                const model::Machine &machine);

  size_t size() const { return recomputes.size() * stagesTried.size(); }
  /// No tier ever needs more, by any of them.
  Result<int64_t> bytesOfEverything(const model::Machine &machine) const;
  /// "No" is certain, and said without a plan.
  Result<bool> mayFit(size_t way, const model::Machine &machine) const;
  Result<Planned> plan(size_t way, const model::Machine &machine, Ask ask = Ask::WhetherItFits) const;
  /// Whether one of the leanest fits if tensors are cut by `limits`: that takes lowering anew.
  Result<bool> leanestFit(const model::Machine &machine, const Limits &limits) const;
  /// Whether one may, as above.
  bool leanestMayFit(const model::Machine &machine, const Limits &limits) const;

private:
  LeanWays(const TrainingOptions &training, int64_t layers, CandidatePlanner &planner)
      : training(training), layers(layers), planner(planner) {}

  Candidate candidate(size_t way, const model::Machine &machine) const;
  std::vector<Candidate> leanest(const model::Machine &machine, const Limits &limits) const;
  Result<Planned> plan(Candidate candidate, const model::Machine &machine, Ask ask) const;

  const TrainingOptions &training;
  int64_t layers;
  CandidatePlanner &planner;
  std::vector<Recompute> recomputes;
  std::vector<int64_t> stagesTried;
};

} // namespace windlass
