// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/driver/candidates/CandidatePlanner.h"

#include "compiler/driver/candidates/NodeShares.h"
#include "passes/Flow/layout/Consumers.h"
#include "passes/Flow/layout/CountStep.h"
#include "passes/Flow/layout/JoinStages.h"
#include "passes/Flow/layout/RepeatedGathers.h"
#include "passes/Flow/layout/SimulateLayout.h"
#include "passes/Flow/layout/StageShape.h"

using namespace mlir;

namespace windlass {

Result<Lowered *> CandidatePlanner::lower(const Candidate &candidate) {
  Lowered &flow = lowerings->all[loweringKey(candidate)];
  if (flow.stages.empty()) {
    Result<ModuleOp> graph = graphs->lowered(candidate, levels);
    if (!graph)
      return graph.status();
    ++work.lowered;
    Result<Stages> stages = levels.lowerGraphToStages(graph->clone(), candidate);
    if (!stages)
      return stages.status();
    for (OwningOpRef<ModuleOp> &stage : stages->modules)
      flow.stages.push_back({std::move(stage)});
    flow.layers = std::move(stages->layers);
  }
  return &flow;
}

/// Homes that are asked for are placed later, where a machine may lack the tier.
static Result<StageSizes> sizesOf(LoweredStage &stage, int64_t chunkElements, const model::Machine &machine) {
  if (auto known = stage.sizes.find(chunkElements); known != stage.sizes.end())
    return known->second;
  const OwningOpRef<ModuleOp> onDevice = flow::placedCopy(*stage.module, /*tiers=*/{}, chunkElements);
  Result<flow::TierBytes> workspace = flow::workspaceOf(*stage.module, *onDevice);
  if (!workspace)
    return workspace.status();
  return stage.sizes[chunkElements] = {flow::countStep(*stage.module, *onDevice, machine, /*tiers=*/{}),
                                       *workspace};
}

Result<std::vector<flow::TierBytes>> CandidatePlanner::workspacesOf(const Candidate &candidate,
                                                                    const model::Machine &machine) {
  Result<Lowered *> flow = lower(candidate);
  if (!flow)
    return flow.status();
  std::vector<flow::TierBytes> all;
  for (LoweredStage &stage : (*flow)->stages) {
    Result<StageSizes> sizes = sizesOf(stage, candidate.chunkElements, machine);
    if (!sizes)
      return sizes.status();
    all.push_back(sizes->workspace);
  }
  return all;
}

std::optional<planning::StepBound> CandidatePlanner::boundOfFew(const Candidate &candidate,
                                                                const model::Machine &machine) {
  const std::optional<planning::StepCounts> few = counts.of(candidate, machine);
  if (!few)
    return std::nullopt;
  planning::ClassTiers tiers = flow::classTiersOf(pinsOf(training));
  if (std::optional<plan::Tier> &params = tiers[static_cast<size_t>(plan::PlacementClass::Param)];
      candidate.zero < 3 && keepsWholeOnDevice(candidate)) // without shards
    params = params.value_or(plan::Tier::Device);
  return planning::boundOf(*few, tiers);
}

/// Where parameters must leave the device, shards take less of it than whole parameters.
bool CandidatePlanner::keepsWholeOnDevice(const Candidate &candidate) const {
  return !training.zeroStage.others || candidate.zero == 3;
}

Result<bool> CandidatePlanner::areAlike(const Candidate &candidate, const Candidate &other,
                                        const model::Machine &machine) {
  if (candidate.chunkElements != other.chunkElements || candidate.prefetchReserve != other.prefetchReserve)
    return false;
  if (std::optional<bool> few = counts.areAlike(candidate, other, machine))
    return *few;
  Result<Lowered *> one = lower(candidate);
  if (!one)
    return one.status();
  Result<Lowered *> two = lower(other);
  if (!two)
    return two.status();
  return std::ranges::equal((*one)->stages, (*two)->stages,
                            [](const LoweredStage &stage, const LoweredStage &same) {
                              return areSame(*stage.module, *same.module);
                            });
}

std::optional<planning::StepBound> CandidatePlanner::boundOf(const Candidate &candidate,
                                                             const model::Machine &machine) {
  if (std::optional<planning::StepBound> few = boundOfFew(candidate, machine))
    return few;
  const planning::ClassTiers tiers = flow::classTiersOf(pinsOf(training));
  if (training.stages > 1 || llvm::any_of(tiers, [&](auto tier) { return tier && !machine.has(*tier); }))
    return std::nullopt;
  Result<Lowered *> flow = lower(candidate);
  if (!flow)
    return std::nullopt;
  const ModuleOp module = *(*flow)->stages.front().module;
  const OwningOpRef<ModuleOp> placed = flow::placedCopy(module, tiers, candidate.chunkElements);
  return planning::boundOf(flow::countStep(module, *placed, machine, tiers), tiers);
}

std::optional<plan::Shortage> CandidatePlanner::shortageOf(const planning::StepBound &bound,
                                                           const model::Machine &machine) {
  return planning::shortageOf(bound,
                              {machine.capacity(plan::Tier::Device), machine.capacity(plan::Tier::Host),
                               machine.capacity(plan::Tier::Nvme)});
}

Result<std::optional<plan::Shortage>> CandidatePlanner::certainShortage(const Candidate &candidate,
                                                                        const model::Machine &machine) {
  const std::optional<planning::StepBound> few = boundOfFew(candidate, machine);
  std::optional<plan::Shortage> shortage = few ? shortageOf(*few, machine) : std::nullopt;
  if (shortage || (few && training.stages == 1 && counts.areOfAll())) // the whole module is bounded already
    return shortage;
  Result<Lowered *> flow = lower(candidate);
  if (!flow)
    return flow.status();
  const NodeShares shares(training, machine);
  const model::Machine most = shares.areShared() ? shares.forOneStage() : machine;
  for (LoweredStage &stage : (*flow)->stages) {
    Result<StageSizes> sizes = sizesOf(stage, candidate.chunkElements, machine);
    if (!sizes)
      return sizes.status();
    shortage = shortageOf(planning::boundOf(sizes->counts, {}), most);
    if (shortage)
      break;
  }
  return shortage;
}

/// Pins, credits and slack are those that are asked for. A candidate without a reserve for prefetching has
/// one credit on each link whose credits are open.
flow::PlanMemoryRequest CandidatePlanner::requestFor(const Candidate &candidate, size_t stage,
                                                     const Wanted &wanted,
                                                     const flow::TierBytes &workspace) const {
  flow::PlanMemoryRequest memory;
  memory.pins = pinsOf(training);
  memory.wholeOnDevice = keepsWholeOnDevice(candidate);
  memory.isStage = training.stages > 1;
  memory.credits = {training.prefetchNc.at(stage), training.prefetchCg.at(stage),
                    training.prefetchGg.at(stage)};
  if (!candidate.prefetchReserve)
    for (std::optional<int64_t> &credits : memory.credits)
      credits = credits.value_or(1);
  memory.slack = {training.slackDevice.at(stage), training.slackHost.at(stage), training.slackNvme.at(stage)};
  memory.overlap = training.overlap;
  memory.chunkElements = candidate.chunkElements;
  memory.prefetchReserve = candidate.prefetchReserve;
  memory.firstThatFits = wanted.ask == Ask::WhetherItFits;
  memory.shortage = wanted.shortage;
  memory.limit = wanted.limit / wanted.waiting;
  memory.workspace = workspace;
  return memory;
}

/// The memory plan of a candidate that few of the layers show to be slow: its seconds alone.
std::optional<flow::MemoryPlan>
CandidatePlanner::slowBound(const Candidate &candidate, const model::Machine &machine, const Wanted &wanted) {
  if (wanted.limit == std::numeric_limits<double>::infinity() || wanted.lowersSlow)
    return std::nullopt;
  const std::optional<planning::StepBound> few = boundOfFew(candidate, machine);
  if (!few || few->seconds <= wanted.limit)
    return std::nullopt;
  flow::MemoryPlan slow;
  slow.step.seconds = few->seconds;
  slow.isSlow = slow.isBound = true;
  return slow;
}

Result<Planned> CandidatePlanner::plan(const Candidate &candidate, const model::Machine &machine,
                                       const Wanted &wanted) {
  if (wanted.shortage)
    wanted.shortage->reset();
  if (std::optional<flow::MemoryPlan> slow = slowBound(candidate, machine, wanted))
    return Planned{candidate, {}, {}, std::move(*slow)};
  const auto isShort = [] {
    return Status::cannotFit("states, and what is computed with at one time, take more than there is");
  };
  if (wanted.shortage) {
    if (const std::optional<planning::StepBound> few = boundOfFew(candidate, machine))
      *wanted.shortage = shortageOf(*few, machine);
    if (*wanted.shortage)
      return isShort();
  }
  if (wanted.ask == Ask::WhetherItFits || !wanted.shortage) {
    Result<std::optional<plan::Shortage>> certain = certainShortage(candidate, machine);
    if (!certain)
      return certain.status();
    if (*certain && wanted.shortage)
      *wanted.shortage = *certain;
    if (*certain)
      return isShort();
  }
  Result<std::vector<flow::TierBytes>> workspaces = workspacesOf(candidate, machine);
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

/// Removes the pins of items of other stages. Pins of items that no stage has stay, and are refused at
/// placement. `items`: by stage.
static void dropPinsOfOthers(flow::TierPins &pins, size_t stage, std::vector<flow::TierPins> items) {
  for (auto &[cls, pinned] : pins)
    for (auto [other, all] : llvm::enumerate(items))
      for (const auto &[item, home] : all[cls].of) {
        const auto itsOwn = pinned.of.find(flow::itemOfStage(item, other));
        if (itsOwn != pinned.of.end()) {
          if (other == stage)
            pinned.of[item] = itsOwn->second;
          pinned.of.erase(itsOwn);
        }
        if (!items[stage][cls].of.contains(item))
          pinned.of.erase(item);
      }
}

/// The bytes of the arenas of a laid out stage, on a rank.
static flow::TierBytes bytesOf(ModuleOp laidOut) {
  flow::TierBytes bytes{};
  for (plan::Tier tier : {plan::Tier::Device, plan::Tier::Host, plan::Tier::Nvme})
    bytes[static_cast<size_t>(tier)] = flow::arenaOf(laidOut, tier).bytes;
  return bytes;
}

Status CandidatePlanner::planStage(LoweredStage &stage, const model::Machine &machine,
                                   const flow::PlanMemoryRequest &request, const Wanted &wanted,
                                   StagePlan &planned) {
  Result<flow::MemoryPlan> plan = flow::planMemory(*stage.module, machine, request, planned.module);
  if (!plan)
    return plan.status();
  planned.memory = plan.take();
  if (planned.memory->isSlow && wanted.waiting > 1) {
    planned.memory->step.seconds *= wanted.waiting;
    planned.memory->isBound = false;
  }
  if (!planned.module && wanted.lowersSlow)
    planned.module = stage.module->clone();
  return Status::ok();
}

bool CandidatePlanner::planAlike(Lowered &stages, size_t stage, const model::Machine &machine,
                                 const Wanted &wanted, const std::vector<flow::PlanMemoryRequest> &requests,
                                 std::vector<StagePlan> &plans) {
  const size_t last = stages.stages.size() - 1;
  if (stage == 0 || stage == last) // the first and the last stage have embeddings or a loss
    return false;
  LoweredStage &own = stages.stages[stage];
  own.shape = own.shape.empty() ? flow::shapeOf(*own.module, machine) : own.shape;
  for (size_t other = 1; other < stage; ++other) {
    const StagePlan &known = plans[other];
    const flow::PlanMemoryRequest &its = requests[other];
    if (!known.module || known.memory->isSlow || stages.stages[other].shape != own.shape ||
        its.credits != requests[stage].credits || its.slack != requests[stage].slack ||
        !namesNoBucket(training))
      continue;
    flow::PlanMemoryRequest request = requests[stage];
    request.pins = flow::pinsLike(*own.module, *stages.stages[other].module, known.memory->homes);
    for (planning::Link link : planning::kLinks)
      request.credits[static_cast<size_t>(link)] = known.memory->credits.front().of(link);
    for (size_t tier = 0; tier < request.slack.size(); ++tier)
      request.slack[tier] = known.memory->slack.front()[tier];
    StagePlan again;
    if (!planStage(own, machine, request, wanted, again) || !again.module)
      return false;
    again.memory->reasons = known.memory->reasons;
    plans[stage] = std::move(again);
    ++work.taken;
    return true;
  }
  return false;
}

/// If a stage does not fit into its share of the host or the disk, but would fit into all of its node's, it
/// is planned after the others, with the bytes that they leave. A step takes at least as long as a slow
/// stage, so planning stops there.
Result<std::vector<CandidatePlanner::StagePlan>>
CandidatePlanner::planEach(Lowered &stages, const model::Machine &machine, const Wanted &wanted,
                           const std::vector<flow::PlanMemoryRequest> &requests) {
  std::vector<StagePlan> plans(requests.size());
  NodeShares shares(training, machine);
  const auto plan = [&](size_t number, const model::Machine &its) {
    StagePlan &planned = plans[number];
    if (!planAlike(stages, number, its, wanted, requests, plans))
      WINDLASS_TRY(planStage(stages.stages[number], its, requests[number], wanted, planned));
    if (planned.module && !planned.memory->isSlow)
      shares.take(number, bytesOf(*planned.module));
    return Status::ok();
  };
  const auto wouldFit = [&](size_t number) {
    flow::PlanMemoryRequest any = requests[number];
    any.firstThatFits = true;
    any.shortage = nullptr;
    StagePlan unused;
    return planStage(stages.stages[number], shares.forOneStage(), any, wanted, unused).isOk();
  };
  const auto isSlow = [&](size_t number) { return plans[number].memory->isSlow && !wanted.lowersSlow; };
  std::vector<size_t> waiting;
  for (size_t number = 0; number < plans.size(); ++number) {
    Status status = plan(number, machine);
    if (cannotFit(status) && shares.areShared() && wouldFit(number))
      waiting.push_back(number);
    else if (!status)
      return plans.size() > 1 ? status.in("stage " + std::to_string(number)) : status;
    else if (isSlow(number))
      return plans;
  }
  for (size_t number : waiting) {
    WINDLASS_TRY(plan(number, shares.whatIsLeftTo(number)));
    if (isSlow(number))
      break;
  }
  return plans;
}

Status CandidatePlanner::planStages(Lowered &stages, const model::Machine &machine, const Wanted &wanted,
                                    const std::vector<flow::TierBytes> &workspaces, Planned &planned) {
  std::vector<flow::TierPins> items;
  for (LoweredStage &stage : stages.stages)
    items.push_back(flow::itemsOf(*stage.module));
  std::vector<flow::PlanMemoryRequest> requests;
  for (auto [number, workspace] : llvm::enumerate(workspaces)) {
    requests.push_back(requestFor(planned.candidate, number, wanted, workspace));
    dropPinsOfOthers(requests.back().pins, number, items);
  }
  Result<std::vector<StagePlan>> all = planEach(stages, machine, wanted, requests);
  if (!all)
    return all.status();
  std::vector<flow::MemoryPlan> plans; // none for stages behind a slow one
  for (StagePlan &stage : *all) {
    if (stage.memory)
      plans.push_back(std::move(*stage.memory));
    if (stage.module)
      planned.stages.push_back(std::move(stage.module));
  }
  if (stages.stages.size() == 1) {
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

Result<std::vector<flow::RepeatedGather>> CandidatePlanner::gatheredAgain(const Candidate &candidate) {
  Result<Lowered *> flow = lower(candidate);
  if (!flow)
    return flow.status();
  std::vector<flow::RepeatedGather> again;
  for (LoweredStage &stage : (*flow)->stages)
    llvm::append_range(again, flow::repeatedGathers(*stage.module));
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
