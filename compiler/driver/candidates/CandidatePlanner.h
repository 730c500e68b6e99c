// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- CandidatePlanner.h - the plan of one candidate ======================//
//
// Duty: lowers a candidate to flow once, and plans memory on copies of the lowered module for any machine.
// Bounds are asked first: those of a module with few of the layers, then those of the whole module. A bound
// that does not fit saves the work behind it.
// Units: seconds of a step, bytes of one rank. Errors: CannotFit; those of the passes. Threads, ownership: as
// MLIR's; refers to training options, levels and the imported module.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/driver/candidates/ActivationChoices.h"
#include "compiler/driver/candidates/Candidate.h"
#include "compiler/driver/candidates/Levels.h"
#include "passes/Flow/PlanMemory.h"
#include <limits>
#include <map>
#include <optional>
#include <tuple>

namespace windlass {

/// Whether a plan failed for want of memory, after which another candidate may be tried.
inline bool cannotFit(const Status &status) { return status.code() == ExitCode::CannotFit; }

/// A plan that fits the machine; or one left as slow, of which only the seconds are known.
struct Planned {
  Candidate candidate;
  StageModules stages;
  std::vector<int64_t> layers; ///< of each stage; empty: there is no pipeline
  flow::MemoryPlan memory;     ///< of all stages: the step that they take together, the homes of each
  std::vector<plan::Reason> reasons = {}; ///< of what a search decided, beside those of `memory`
};

/// The fastest plan of a candidate, or the first that fits.
enum class Ask { Best, WhetherItFits };

struct Wanted {
  Ask ask = Ask::Best;
  /// Seconds of a step: a plan that clearly takes longer is left as soon as that is known.
  double limit = std::numeric_limits<double>::infinity();
  /// Takes what is short where the candidate does not fit, which takes time; null: nobody asks.
  std::optional<plan::Shortage> *shortage = nullptr;
};

class CandidatePlanner {
public:
  CandidatePlanner(const TrainingOptions &training, Levels &levels, mlir::ModuleOp imported)
      : training(training), levels(levels), imported(imported) {}

  Result<Planned> plan(const Candidate &candidate, const model::Machine &machine, const Wanted &wanted = {});
  /// A lower bound of the seconds of a step: the sum of all that the device computes.
  Result<double> leastSeconds(const Candidate &candidate, const model::Machine &machine);
  /// Buckets that plans of the candidate gather in the forward and again in the backward pass, in the order
  /// of the instructions between the two.
  Result<std::vector<std::string>> gatheredAgain(const Candidate &candidate);
  /// An upper bound of the bytes on any tier: homes and buffers side by side.
  Result<int64_t> bytesOfEverything(const Candidate &candidate);
  /// A lower bound of the bytes on the device, found with few of the layers; 0 where few layers say nothing
  /// of all.
  int64_t leastOnDevice(const Candidate &candidate);
  /// False: no plan of the candidate fits the machine. True: one may fit. The whole module is lowered only
  /// where few of the layers may fit.
  Result<bool> mayFit(const Candidate &candidate, const model::Machine &machine);
  /// The sets of activations that the layers may keep.
  Result<ActivationChoices> activationChoices();

  /// What was done so far, counted and not timed.
  struct Work {
    int64_t lowered = 0; ///< whole modules
    int64_t planned = 0; ///< times that memory was planned
  };
  const Work &workSoFar() const { return work; }

private:
  /// The decisions that a lowered module depends on: recomputation, zero, order of micro-batches, bytes of a
  /// bucket, persistence, limits and buckets that stay gathered.
  using Key =
      std::tuple<std::string, int64_t, MicroBatchOrder, int64_t, int64_t, Limits, std::vector<std::string>>;

  struct LoweredStage {
    mlir::OwningOpRef<mlir::ModuleOp> module;
    std::map<int64_t, flow::Workspace> workspaces; ///< by the elements of a chunk
  };
  struct Lowered {
    std::vector<LoweredStage> stages;
    std::vector<int64_t> layers; ///< of each
  };

  static Key keyOf(const Candidate &candidate);
  /// The module at the end of the graph level, which knows neither buckets nor ranks.
  Result<mlir::ModuleOp> graphOf(const Candidate &candidate);
  Result<Lowered *> lower(const Candidate &candidate);
  /// Of each stage.
  Result<std::vector<flow::Workspace>> workspacesOf(const Candidate &candidate);
  /// Plans every stage, and what they take together.
  Status planStages(Lowered &stages, const model::Machine &machine, const Wanted &wanted,
                    const std::vector<flow::Workspace> &workspaces, Planned &planned);
  flow::PlanMemoryRequest requestFor(const Candidate &candidate, const Wanted &wanted,
                                     const flow::Workspace &workspace) const;

  const TrainingOptions &training;
  Levels &levels;
  mlir::ModuleOp imported;
  std::map<std::pair<std::string, Limits>, mlir::OwningOpRef<mlir::ModuleOp>>
      graphs; ///< by recomputation and limits
  std::map<Key, Lowered> lowered;
  /// The imported module with few of the layers; null where few layers say nothing of all.
  std::optional<mlir::OwningOpRef<mlir::ModuleOp>> few;
  std::map<std::pair<Key, int64_t>, int64_t> least; ///< bytes on the device, by candidate and chunk
  std::optional<ActivationChoices> choices;
  Work work;
};

} // namespace windlass
