// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- PlanSearch.h - which candidate is taken =============================//
//
// Duty: tries what decisions leave open (stages, recomputation, which activations are kept, numbers of
// repeated layers, room to prefetch, parameters that stay gathered) and takes what plays fastest of what
// fits. What was tried and what came of it is recorded beside the plan that is taken.
// The number of plans that are made does not grow with the number of layers. Errors: CannotFit, of the last
// that was tried; other failures of a plan as they are. Threads, ownership: as MLIR's; refers to what it is
// made of.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/driver/CandidatePlanner.h"
#include "compiler/driver/Trials.h"
#include <functional>

namespace windlass {

class PlanSearch {
public:
  using Progress = std::function<void(const std::string &)>;
  static constexpr double kNoLimit = std::numeric_limits<double>::infinity();

  /// `layers`: of the model.
  PlanSearch(const TrainingOptions &training, const model::Machine &machine, int64_t layers,
             CandidatePlanner &planner, const Progress &progress)
      : training(training), machine(machine), layers(layers), planner(planner), progress(progress) {}

  /// `limit`: seconds of a step; a plan that clearly takes longer is left as soon as that is known.
  Result<Planned> run(double limit = kNoLimit);

private:
  static constexpr int64_t kAllLayers = 0;
  /// The fastest of some, and what came of each stage on the way, and of each order of micro-batches.
  struct Taken {
    Planned planned;
    std::map<int64_t, plan::Trial> stagesTried = {};
    Trials ordersTried = {};  ///< empty: only one
    plan::Figures keeps = {}; ///< what a choice of activations keeps and repeats; empty: there was none

    /// What it does about recomputation, and how long it takes.
    plan::Trial trial() const;
  };
  /// What became of a plan, beside the fastest.
  enum class Outcome { NoRoom, Slower, Faster };
  /// What fits, to look from for something faster.
  struct Ground {
    bool keepsAll;               ///< every residual
    std::vector<int64_t> stages; ///< to try
    int64_t layers;              ///< that keep some of their activations; the others keep all
  };

  /// A decision about sizes, what they are of, and that of a candidate.
  struct Sizes {
    plan::Decision decision;
    std::string of;
    std::function<int64_t(const Candidate &)> size;
  };

  Result<Taken> planStages(const Recompute &recompute, const std::vector<int64_t> &stages,
                           double limit = kNoLimit);
  Result<Taken> planStage(const Recompute &recompute, int64_t stage, double limit);
  Result<Taken> tryTurns(Planned planned);
  Result<Planned> planOrder(const Recompute &recompute, int64_t stage, bool inTurn, double limit = kNoLimit);
  Result<Planned> finish(Taken taken, const Status &shortfall, Trials trials);
  Result<Taken> keepToFit(const Status &shortfall, Trials &trials);
  Result<double> computeSeconds(int64_t stage);
  Status walkFrom(int64_t start, const ActivationChoices &choices, double compute, const Ground &ground,
                  Taken &taken, Trials &trials);
  Status keepSome(Taken &taken, const Ground &ground, Trials &trials);
  Result<Outcome> tryChoice(const ActivationChoices &choices, size_t choice, double compute,
                            const Ground &ground, Taken &taken, Trials &trials);
  Status tryOrders(Taken &taken);
  Status repeatSome(Taken &taken, const Ground &ground, Trials &trials);
  Status sizeBuckets(Planned &taken, std::vector<plan::Reason> &reasons);
  Status keepWhole(Planned &taken, std::vector<plan::Reason> &reasons);
  Status trySizes(Planned &taken, const std::vector<Candidate> &others, const Sizes &sizes,
                  std::vector<plan::Reason> &reasons);
  Status keepGathered(Planned &taken, std::vector<plan::Reason> &reasons);
  Result<int64_t> fewestLayers(int64_t all, const std::vector<int64_t> &stages);
  Result<bool> fits(const Recompute &recompute, const std::vector<int64_t> &stages);
  plan::Reason reasonOfRecompute(const Taken &taken, const Status &shortfall, Trials trials) const;
  plan::Reason reasonOfStage(const Taken &taken) const;

  const TrainingOptions &training;
  const model::Machine &machine;
  int64_t layers;
  CandidatePlanner &planner;
  const Progress &progress;
  std::optional<MicroBatchOrder> settled; ///< while activations are chosen: not tried for each choice
  std::optional<plan::Shortage> missing;  ///< to the last candidate that did not fit
  double withoutTurns = kNoLimit;         ///< seconds of use, of a plan whose micro-batches do not take turns
};

} // namespace windlass
