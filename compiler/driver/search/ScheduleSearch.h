// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- ScheduleSearch.h - the search for the schedule of a pipeline ==========//
//
// Duty: tries other pipeline schedules for the plan that was found, and takes the fastest: `zb-h1` and
// `interleaved` instead of `1f1b`, if the schedule is left open; and larger lags, if the lags are left open
// and the plan may wait for messages. Larger lags take more memory and may shorten the bubble.
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
  /// `taken`: the options that the plan was made with; `reproducer`: the path to
  /// which a failing pass writes its module.
  ScheduleSearch(const CompileRequest &request, const TrainingOptions &taken, const model::Machine &machine,
                 const plan::Target &target, const ModelSize &size, std::shared_ptr<ModelGraphs> graphs,
                 std::string reproducer)
      : request(request), taken(taken), machine(machine), target(target), size(size),
        graphs(std::move(graphs)), reproducer(std::move(reproducer)) {}

  /// Replaces `best`, the plan that was found, by the fastest plan, and records the trial of every schedule.
  Status run(Planned &best);
  /// The options that the best plan was made with.
  const TrainingOptions &takenOptions() const { return taken; }

private:
  Status tryInPlace(Planned &best, const TrainingOptions &options);
  double leastSeconds(const TrainingOptions &options) const;
  bool mayWaitForMessages(const Planned &best) const;

  const CompileRequest &request;
  TrainingOptions taken;
  const model::Machine &machine;
  const plan::Target &target;
  ModelSize size;
  std::shared_ptr<ModelGraphs> graphs;
  std::string reproducer;
  Trials trials;
  double stageSeconds = 0; ///< of a step, of the slowest stage without waits
  double bubble = 0;       ///< of the plan that was found, as a share of stageSeconds
};

} // namespace windlass
