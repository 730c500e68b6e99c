// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- PlanSearch.h - which candidate is taken =============================//
//
// Duty: tries what decisions leave open (stages, recomputation, which activations are kept, numbers of
// repeated layers, room to prefetch, parameters that stay gathered) and takes what plays fastest of what
// fits. What was tried and what came of it is written on the module that is taken, as the answer to "why".
// The number of plans that are made does not grow with the number of layers. Errors: CannotFit, of the last
// that was tried; other failures of a plan as they are. Threads, ownership: as MLIR's; refers to what it is
// made of.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/driver/CandidatePlanner.h"
#include <functional>

namespace windlass {

/// "159 ms a step as laid out"
std::string takes(const flow::MemoryPlan &plan);

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
    std::map<int64_t, std::string> stagesTried = {};
    std::string ordersTried = {};                       ///< empty: only one
    std::string keepingTried = {};                      ///< of gathered parameters; empty: nothing
    std::map<std::string, std::string> sizesTried = {}; ///< by decision, of those that were
    std::string keeps = {}; ///< what a choice of activations keeps and repeats; empty: there was none

    /// What it does about recomputation, and how long it takes.
    std::string outcome() const;
  };
  /// What became of a plan, beside the fastest.
  enum class Outcome { NoRoom, Slower, Faster };
  /// What fits, to look from for something faster.
  struct Ground {
    bool keepsAll;               ///< every residual
    std::vector<int64_t> stages; ///< to try
    int64_t layers;              ///< that keep some of their activations; the others keep all
  };

  /// A decision about sizes, in words: that of a candidate, and what it is of.
  struct Sizes {
    std::string decision, of;
    std::function<std::string(const Candidate &)> describe;
  };

  Result<Taken> planStages(const Recompute &recompute, const std::vector<int64_t> &stages,
                           double limit = kNoLimit);
  Result<Taken> planStage(const Recompute &recompute, int64_t stage, double limit);
  Result<Taken> tryTurns(Planned planned);
  Result<Planned> planOrder(const Recompute &recompute, int64_t stage, bool inTurn, double limit = kNoLimit);
  Result<Planned> finish(Taken taken, const Status &shortfall, const std::string &others);
  Result<Taken> keepToFit(const Status &shortfall, std::string &others);
  Result<double> computeSeconds(int64_t stage);
  Status walkFrom(int64_t start, const ActivationChoices &choices, double compute, const Ground &ground,
                  Taken &taken, std::string &others);
  Status keepSome(Taken &taken, const Ground &ground, std::string &others);
  Result<Outcome> tryChoice(const ActivationChoices &choices, size_t choice, double compute,
                            const Ground &ground, Taken &taken, std::string &others);
  Status tryOrders(Taken &taken);
  Status repeatSome(Taken &taken, const Ground &ground, std::string &others);
  Status sizeBuckets(Taken &taken);
  Status keepWhole(Taken &taken);
  Status trySizes(Taken &taken, const std::vector<Candidate> &others, const Sizes &sizes);
  Status keepGathered(Taken &taken);
  Result<int64_t> fewestLayers(int64_t all, const std::vector<int64_t> &stages);
  Result<bool> fits(const Recompute &recompute, const std::vector<int64_t> &stages);
  void explainRecompute(const Taken &taken, const Status &shortfall, const std::string &others);
  void explainStage(const Taken &taken);

  const TrainingOptions &training;
  const model::Machine &machine;
  int64_t layers;
  CandidatePlanner &planner;
  const Progress &progress;
  std::optional<MicroBatchOrder> settled; ///< while activations are chosen: not tried for each choice
  double withoutTurns = kNoLimit;         ///< seconds of use, of a plan whose micro-batches do not take turns
};

} // namespace windlass
