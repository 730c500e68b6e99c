// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- CandidatePlanner.h - the plan of one candidate ======================//
//
// Duty: lowers a candidate to flow, once, and plans its memory on copies of that, for whatever machine.
// Units: seconds of a step, bytes of one rank. Errors: CannotFit; those of the passes.
// Threads, ownership: as MLIR's; refers to training options, levels and the imported module.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/driver/ActivationChoices.h"
#include "compiler/driver/Candidates.h"
#include "compiler/driver/Levels.h"
#include "compiler/driver/Shortage.h"
#include "passes/Flow/PlanMemory.h"
#include <limits>
#include <map>
#include <tuple>

namespace windlass {

/// Whether a plan failed for want of room, after which another may be tried.
inline bool cannotFit(const Status &status) { return status.code() == ExitCode::CannotFit; }

/// A plan that fits; or of one left as slow, how long it takes.
struct Planned {
  Candidate candidate;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  flow::MemoryPlan memory;
};

/// What is wanted of a plan.
struct Wanted {
  Ask ask = Ask::Best;
  /// Seconds of a step: a plan that clearly takes longer is left as soon as that is known.
  double limit = std::numeric_limits<double>::infinity();
  bool explains = true; ///< say what is short where it does not fit
};

class CandidatePlanner {
public:
  CandidatePlanner(const TrainingOptions &training, Levels &levels, mlir::ModuleOp imported)
      : training(training), levels(levels), imported(imported) {}

  Result<Planned> plan(const Candidate &candidate, const model::Machine &machine, const Wanted &wanted = {});
  /// No plan of the candidate takes less: what it computes, one after the other.
  Result<double> leastSeconds(const Candidate &candidate, const model::Machine &machine);
  /// Buckets that its plans gather in the forward and again in the backward pass; first those with the least
  /// between.
  Result<std::vector<std::string>> gatheredAgain(const Candidate &candidate);
  /// No tier ever needs more, in whatever has been lowered.
  int64_t bytesOfEverything() const;
  /// What the model's layers may keep.
  Result<ActivationChoices> activationChoices() { return ActivationChoices::of(imported, levels); }

private:
  /// What makes the module that memory is planned for: recomputation, stage, order of micro-batches, bucket
  /// size, persistence, limits and what stays gathered.
  using Key =
      std::tuple<std::string, int64_t, MicroBatchOrder, int64_t, int64_t, Limits, std::vector<std::string>>;

  Result<mlir::ModuleOp> lower(const Candidate &candidate);

  const TrainingOptions &training;
  Levels &levels;
  mlir::ModuleOp imported;
  std::map<Key, mlir::OwningOpRef<mlir::ModuleOp>> lowered;
};

} // namespace windlass
