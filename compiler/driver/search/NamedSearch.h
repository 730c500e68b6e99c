// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- NamedSearch.h - tries the named strategies ============================//
//
// Duty: tries every named strategy that agrees with the decisions asked for. PlanSearch decides one thing
// after the other, so that a named strategy may be faster than the plan that it found; the fastest is taken.
// A strategy is left as soon as a bound says that none of its plans fits, or that all are clearly slower.
// Units: seconds of a step. Errors: failures of a plan other than CannotFit. Threads, ownership: as MLIR's;
// refers to the request, the machine and the target.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/driver/inputs/CompileRequest.h"
#include "compiler/driver/search/PlanSearch.h"
#include "compiler/training/Strategy.h"
#include "runtime/plan/Target.h"
#include <memory>

namespace windlass {

class NamedSearch {
public:
  /// `asked`: the training options with the pinned decisions; `reproducer`: the path
  /// to which a failing pass writes its module.
  NamedSearch(const CompileRequest &request, const TrainingOptions &asked, const model::Machine &machine,
              const plan::Target &target, const ModelSize &size, std::shared_ptr<ModelGraphs> graphs,
              std::string reproducer)
      : request(request), asked(asked), taken(asked), machine(machine), target(target), size(size),
        graphs(std::move(graphs)), reproducer(std::move(reproducer)) {}

  /// Replaces `best` by the fastest plan, records the trial of every strategy, and returns the name of the
  /// strategy that was taken. `best`: the plan that was found; `findings`: of the search that found it;
  /// `least`: a lower bound of the seconds of a step, 0 if unknown; `found`: the strategy of the plan that
  /// was found, "auto" for a search.
  Result<std::string> run(Planned &best, const std::vector<PlanSearch::Finding> &findings, double least,
                          const std::string &found = "auto");
  /// The options that the best plan was made with.
  const TrainingOptions &takenOptions() const { return taken; }

private:
  /// The outcome of other decisions: a plan; or a lower bound of the seconds of every plan; or neither, if no
  /// plan fits.
  struct Rival {
    std::optional<Planned> planned;
    double seconds = 0;
  };

  /// The asked options, completed by a named strategy; nothing if the strategy contradicts them or decides
  /// nothing more.
  std::optional<TrainingOptions> optionsOf(const NamedStrategy &named) const;
  bool hasHomes(const Decisions &decisions) const;
  Result<Rival> planAs(const TrainingOptions &options, const std::vector<PlanSearch::Finding> &findings,
                       const flow::MemoryPlan &best);

  const CompileRequest &request;
  TrainingOptions asked, taken;
  const model::Machine &machine;
  const plan::Target &target;
  ModelSize size;
  std::shared_ptr<ModelGraphs> graphs;
  std::string reproducer;
};

} // namespace windlass
