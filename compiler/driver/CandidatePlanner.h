// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- CandidatePlanner.h - the plan of one candidate ======================//
//
// Duty: lowers a candidate to flow, once, and plans its memory on copies of that, for whatever machine. Of a
// deep model a few layers are asked first: where these find no room, all of them are not lowered.
// Units: seconds of a step, bytes of one rank. Errors: CannotFit; those of the passes.
// Threads, ownership: as MLIR's; refers to training options, levels and the imported module.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/driver/ActivationChoices.h"
#include "compiler/driver/Candidates.h"
#include "compiler/driver/Levels.h"
#include "passes/Flow/PlanMemory.h"
#include <limits>
#include <map>
#include <optional>
#include <tuple>

namespace windlass {

/// Whether a plan failed for want of room, after which another may be tried.
inline bool cannotFit(const Status &status) { return status.code() == ExitCode::CannotFit; }

/// A plan that fits; or of one left as slow, how long it takes.
struct Planned {
  Candidate candidate;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  flow::MemoryPlan memory;
  std::vector<plan::Reason> reasons = {}; ///< of what a search decided, beside those of `memory`
};

/// What is asked of a plan: the best there is, or only whether one fits.
enum class Ask { Best, WhetherItFits };

/// What is wanted of a plan.
struct Wanted {
  Ask ask = Ask::Best;
  /// Seconds of a step: a plan that clearly takes longer is left as soon as that is known.
  double limit = std::numeric_limits<double>::infinity();
  std::optional<plan::Shortage> *shortage =
      nullptr; ///< takes what is short where it does not fit: takes time
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
  /// No tier ever needs more.
  Result<int64_t> bytesOfEverything(const Candidate &candidate);
  /// What of the device no plan of the candidate does without, by few of the layers; 0 where these say
  /// nothing.
  int64_t leastOnDevice(const Candidate &candidate);
  /// Whether a plan of the candidate may fit: "no" is certain. Few of the layers are asked before all are
  /// lowered.
  Result<bool> mayFit(const Candidate &candidate, const model::Machine &machine);
  /// What the model's layers may keep.
  Result<ActivationChoices> activationChoices();

  /// What the work is counted by, whatever the clock says.
  struct Work {
    int64_t lowered = 0; ///< candidates, all layers of them
    int64_t planned = 0; ///< times that memory was planned
  };
  const Work &workSoFar() const { return work; }

private:
  /// What makes the module that memory is planned for: recomputation, stage, order of micro-batches, bucket
  /// size, persistence, limits and what stays gathered.
  using Key =
      std::tuple<std::string, int64_t, MicroBatchOrder, int64_t, int64_t, Limits, std::vector<std::string>>;

  struct Lowered {
    mlir::OwningOpRef<mlir::ModuleOp> module;
    std::map<int64_t, flow::Workspace> workspaces; ///< by the elements of a chunk
  };

  static Key keyOf(const Candidate &candidate);
  /// The end of the graph level, which buckets and stages come after.
  Result<mlir::ModuleOp> graphOf(const Candidate &candidate);
  Result<Lowered *> lower(const Candidate &candidate);
  Result<flow::Workspace> workspaceOf(Lowered &candidate, int64_t chunkElements);

  const TrainingOptions &training;
  Levels &levels;
  mlir::ModuleOp imported;
  /// By recomputation and limits.
  std::map<std::pair<std::string, Limits>, mlir::OwningOpRef<mlir::ModuleOp>> graphs;
  std::map<Key, Lowered> lowered;
  std::optional<mlir::OwningOpRef<mlir::ModuleOp>> few; ///< of the layers; null where they say nothing
  std::map<std::pair<Key, int64_t>, int64_t> least;     ///< by candidate and chunk
  std::optional<ActivationChoices> choices;
  Work work;
};

} // namespace windlass
