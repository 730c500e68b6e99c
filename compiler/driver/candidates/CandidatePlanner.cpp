// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/driver/candidates/CandidatePlanner.h"

#include "passes/Flow/layout/Consumers.h"
#include "passes/Flow/layout/GatheredAgain.h"
#include "passes/Flow/layout/JoinStages.h"
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
  if (flow.stages.empty()) {
    Result<ModuleOp> graph = graphOf(candidate);
    if (!graph)
      return graph.status();
    ++work.lowered;
    Result<Stages> stages = levels.lowerGraphToStages(graph->clone(), candidate);
    if (!stages)
      return stages.status();
    for (OwningOpRef<ModuleOp> &stage : stages->modules)
      flow.stages.push_back({std::move(stage), {}});
    flow.layers = std::move(stages->layers);
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

Result<std::vector<flow::Workspace>> CandidatePlanner::workspacesOf(const Candidate &candidate) {
  Result<Lowered *> flow = lower(candidate);
  if (!flow)
    return flow.status();
  std::vector<flow::Workspace> all;
  for (auto &[module, workspaces] : (*flow)->stages) {
    auto known = workspaces.find(candidate.chunkElements);
    if (known == workspaces.end()) {
      Result<flow::Workspace> workspace = flow::workspaceOf(*module, candidate.chunkElements);
      if (!workspace)
        return workspace.status();
      known = workspaces.emplace(candidate.chunkElements, *workspace).first;
    }
    all.push_back(known->second);
  }
  return all;
}

int64_t CandidatePlanner::leastOnDevice(const Candidate &candidate) {
  const Recompute &recompute = candidate.recompute;
  if (recompute.layers > 0 || recompute.every > 1 || !candidate.keptGathered.empty() ||
      !namesNoBucket(training) || training.stages > 1)
    return 0; // decisions of single layers mean other layers here, and so do stages
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
  Result<std::vector<flow::Workspace>> workspaces = workspacesOf(candidate);
  if (!workspaces)
    return workspaces.status();
  return llvm::all_of(*workspaces, [&](const flow::Workspace &stage) { return stage.mayFit(machine); });
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
  Result<std::vector<flow::Workspace>> workspaces = workspacesOf(candidate);
  if (!workspaces)
    return workspaces.status();
  Result<Lowered *> flow = lower(candidate);
  if (!flow)
    return flow.status();
  Planned planned{candidate, {}, (*flow)->layers, {}};
  ++work.planned;
  TimingScope scope = levels.timed("memory");
  WINDLASS_TRY(planStages(**flow, machine, wanted, *workspaces, planned));
  return planned;
}

/// Leaves a stage the pins of its own items, and those of none, which are refused where they are placed.
static void dropPinsOfOthers(flow::TierPins &pins, flow::TierPins mine, flow::TierPins all) {
  for (auto &[cls, pinned] : pins)
    std::erase_if(pinned.of, [&, &own = mine[cls].of, &any = all[cls].of](const auto &item) {
      return !own.contains(item.first) && any.contains(item.first);
    });
}

Status CandidatePlanner::planStages(Lowered &stages, const model::Machine &machine, const Wanted &wanted,
                                    const std::vector<flow::Workspace> &workspaces, Planned &planned) {
  std::vector<flow::MemoryPlan> plans;
  flow::TierPins items;
  for (LoweredStage &stage : stages.stages)
    for (const auto &[cls, own] : flow::itemsOf(*stage.module))
      items[cls].of.insert(own.of.begin(), own.of.end());
  for (auto [stage, workspace] : llvm::zip_equal(stages.stages, workspaces)) {
    planned.stages.push_back(stage.module->clone());
    flow::PlanMemoryRequest request = requestFor(planned.candidate, wanted, workspace);
    dropPinsOfOthers(request.pins, flow::itemsOf(*stage.module), items);
    Result<flow::MemoryPlan> plan = flow::planMemory(*planned.stages.back(), machine, request);
    if (!plan)
      return plan.status();
    plans.push_back(plan.take());
  }
  if (plans.size() == 1) {
    planned.memory = std::move(plans.front());
    return Status::ok();
  }
  Result<flow::MemoryPlan> together =
      flow::joinStages(planned.stages, std::move(plans), machine, wanted.ask == Ask::WhetherItFits);
  if (!together)
    return together.status();
  planned.memory = together.take();
  return Status::ok();
}

Result<double> CandidatePlanner::leastSeconds(const Candidate &candidate, const model::Machine &machine) {
  Result<Lowered *> flow = lower(candidate);
  if (!flow)
    return flow.status();
  double seconds = 0;
  for (LoweredStage &stage : (*flow)->stages) {
    flow::InstructionCost cost(*stage.module, machine);
    seconds = std::max(seconds, flow::computeSeconds(*stage.module, cost));
  }
  return seconds;
}

Result<std::vector<std::string>> CandidatePlanner::gatheredAgain(const Candidate &candidate) {
  Result<Lowered *> flow = lower(candidate);
  if (!flow)
    return flow.status();
  std::vector<std::string> again;
  for (LoweredStage &stage : (*flow)->stages)
    llvm::append_range(again, flow::gatheredAgain(*stage.module));
  return again;
}

Result<int64_t> CandidatePlanner::bytesOfEverything(const Candidate &candidate) {
  Result<Lowered *> flow = lower(candidate);
  if (!flow)
    return flow.status();
  int64_t bytes = 0;
  for (LoweredStage &stage : (*flow)->stages)
    bytes = std::max(bytes, flow::bytesOfEverything(*stage.module));
  return bytes;
}

} // namespace windlass
