// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/driver/CandidatePlanner.h"

#include "passes/Flow/Consumers.h"
#include "passes/Flow/GatheredAgain.h"
#include "passes/Flow/PlayLayout.h"
#include <algorithm>

using namespace mlir;

namespace windlass {

Result<ModuleOp> CandidatePlanner::lower(const Candidate &candidate) {
  OwningOpRef<ModuleOp> &flow =
      lowered[{word(candidate.recompute), candidate.stage, candidate.order, candidate.bucketBytes,
               candidate.persistence, candidate.limits, candidate.kept}];
  if (!flow) {
    OwningOpRef<ModuleOp> module = imported.clone();
    WINDLASS_TRY(levels.lowerToFlow(*module, candidate));
    flow = std::move(module);
  }
  return *flow;
}

Result<Planned> CandidatePlanner::plan(const Candidate &candidate, const model::Machine &machine,
                                       const Wanted &wanted) {
  Result<ModuleOp> module = lower(candidate);
  if (!module)
    return module.status();
  Planned planned{candidate, module->clone(), {}};
  flow::PlanMemoryRequest memory;
  memory.pins = pinsOf(training);
  // Where parameters must leave the device, shards do with less room on it.
  memory.wholeOnDevice = !training.zeroStage.others || candidate.stage == 3;
  memory.credits = {training.prefetchNc, training.prefetchCg, training.prefetchGg};
  if (!candidate.prefetchRoom) // one after the other, where nobody asks for more
    for (std::optional<int64_t> &credits : memory.credits)
      credits = credits.value_or(1);
  memory.overlap = training.overlap;
  memory.chunkElements = candidate.chunkElements;
  memory.prefetchRoom = candidate.prefetchRoom;
  memory.firstThatFits = wanted.ask == Ask::WhetherItFits;
  memory.explains = wanted.explains;
  memory.limit = wanted.limit;
  TimingScope scope = levels.timed("memory");
  Result<flow::MemoryPlan> plan = flow::planMemory(*planned.module, machine, memory);
  if (!plan)
    return plan.status();
  planned.memory = plan.take();
  return planned;
}

Result<double> CandidatePlanner::leastSeconds(const Candidate &candidate, const model::Machine &machine) {
  Result<ModuleOp> module = lower(candidate);
  if (!module)
    return module.status();
  flow::InstructionCost cost(*module, machine);
  return flow::computeSeconds(*module, cost);
}

Result<std::vector<std::string>> CandidatePlanner::gatheredAgain(const Candidate &candidate) {
  Result<ModuleOp> module = lower(candidate);
  if (!module)
    return module.status();
  return flow::gatheredAgain(*module);
}

int64_t CandidatePlanner::bytesOfEverything() const {
  int64_t most = 0;
  for (auto &[key, module] : lowered)
    if (module)
      most = std::max(most, flow::bytesOfEverything(*module));
  return most;
}

} // namespace windlass
