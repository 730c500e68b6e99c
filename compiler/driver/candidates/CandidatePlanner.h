// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- CandidatePlanner.h - the plan of one candidate ========================//
//
// Duty: lowers a candidate to flow once, and plans memory on copies of the lowered module for any machine.
// Bounds are asked first: those of a module with few of the layers, then those of the whole module. A bound
// that does not fit saves the work behind it.
// Units: seconds of a step, bytes of one rank. Errors: CannotFit; those of the passes. Threads, ownership: as
// MLIR's; refers to training options, levels and the imported module.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/driver/candidates/CandidateCounts.h"
#include "passes/Flow/PlanMemory.h"
#include "passes/Flow/layout/RepeatedGathers.h"
#include <limits>
#include <map>
#include <memory>
#include <optional>

namespace windlass {

/// Whether a plan failed for want of memory, after which another candidate may be tried.
inline bool cannotFit(const Status &status) { return status.code() == ExitCode::CannotFit; }

/// A plan that fits the machine; or one left as slow, of which only the seconds are known.
struct Planned {
  Candidate candidate;
  StageModules stages;         ///< none of a slow plan, unless they were wanted
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
  /// Of a pipeline: how many times as long its step takes as a stage that waits for no other, by the plan
  /// that the limit is of. A stage that is left as slow is taken to wait as much.
  double waiting = 1;
  bool lowersSlow = false; ///< a plan that is left as slow has its modules all the same
  /// If not null, receives the shortage of a candidate that does not fit. Computing it takes time.
  std::optional<plan::Shortage> *shortage = nullptr;
};

class CandidatePlanner {
public:
  CandidatePlanner(const TrainingOptions &training, Levels &levels, std::shared_ptr<ModelGraphs> graphs)
      : training(training), levels(levels), graphs(std::move(graphs)),
        counts(training, levels, *this->graphs), lowerings(this->graphs->lowerings(training)) {}

  Result<Planned> plan(const Candidate &candidate, const model::Machine &machine, const Wanted &wanted = {});
  /// A lower bound of the seconds of a step: the sum of all that the device computes.
  Result<double> leastSeconds(const Candidate &candidate, const model::Machine &machine);
  /// Buckets that plans of the candidate gather in the forward and again in the backward pass, in the order
  /// of the instructions between the two.
  Result<std::vector<flow::RepeatedGather>> gatheredAgain(const Candidate &candidate);
  /// An upper bound of the bytes on any tier: homes and buffers side by side.
  Result<int64_t> bytesOfEverything(const Candidate &candidate);
  /// A lower bound of every plan of the candidate, from few of the layers; nothing if few layers give no
  /// bound (CandidateCounts.h).
  std::optional<planning::StepBound> boundOfFew(const Candidate &candidate, const model::Machine &machine);
  /// A lower bound of every plan of the candidate; from all layers if few of them are no less work.
  std::optional<planning::StepBound> boundOf(const Candidate &candidate, const model::Machine &machine);
  /// The shortage of every plan of the candidate on the machine; nothing: one may fit. The whole module is
  /// lowered only where few of the layers do not tell.
  Result<std::optional<plan::Shortage>> certainShortage(const Candidate &candidate,
                                                        const model::Machine &machine);
  /// Whether two candidates are lowered to the same modules, and so have the same plan. The search asks
  /// before it plans the second of them.
  Result<bool> areAlike(const Candidate &candidate, const Candidate &other, const model::Machine &machine);
  /// The shortage of every plan with this bound; nothing if the bound fits.
  static std::optional<plan::Shortage> shortageOf(const planning::StepBound &bound,
                                                  const model::Machine &machine);
  /// Whether the layers have all activations that the candidate keeps.
  bool hasKept(const Candidate &candidate) const { return graphs->hasKept(candidate, levels); }
  /// The sets of activations that the layers, cut by `limits`, may keep.
  Result<ActivationChoices> activationChoices(const Limits &limits) {
    return graphs->activationChoices(limits, levels);
  }

  /// Counts of the work so far.
  struct Work {
    int64_t lowered = 0; ///< whole modules
    int64_t planned = 0; ///< times that memory was planned
    int64_t taken = 0;   ///< stages of a pipeline that took the plan of one that is alike
  };
  const Work &workSoFar() const { return work; }

private:
  Result<Lowered *> lower(const Candidate &candidate);
  bool keepsWholeOnDevice(const Candidate &candidate) const;
  std::optional<flow::MemoryPlan> slowBound(const Candidate &candidate, const model::Machine &machine,
                                            const Wanted &wanted);
  /// By stage: the bytes of its workspace on each tier.
  Result<std::vector<flow::TierBytes>> workspacesOf(const Candidate &candidate,
                                                    const model::Machine &machine);
  struct StagePlan {
    std::optional<flow::MemoryPlan> memory; ///< none behind a stage that is slow
    mlir::OwningOpRef<mlir::ModuleOp> module;
  };
  static Status planStage(LoweredStage &stage, const model::Machine &machine,
                          const flow::PlanMemoryRequest &request, const Wanted &wanted, StagePlan &planned);
  /// Makes the plan of an earlier equal stage the plan of this one, with this stage's names. False: there is
  /// no equal stage, or its plan does not suit.
  bool planAlike(Lowered &stages, size_t stage, const model::Machine &machine, const Wanted &wanted,
                 const std::vector<flow::PlanMemoryRequest> &requests, std::vector<StagePlan> &plans);
  Result<std::vector<StagePlan>> planEach(Lowered &stages, const model::Machine &machine,
                                          const Wanted &wanted,
                                          const std::vector<flow::PlanMemoryRequest> &requests);
  /// Plans every stage, and combines their plans.
  Status planStages(Lowered &stages, const model::Machine &machine, const Wanted &wanted,
                    const std::vector<flow::TierBytes> &workspaces, Planned &planned);
  flow::PlanMemoryRequest requestFor(const Candidate &candidate, size_t stage, const Wanted &wanted,
                                     const flow::TierBytes &workspace) const;

  const TrainingOptions &training;
  Levels &levels;
  std::shared_ptr<ModelGraphs> graphs;
  CandidateCounts counts;
  std::shared_ptr<Lowerings> lowerings;
  Work work;
};

} // namespace windlass
