// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- FeasibilityCandidates.h - the candidates that a refusal rests on ======//
//
// Duty: enumerates the candidates that are tried before a machine is refused: every open recomputation with
// every open zero, without a reserve for prefetching, those that need least memory first; and says whether
// one fits a machine. A machine that none of them fits is refused.
// Units: bytes of one rank. Errors: CannotFit; other failures of a plan as they are. Threads, ownership: as
// MLIR's; refers to training options and planner.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/driver/candidates/CandidatePlanner.h"

namespace windlass {

class FeasibilityCandidates {
public:
  static Result<FeasibilityCandidates> of(const TrainingOptions &training, const ModelSize &size,
                                          CandidatePlanner &planner);

  /// False: no candidate fits the machine. True: one may fit. Only few of the layers are lowered.
  static Result<bool> anyMayFit(const TrainingOptions &training, const ModelSize &size,
                                CandidatePlanner &planner, const model::Machine &machine);

  size_t size() const { return recomputes.size() * zeros.size(); }
  /// An upper bound of the bytes on any tier, over all candidates.
  Result<int64_t> bytesOfEverything(const model::Machine &machine) const;
  /// The least that every plan of the candidate lacks on the machine; nothing: one may fit. Nothing is
  /// planned.
  Result<std::optional<plan::Shortage>> certainShortage(size_t index, const model::Machine &machine) const;
  Result<Planned> plan(size_t index, const model::Machine &machine,
                       const Wanted &wanted = {.ask = Ask::WhetherItFits}) const;
  /// Whether one of the candidates that need least memory fits under `limits`, for which it is lowered anew.
  /// None fits if an activation that is asked to be kept does not exist under them.
  Result<bool> smallestFit(const model::Machine &machine, const Limits &limits) const;
  /// False: none of them fits. True: one may fit. Only few of the layers are lowered, except to find
  /// the activations that layers may keep.
  Result<bool> smallestMayFit(const model::Machine &machine, const Limits &limits) const;

private:
  FeasibilityCandidates(const TrainingOptions &training, const ModelSize &size, CandidatePlanner &planner)
      : training(training), model(size), planner(planner) {}

  /// The recomputations that are tried under `limits`: whole layers repeated; activations kept, most first;
  /// the others.
  static Result<std::vector<Recompute>> recomputesUnder(const Limits &limits, const TrainingOptions &training,
                                                        CandidatePlanner &planner);
  Candidate candidate(size_t index, const model::Machine &machine) const;
  /// A candidate under `limits`, with the largest zero.
  Candidate cut(const Recompute &recompute, const model::Machine &machine, const Limits &limits) const;
  /// The candidates under `limits` that need least memory: one repeats whole layers, which needs least of all
  /// tiers together; the other keeps most activations, which may rest elsewhere, so that it needs least of
  /// the device.
  Result<std::vector<Candidate>> smallest(const model::Machine &machine, const Limits &limits) const;
  Result<Planned> plan(Candidate candidate, const model::Machine &machine, Wanted wanted) const;

  const TrainingOptions &training;
  ModelSize model;
  CandidatePlanner &planner;
  std::vector<Recompute> recomputes; ///< under the limits of the training file
  std::vector<int64_t> zeros;        ///< the largest first
};

} // namespace windlass
