// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "model/StepReport.h"

#include "model/AlikeLaunches.h"
#include "model/StepOfPlan.h"
#include "runtime/base/Counted.h"
#include "runtime/plan/Layout.h"
#include "runtime/plan/SectionSchedule.h"
#include <array>
#include <map>

namespace windlass::model {
namespace {

using plan::Instruction;
using plan::Lane;
using plan::Tier;

/// The use of lanes and links by one rank in a step.
struct RankWork {
  std::array<LaneUse, kLanes> lanes;
  std::map<RateId, double> links; ///< seconds at their rates
};

/// The link whose rate limits the transfer or collective.
RateId linkOf(const Machine &machine, const InstructionWork &work) {
  switch (work.lane) {
  case Lane::CgIn:
    return RateId::CgIn;
  case Lane::CgOut:
    return RateId::CgOut;
  case Lane::NcIn:
    return machine.diskLink(RateId::NvmeRead);
  case Lane::NcOut:
    return machine.diskLink(RateId::NvmeWrite);
  case Lane::Gg:
  case Lane::Nodes:
    return bindingLinkOf(machine, work).rate;
  case Lane::ActOut:
  case Lane::ActIn:
  case Lane::GradOut:
  case Lane::GradIn:
    return work.acrossNodes ? RateId::Nodes : RateId::Gg;
  case Lane::Compute:
  case Lane::HostCompute:
    break;
  }
  return RateId::DeviceBandwidth;
}

/// Seconds that the bytes of a transfer take: on the disk with the time of its requests, without its latency.
double secondsOfBytes(const Machine &machine, InstructionWork work) {
  const double seconds = secondsOf(machine, work);
  work.bytes = 0;
  return seconds - secondsOf(machine, work);
}

class Report {
public:
  Report(const plan::Plan &plan, const Machine &machine)
      : plan(plan), machine(machine), alikeLaunches(plan) {}

  void addRank(const plan::Program &program, int64_t rank, int64_t alike);
  void addTiers(const plan::Program &program);
  void shareTiers();
  StepReport of(const Simulation &simulation);

private:
  void addFlops(const Instruction &instruction, const InstructionWork &work, double times, int64_t copies);
  void addLargest(const RankWork &work);
  double peak(plan::ElementType type) const;

  const plan::Plan &plan;
  const Machine &machine;
  const AlikeLaunches alikeLaunches;
  StepReport report;
  double modelSeconds = 0, computedSeconds = 0; ///< of all ranks, at the peak of each product's type
  std::map<Lane, LaneUse> lanes;
  std::map<RateId, double> links;
  std::map<Tier, TierUse> tiers;
};

/// FLOP per second of a rank's device, or of its share of the cores.
double Report::peak(plan::ElementType type) const {
  const RateId id = type == plan::ElementType::BF16  ? RateId::MatmulBF16
                    : type == plan::ElementType::F16 ? RateId::MatmulF16
                                                     : RateId::MatmulF32;
  return machine.rate(id).perSecond * (machine.sharedCores > 0 ? machine.coresPerRank() : 1);
}

/// `copies`: ranks that compute the same, of which the model's own are those of one.
void Report::addFlops(const Instruction &instruction, const InstructionWork &work, double times,
                      int64_t copies) {
  if (!work.product)
    return;
  const double flops = times * work.flops, seconds = flops / peak(work.product->type);
  report.flops.computed += flops;
  computedSeconds += seconds;
  if (instruction.origin.phase == plan::Phase::Recompute)
    return;
  report.flops.model += flops / static_cast<double>(copies);
  modelSeconds += seconds / static_cast<double>(copies);
}

/// Adds the training step of one rank. `alike`: ranks with the same work, this one included; the FLOP of all
/// of them are added. Lanes and links are added once, since the report has the largest use over all ranks.
void Report::addRank(const plan::Program &program, int64_t rank, int64_t alike) {
  RankWork mine;
  const auto number = static_cast<size_t>(&program - plan.programs.data());
  for (const auto &[section, runs] : program.train) {
    const std::vector<Instruction> &instructions = program.sections[section].instructions;
    for (size_t place = 0; place < instructions.size(); ++place) {
      const Instruction &instruction = instructions[place];
      const double times = static_cast<double>(runs);
      LaneUse &lane = mine.lanes[static_cast<size_t>(instruction.lane)];
      lane.lane = instruction.lane;
      lane.instructions += runs;
      if (!plan::executes(plan, program, instruction, rank))
        continue;
      const InstructionWork work = workOf(plan, program, instruction, machine);
      lane.bytes += times * work.bytes;
      addFlops(instruction, work, times * static_cast<double>(alike),
               alikeLaunches.copies(number, section, place));
      if (instruction.bytesMoved == 0)
        continue;
      mine.links[linkOf(machine, work)] += times * secondsOfBytes(machine, work);
    }
  }
  addLargest(mine);
}

void Report::addLargest(const RankWork &work) {
  for (const LaneUse &lane : work.lanes) {
    if (lane.instructions == 0)
      continue;
    LaneUse &most = lanes[lane.lane];
    most.lane = lane.lane;
    most.instructions = std::max(most.instructions, lane.instructions);
    most.bytes = std::max(most.bytes, lane.bytes);
  }
  for (const auto &[rate, seconds] : work.links)
    links[rate] = std::max(links[rate], seconds);
}

void Report::addTiers(const plan::Program &program) {
  for (const plan::Arena &arena : program.arenas) {
    TierUse &tier = tiers[arena.tier];
    tier = {arena.tier, std::max(tier.planned, arena.bytes), std::max(tier.mostLive, arena.lowerBound),
            machine.capacity(arena.tier)};
  }
}

/// A stage of a pipeline may take more than an even share of its node's host or disk: what the others there
/// leave.
void Report::shareTiers() {
  std::map<Tier, std::map<int64_t, int64_t>> taken; // by tier and node
  for (const plan::Program &program : plan.programs)
    for (const plan::Arena &arena : program.arenas)
      for (int64_t rank = program.firstRank; rank <= program.lastRank(); ++rank)
        taken[arena.tier][rank / std::max<int64_t>(1, machine.ranksPerNode)] += arena.bytes;
  for (auto &[which, tier] : tiers) {
    const int64_t ofNode = tier.capacity * machine.ranksPerNode;
    if (which != Tier::Device &&
        std::ranges::all_of(taken[which], [&](const auto &node) { return node.second <= ofNode; }))
      tier.capacity = std::max(tier.capacity, tier.planned);
  }
}

/// Tokens that one example has; 0 where no input is of tokens.
int64_t tokensOfExample(const plan::Plan &plan) {
  for (const plan::Input &input : plan.inputs) {
    if (input.role != plan::InputRole::Tokens)
      continue;
    int64_t tokens = 1;
    for (size_t d = 1; d < input.shape.size(); ++d)
      tokens *= input.shape[d];
    return tokens;
  }
  return 0;
}

StepReport Report::of(const Simulation &simulation) {
  report.prediction = simulation.prediction(machine);
  report.boundSeconds = simulation.boundSeconds;
  report.transferSeconds = simulation.transferSeconds;
  report.hiddenSeconds = simulation.hiddenShare * simulation.transferSeconds;
  report.exposedSeconds = simulation.exposedSeconds;
  if (const double seconds = simulation.stepSeconds; seconds > 0) {
    report.examplesPerSecond = static_cast<double>(plan.training.globalBatch) / seconds;
    report.tokensPerSecond = report.examplesPerSecond * static_cast<double>(tokensOfExample(plan));
    const double ranks = static_cast<double>(plan.ranks());
    report.flops.modelShare = modelSeconds / (seconds * ranks);
    report.flops.computedShare = computedSeconds / (seconds * ranks);
  }
  for (auto &[lane, use] : lanes) {
    use.busy = simulation.busy[static_cast<size_t>(lane)];
    report.lanes.push_back(use);
  }
  for (const auto &[rate, seconds] : links)
    report.links.push_back({rate, seconds});
  for (const auto &[tier, use] : tiers)
    report.tiers.push_back(use);
  return std::move(report);
}

} // namespace

StepReport reportStep(const plan::Plan &plan, const Machine &machine, const Simulation &simulation) {
  const Machine busy = usedBy(plan, machine);
  Report report(plan, busy);
  for (const plan::Program &program : plan.programs) {
    const bool differ = plan::hasOwners(program);
    for (int64_t rank = program.firstRank; rank <= (differ ? program.lastRank() : program.firstRank); ++rank)
      report.addRank(program, rank, differ ? 1 : program.ranks);
    report.addTiers(program);
  }
  report.shareTiers();
  return report.of(simulation);
}

Status checkSuits(const plan::Plan &plan, const Machine &machine) {
  if (machine.ranks() != plan.ranks())
    return Status::badInput("the plan is for " + counted(plan.ranks(), "rank") + ", the machine has " +
                            formatCount(machine.ranks()) + ": a plan of other ranks is compiled anew");
  WINDLASS_TRY(checkCores(machine, plan.backend));
  for (const plan::Program &program : plan.programs)
    for (const plan::Arena &arena : program.arenas)
      if (arena.bytes > 0 && !machine.has(arena.tier))
        return Status::badInput("the plan keeps " + formatBytes(arena.bytes) + " of each rank on " +
                                std::string(plan::textOf(arena.tier)) + ", which the machine does not have");
  return Status::ok();
}

} // namespace windlass::model
