// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- PlanSearch.h - the search for the fastest candidate ===================//
//
// Duty: searches the decisions that are left open for the plan that is simulated as fastest among those that
// fit. The search goes through one decision after the other, and starts each from the best plan so far, the
// incumbent:
//   1. recomputation `none`, then `full`, until one fits; for each the values of zero, for each zero the two
//      orders of micro-batches, for each order a plan with a reserve for prefetching, or else one without;
//   2. if the incumbent lacks memory: the activations that layers keep, then the number of repeated layers;
//   3. if neither `none` nor `full` fits: repair, with a few sets of kept activations;
//   4. the size of buckets, the parameters that stay whole, and the buckets that stay gathered;
//   5. no reserve for prefetching.
// Step 4 is gone through in both orders of micro-batches where these come close.
// For other decisions about the same model step 3 is not gone through again, nor, if it has many layers, step
// 2: what came close to the fastest here is tried there.
// The trials of every decision are recorded beside the plan that is taken. The number of plans that are made
// does not grow with the number of layers.
// Errors: CannotFit, of the last candidate that was tried; other failures of a plan as they are. Threads,
// ownership: as MLIR's; refers to training options, machine, planner and progress.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/driver/candidates/CandidatePlanner.h"
#include "compiler/driver/search/Trials.h"
#include <functional>

namespace windlass {

class PlanSearch {
public:
  using Progress = std::function<void(const std::string &)>;
  static constexpr double kNoLimit = std::numeric_limits<double>::infinity();
  /// Of a model with more layers, what was found for it is tried for rivals, in place of a search around
  /// each.
  static constexpr int64_t kMostSearchedAgain = 12;

  PlanSearch(const TrainingOptions &training, const model::Machine &machine, const ModelSize &size,
             CandidatePlanner &planner, const Progress &progress)
      : training(training), machine(machine), size(size), planner(planner), progress(progress) {}

  /// A recomputation other than `none` and `full`, and what it keeps and repeats.
  struct Finding {
    Recompute recompute;
    plan::Figures keeps;
  };

  /// `limit`: seconds of a step; where the first plan that fits takes far longer, it is all that is tried.
  Result<Planned> run(double limit = kNoLimit);
  /// The plan of other decisions about a model that was searched, with its `findings`.
  /// `limit`: seconds of a step; a plan that clearly takes longer is left as soon as that is known, and
  /// nothing is tried beside one that takes far longer. `waiting`: of the stages of the plan that takes so
  /// long (Wanted::waiting).
  Result<Planned> runWith(const std::vector<Finding> &findings, double limit, double waiting = 1);
  /// After the search: the recomputations that came close to the fastest, the fastest first, without the one
  /// that every search begins with.
  std::vector<Finding> findings() const;
  /// Which layers a bound may lower. Of a small model, few are all.
  enum class Lower : uint8_t { Few, All };
  /// Seconds that a step of every plan takes at least, without planning; 0 where nothing says so.
  double leastSeconds(Lower lower = Lower::All) const;

private:
  static constexpr int64_t kAllLayers = 0;
  /// The best plan so far, and the trials of the decisions it was chosen by.
  struct Incumbent {
    Planned planned;
    std::map<int64_t, plan::Trial> zerosTried = {}; ///< by zero
    Trials ordersTried = {};                        ///< of micro-batches; empty: one order alone was tried
    plan::Figures keeps = {}; ///< what a choice of activations keeps and repeats; empty: there was none

    /// The trial of its recomputation.
    plan::Trial trial() const;
  };
  /// What came of a plan that was compared with the incumbent.
  enum class Outcome { Infeasible, Slower, Faster };
  /// Where a search for kept activations or repeated layers starts, and what it may change.
  struct Neighbourhood {
    bool keepsAll;              ///< the incumbent keeps every residual
    std::vector<int64_t> zeros; ///< to try
    int64_t layers;             ///< layers that keep some of their activations; the others keep all
  };

  /// A decision about a size.
  struct SizeDecision {
    plan::Decision decision;
    std::string unit; ///< of what the size is, for progress
    std::function<int64_t(const Candidate &)> size;
  };

  /// A decision between true and false.
  struct TwoWays {
    plan::Decision decision;
    bool isAsked;
    std::string progress;           ///< what the trial of the other is called
    std::optional<Candidate> other; ///< none: it is not worth a trial
    bool (*isTrueOf)(const Candidate &);
  };

  // PlanSearch.cpp: recomputation, zero, order, reserve, repeated layers.
  Result<Incumbent> planFastestZero(const Recompute &recompute, const std::vector<int64_t> &zeros,
                                    double limit = kNoLimit);
  Result<Incumbent> planFirst(const Recompute &recompute, bool mayRepeatLess);
  Result<Incumbent> planZero(const Recompute &recompute, int64_t zero, double limit);
  Result<Incumbent> tryVertical(Planned horizontal);
  /// Whether the search plans both the horizontal and the vertical order of micro-batches: the order is open,
  /// activations are not being searched, and there are several micro-batches and no pipeline.
  bool triesBothOrders() const;
  Result<Planned> planOrder(const Recompute &recompute, int64_t zero, bool vertical, double limit = kNoLimit);
  void recordFit(const Incumbent &tried, Trials &trials);
  Result<Planned> run(const std::vector<Finding> *known);
  Result<Planned> runWithReserve(const std::vector<Finding> *known);
  Result<bool> tryFindings(std::optional<Incumbent> &incumbent, const std::vector<Finding> &known,
                           const std::vector<int64_t> &zeros, Trials &trials);
  Status searchAround(Incumbent &incumbent, const Neighbourhood &around, Trials &trials);
  Status tryRecompute(const Recompute &recompute, Incumbent &incumbent, const Neighbourhood &around,
                      Trials &trials);
  Status searchRepeatedLayers(Incumbent &incumbent, const Neighbourhood &around, Trials &trials);
  Result<double> leastSeconds(const Recompute &recompute, const std::vector<int64_t> &zeros);
  /// The test by which a candidate counts as fitting. Bound: the lower bound from few layers, which may admit
  /// a candidate of which no plan fits. Plan: a plan is made.
  enum class FitTest : uint8_t { Bound, Plan };
  Result<int64_t> fewestRepeatedLayers(int64_t least, int64_t all, const std::vector<int64_t> &zeros,
                                       FitTest test);
  Result<bool> isFeasible(const Recompute &recompute, const std::vector<int64_t> &zeros, FitTest test);
  plan::Reason reasonOfRecompute(const Incumbent &incumbent, const Status &shortfall, Trials trials) const;
  plan::Reason reasonOfZero(const Incumbent &incumbent) const;

  // FinishSearch.cpp: what is left, also of what came close, and gathered buckets.
  Result<Planned> finishFastest(Incumbent incumbent, const Status &shortfall, const Trials &trials);
  Status planCloseVertical(const Incumbent &horizontal, std::optional<Incumbent> &vertical);
  Result<Planned> finishCloseRecomputes(Incumbent incumbent, const Status &shortfall, const Trials &trials);
  Result<Planned> finish(Incumbent incumbent, const Status &shortfall, Trials trials);
  Status searchGathered(Planned &incumbent, std::vector<plan::Reason> &reasons);
  Status tryWithoutReserve(Planned &incumbent);

  // SearchActivations.cpp: kept activations.
  Status searchActivations(Incumbent &incumbent, const Neighbourhood &around, Trials &trials);
  Status searchFront(int64_t start, const ActivationChoices &choices, double compute,
                     const Neighbourhood &around, Incumbent &incumbent, Trials &trials);
  Result<Outcome> tryChoice(const ActivationChoices &choices, size_t choice, double compute,
                            const Neighbourhood &around, Incumbent &incumbent, Trials &trials);
  Status repair(std::optional<Incumbent> &best, Trials &trials);
  Status reviseOrder(Incumbent &incumbent);
  Result<double> computeSeconds(int64_t zero);

  // SearchRows.cpp: rows of ranks that share out operations.
  Status searchRows(Planned &incumbent, std::vector<plan::Reason> &reasons);
  Status searchOther(Planned &incumbent, std::vector<plan::Reason> &reasons, const TwoWays &ways);
  Result<plan::Trial> tryFaster(Planned &incumbent, const Candidate &candidate, const std::string &value);

  // SizeBuckets.cpp: sizes of buckets and of parameters that stay whole.
  Status sizeBuckets(Planned &incumbent, std::vector<plan::Reason> &reasons);
  bool mayStayWhole() const;
  void takeLeastGathered(Candidate &candidate) const;
  Status sizePersistence(Planned &incumbent, std::vector<plan::Reason> &reasons);
  Status trySizes(Planned &incumbent, const std::vector<Candidate> &neighbours, const SizeDecision &sizes,
                  std::vector<plan::Reason> &reasons);

  const TrainingOptions &training;
  const model::Machine &machine;
  ModelSize size;
  CandidatePlanner &planner;
  const Progress &progress;
  std::optional<MicroBatchOrder> fixedOrder;       ///< the order of all plans while activations are searched
  std::optional<plan::Shortage> shortage;          ///< of the last candidate that did not fit
  double waiting = 1;                              ///< of the stages of the first plan: Wanted::waiting
  bool isRival = false;                            ///< of other decisions about a model that was searched
  double horizontalLimit = kNoLimit;               ///< seconds: horizontal plans that take longer are left
  std::vector<std::pair<double, Finding>> fitting; ///< with the seconds of a step
  Recompute firstThatFits = Recompute::None;       ///< of `none` and `full`
};

} // namespace windlass
