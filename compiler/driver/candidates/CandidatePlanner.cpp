// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/driver/candidates/CandidatePlanner.h"

#include "passes/Flow/layout/Consumers.h"
#include "passes/Flow/layout/GatheredAgain.h"
#include "passes/Flow/layout/SimulateLayout.h"
#include "passes/Graph/FewLayers.h"

using namespace mlir;

namespace windlass {

CandidatePlanner::Key CandidatePlanner::keyOf(const Candidate &candidate) {
  return {word(candidate.recompute), candidate.zero,   candidate.order,       candidate.bucketBytes,
          candidate.persistence,     candidate.limits, candidate.keptGathered};
}

Result<CandidatePlanner::Lowered *> CandidatePlanner::lower(const Candidate &candidate) {
  Lowered &flow = lowered[keyOf(candidate)];
  if (!flow.module) {
    Result<ModuleOp> graph = graphOf(candidate);
    if (!graph)
      return graph.status();
    OwningOpRef<ModuleOp> module = graph->clone();
    ++work.lowered;
    WINDLASS_TRY(levels.lowerGraphToFlow(*module, candidate));
    flow.module = std::move(module);
  }
  return &flow;
}

Result<ModuleOp> CandidatePlanner::graphOf(const Candidate &candidate) {
  OwningOpRef<ModuleOp> &graph = graphs[{word(candidate.recompute), candidate.limits}];
  if (!graph) {
    OwningOpRef<ModuleOp> module = imported.clone();
    WINDLASS_TRY(levels.lowerToGraph(*module, candidate.recompute, candidate.limits));
    graph = std::move(module);
  }
  return *graph;
}

Result<flow::Workspace> CandidatePlanner::workspaceOf(const Candidate &candidate) {
  Result<Lowered *> flow = lower(candidate);
  if (!flow)
    return flow.status();
  std::map<int64_t, flow::Workspace> &workspaces = (*flow)->workspaces;
  auto known = workspaces.find(candidate.chunkElements);
  if (known != workspaces.end())
    return known->second;
  Result<flow::Workspace> workspace = flow::workspaceOf(*(*flow)->module, candidate.chunkElements);
  if (workspace)
    workspaces.emplace(candidate.chunkElements, *workspace);
  return workspace;
}

int64_t CandidatePlanner::leastOnDevice(const Candidate &candidate) {
  const Recompute &recompute = candidate.recompute;
  if (recompute.layers > 0 || recompute.every > 1 || !candidate.keptGathered.empty() ||
      !namesNoBucket(training))
    return 0; // decisions of single layers mean other layers here
  if (!few)
    few = graph::withFewLayers(imported);
  if (!*few)
    return 0;
  auto [known, isNew] = least.try_emplace({keyOf(candidate), candidate.chunkElements}, 0);
  OwningOpRef<ModuleOp> module = isNew ? (*few)->clone() : ModuleOp();
  if (isNew && levels.withoutFiles().lowerToFlow(*module, candidate)) // a failure says nothing of all layers
    if (Result<flow::Workspace> workspace = flow::workspaceOf(*module, candidate.chunkElements))
      known->second = workspace->leastOnDevice;
  return known->second;
}

Result<ActivationChoices> CandidatePlanner::activationChoices() {
  if (choices)
    return *choices;
  Result<ActivationChoices> found = ActivationChoices::of(imported, levels);
  if (found)
    choices = *found;
  return found;
}

Result<bool> CandidatePlanner::mayFit(const Candidate &candidate, const model::Machine &machine) {
  if (leastOnDevice(candidate) > machine.capacity(plan::Tier::Device))
    return false;
  Result<flow::Workspace> workspace = workspaceOf(candidate);
  if (!workspace)
    return workspace.status();
  return workspace->mayFit(machine);
}

/// Pins and credits are those that are asked for. A candidate without a reserve for prefetching has one
/// credit on each link whose credits are open.
flow::PlanMemoryRequest CandidatePlanner::requestFor(const Candidate &candidate, const Wanted &wanted,
                                                     const flow::Workspace &workspace) const {
  flow::PlanMemoryRequest memory;
  memory.pins = pinsOf(training);
  // Where parameters must leave the device, shards take less of it than whole parameters.
  memory.wholeOnDevice = !training.zeroStage.others || candidate.zero == 3;
  memory.credits = {training.prefetchNc, training.prefetchCg, training.prefetchGg};
  if (!candidate.prefetchReserve)
    for (std::optional<int64_t> &credits : memory.credits)
      credits = credits.value_or(1);
  memory.overlap = training.overlap;
  memory.chunkElements = candidate.chunkElements;
  memory.prefetchReserve = candidate.prefetchReserve;
  memory.firstThatFits = wanted.ask == Ask::WhetherItFits;
  memory.shortage = wanted.shortage;
  memory.limit = wanted.limit;
  memory.workspace = workspace;
  return memory;
}

Result<Planned> CandidatePlanner::plan(const Candidate &candidate, const model::Machine &machine,
                                       const Wanted &wanted) {
  if (wanted.shortage)
    wanted.shortage->reset();
  if (wanted.ask == Ask::WhetherItFits || !wanted.shortage) {
    Result<bool> may = mayFit(candidate, machine);
    if (!may)
      return may.status();
    if (!*may)
      return Status::cannotFit("states, and what is computed with at one time, take more than there is");
  }
  Result<flow::Workspace> workspace = workspaceOf(candidate);
  if (!workspace)
    return workspace.status();
  Result<Lowered *> flow = lower(candidate);
  if (!flow)
    return flow.status();
  Planned planned{candidate, (*flow)->module->clone(), {}};
  ++work.planned;
  TimingScope scope = levels.timed("memory");
  Result<flow::MemoryPlan> plan =
      flow::planMemory(*planned.module, machine, requestFor(candidate, wanted, *workspace));
  if (!plan)
    return plan.status();
  planned.memory = plan.take();
  return planned;
}

Result<double> CandidatePlanner::leastSeconds(const Candidate &candidate, const model::Machine &machine) {
  Result<Lowered *> flow = lower(candidate);
  if (!flow)
    return flow.status();
  ModuleOp module = *(*flow)->module;
  flow::InstructionCost cost(module, machine);
  return flow::computeSeconds(module, cost);
}

Result<std::vector<std::string>> CandidatePlanner::gatheredAgain(const Candidate &candidate) {
  Result<Lowered *> flow = lower(candidate);
  if (!flow)
    return flow.status();
  return flow::gatheredAgain(*(*flow)->module);
}

Result<int64_t> CandidatePlanner::bytesOfEverything(const Candidate &candidate) {
  Result<Lowered *> flow = lower(candidate);
  if (!flow)
    return flow.status();
  return flow::bytesOfEverything(*(*flow)->module);
}

} // namespace windlass
