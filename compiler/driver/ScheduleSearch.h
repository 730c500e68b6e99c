// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- ScheduleSearch.h - in which order stages run their passes ===========//
//
// Duty: where the schedule of a pipeline is left open, tries others than `1f1b` for the plan that was found,
// and where its lags are, larger ones. These take more memory and may spare bubbles.
// Units: seconds of a step. Errors: failures of a plan other than CannotFit. Threads, ownership: as MLIR's;
// refers to the request, the machine and the target.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/driver/inputs/CompileRequest.h"
#include "compiler/driver/search/PlanSearch.h"
#include "runtime/plan/Target.h"
#include <memory>

namespace windlass {

class ScheduleSearch {
public:
  /// `taken`: the options that the plan is of; `layers`: of the model; `reproducer`: where a pass that fails
  /// leaves its module.
  ScheduleSearch(const CompileRequest &request, const TrainingOptions &taken, const model::Machine &machine,
                 const plan::Target &target, int64_t layers, std::shared_ptr<ModelGraphs> graphs,
                 std::string reproducer)
      : request(request), taken(taken), machine(machine), target(target), layers(layers),
        graphs(std::move(graphs)), reproducer(std::move(reproducer)) {}

  /// Takes the fastest, and records what came of each. `best`: the plan that was found.
  Status run(Planned &best);
  /// The options that the best plan is of.
  const TrainingOptions &takenOptions() const { return taken; }

private:
  Status tryInPlace(Planned &best, const TrainingOptions &options);
  double leastSeconds(const TrainingOptions &options) const;
  bool mayWaitForMessages(const Planned &best) const;

  const CompileRequest &request;
  TrainingOptions taken;
  const model::Machine &machine;
  const plan::Target &target;
  int64_t layers;
  std::shared_ptr<ModelGraphs> graphs;
  std::string reproducer;
  Trials trials;
  double stageSeconds = 0; ///< that the slowest stage takes if it waits for no other
  double bubble = 0;       ///< of the plan that was found: seconds that a stage waits, beside these
};

} // namespace windlass
