// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/model/Simulator.h"

#include "runtime/plan/Enums.h"
#include "runtime/plan/Groups.h"
#include "runtime/plan/Layout.h"
#include <algorithm>
#include <deque>
#include <limits>
#include <tuple>

namespace windlass::model {
namespace {

using plan::Instruction;
using plan::Lane;
using plan::Opcode;
using plan::SectionKind;

size_t at(Lane lane) { return static_cast<size_t>(lane); }
bool isNvme(size_t lane) { return lane == at(Lane::NcIn) || lane == at(Lane::NcOut); }
bool isKernelLane(size_t lane) { return lane == at(Lane::Compute) || lane == at(Lane::HostCompute); }
bool isCollectiveLane(size_t lane) { return lane == at(Lane::Gg) || lane == at(Lane::Nodes); }
bool isCopyLane(size_t lane) {
  return isCollectiveLane(lane) || lane == at(Lane::CgIn) || lane == at(Lane::CgOut);
}

/// Counts of instructions per lane: how many are complete, or stand before a section run.
using LaneCounts = std::array<uint32_t, kLanes>;
using Span = std::pair<double, double>;

/// One section as it runs within the step.
struct Run {
  const plan::Section *section = nullptr;
  LaneCounts before{}; ///< instructions of earlier runs
};

/// One instruction of a run, in its lane's queue.
struct Queued {
  size_t event = 0;
  uint32_t run = 0;
  const Instruction *instruction = nullptr;
  double seconds = 0;
};

/// What a lane is doing. A kernel or copy has seconds left; NVMe requests have a fixed end, several at once.
struct LaneState {
  std::vector<Queued> queue;
  size_t started = 0, completed = 0;
  double left = 0; ///< of the one under way, if it were alone
  struct Request {
    double end = 0;
    double weight = 0; ///< of the shared cores, from the end of the one before it to its own
  };
  std::deque<Request> requests; ///< NVMe: in flight
  double linkFree = 0;          ///< NVMe: when the last byte of the last request has passed
  bool isActive() const { return started > completed; }
};

/// Ranks do the same at the same time, and one stands for all; but where buffers have owners.
struct Rank {
  std::array<LaneState, kLanes> lanes;
  double diskFree = 0;     ///< when its part of the disk has done what was asked, in both directions
  std::vector<Span> spans; ///< start and end of every event
};

class Player {
public:
  Player(const plan::Plan &plan, const Machine &machine, const SimulatorOptions &options)
      : plan(plan), machine(machine), options(options) {}

  Result<Simulation> play();

private:
  Status queueRuns();
  void queueRun(const plan::Section &section);
  double sharedSeconds(const Instruction &instruction, double seconds) const;
  bool mayStart(const Rank &rank, size_t lane) const;
  bool startReady(Rank &rank, size_t lane);
  bool startCollectives(Lane lane);
  bool startReady();
  void completeDue();
  double advance();
  double slowdown(const Rank &rank) const;
  double slowdown(const Rank &rank, size_t lane) const;
  bool sharesLinks(const Rank &rank) const;
  RateId linkOf(const Instruction &collective) const;
  std::string nameOf(const Rank &rank, Lane lane) const;
  void summarise();
  void summarise(const Rank &rank);

  const plan::Plan &plan;
  const Machine &machine;
  const SimulatorOptions &options;
  std::vector<Run> runs;
  std::vector<Rank> ranks;
  std::array<double, kLanes> weight{};
  double now = 0;
  Simulation result;
};

/// Seconds of the shared cores of its rank, all of them busy, of an instruction that alone takes `seconds`.
double Player::sharedSeconds(const Instruction &instruction, double seconds) const {
  if (isNvme(at(instruction.lane)))
    return seconds > 0 ? machine.requestSeconds(static_cast<double>(instruction.bytesMoved)) : 0;
  return seconds * weight[at(instruction.lane)];
}

void Player::queueRun(const plan::Section &section) {
  Run run{&section, {}};
  for (size_t lane = 0; lane < kLanes; ++lane)
    run.before[lane] = static_cast<uint32_t>(ranks.front().lanes[lane].queue.size());
  for (uint32_t i = 0; i < section.instructions.size(); ++i) {
    const Instruction &instruction = section.instructions[i];
    double seconds = instructionSeconds(machine, plan, instruction, options);
    for (size_t rank = 0; rank < ranks.size(); ++rank) {
      bool skips = ranks.size() > 1 && !executes(plan, instruction, static_cast<int64_t>(rank));
      ranks[rank].lanes[at(instruction.lane)].queue.push_back(
          {result.events.size(), static_cast<uint32_t>(runs.size()), &instruction, skips ? 0 : seconds});
    }
    result.events.push_back({section.kind, static_cast<int64_t>(runs.size()), i, 0, 0,
                             sharedSeconds(instruction, seconds) * machine.coresPerRank()});
  }
  runs.push_back(run);
}

Status Player::queueRuns() {
  Result<std::vector<const plan::Section *>> step = stepSections(plan, plan.training.microBatches);
  if (!step)
    return step.status();
  for (const plan::Section *section : *step)
    queueRun(*section);
  return Status::ok();
}

bool Player::mayStart(const Rank &rank, size_t index) const {
  const std::array<LaneState, kLanes> &lanes = rank.lanes;
  const LaneState &lane = lanes[index];
  size_t depth = isNvme(index) ? static_cast<size_t>(std::max<int64_t>(1, plan.nvmeDepth)) : 1;
  if (lane.started == lane.queue.size() || lane.started - lane.completed >= depth)
    return false;
  const Queued &next = lane.queue[lane.started];
  // A section may run beside its predecessor, but not beside the one two places back.
  if (next.run > 0)
    for (size_t other = 0; other < kLanes; ++other)
      if (lanes[other].completed < runs[next.run - 1].before[other])
        return false;
  for (const plan::Wait &wait : next.instruction->waits) {
    uint32_t needed = runs[next.run].before[at(wait.lane)] + wait.ordinal;
    if (wait.isPrevious()) {
      if (next.run == 0)
        continue; // the step before ended with a drain
      SectionKind before = runs[next.run - 1].section->kind;
      auto entry = std::find_if(wait.previous.begin(), wait.previous.end(),
                                [&](const auto &candidate) { return candidate.first == before; });
      if (entry == wait.previous.end())
        continue;
      needed = runs[next.run - 1].before[at(wait.lane)] + entry->second;
    }
    if (lanes[at(wait.lane)].completed < needed)
      return false;
  }
  return true;
}

bool Player::startReady(Rank &rank, size_t index) {
  LaneState &lane = rank.lanes[index];
  bool any = false;
  while (mayStart(rank, index)) {
    const Queued &next = lane.queue[lane.started++];
    rank.spans[next.event].first = now;
    any = true;
    if (!isNvme(index)) {
      lane.left = next.seconds;
      break;
    }
    double transfer = std::max(0.0, next.seconds - machine.nvmeLatency);
    double begin = lane.requests.empty() ? now : lane.requests.back().end;
    bool skips = next.seconds == 0; // another rank's
    lane.linkFree =
        skips ? std::max(now, lane.linkFree) : std::max(now + machine.nvmeLatency, lane.linkFree) + transfer;
    if (!skips && !options.paced && machine.nvmeDuplex() < 2) {
      rank.diskFree = std::max(now + machine.nvmeLatency, rank.diskFree) + transfer / machine.nvmeDuplex();
      lane.linkFree = std::max(lane.linkFree, rank.diskFree);
    }
    double passed = lane.linkFree - begin;
    double work = sharedSeconds(*next.instruction, next.seconds);
    lane.requests.push_back({lane.linkFree, passed > 0 ? work / passed : 0});
  }
  return any;
}

/// A collective starts when all ranks are there.
bool Player::startCollectives(Lane lane) {
  for (const Rank &rank : ranks)
    if (!mayStart(rank, at(lane)))
      return false;
  for (Rank &rank : ranks)
    startReady(rank, at(lane));
  return true;
}

bool Player::startReady() {
  bool any = startCollectives(Lane::Gg);
  any |= startCollectives(Lane::Nodes);
  for (Rank &rank : ranks)
    for (size_t index = 0; index < kLanes; ++index)
      if (!isCollectiveLane(index))
        any |= startReady(rank, index);
  return any;
}

/// By how much lanes that share cores slow each other down just now. What the disk's requests take is gone
/// for the others, who keep half: a fair scheduler gives the threads of the disk no more.
double Player::slowdown(const Rank &rank) const {
  double asked = 0, disk = 0;
  for (size_t lane = 0; lane < kLanes; ++lane)
    if (rank.lanes[lane].isActive())
      (isNvme(lane) ? disk : asked) += isNvme(lane) ? rank.lanes[lane].requests.front().weight : weight[lane];
  return std::max(1.0, asked / (1 - std::min(disk, 0.5)));
}

/// The link that binds a collective.
RateId Player::linkOf(const Instruction &collective) const {
  return options.paced ? RateId::Gg : machine.bindingLink(groupOf(plan, collective)).rate;
}

/// Whether the collectives of both lanes are under way and bound by the same link, which each then has half
/// of.
bool Player::sharesLinks(const Rank &rank) const {
  auto underWay = [&](Lane of) -> const Instruction * {
    const LaneState &lane = rank.lanes[at(of)];
    return lane.isActive() ? lane.queue[lane.completed].instruction : nullptr;
  };
  const Instruction *inside = underWay(Lane::Gg), *across = underWay(Lane::Nodes);
  return inside && across && linkOf(*inside) == linkOf(*across);
}

/// How many times longer a lane's work takes just now than alone.
double Player::slowdown(const Rank &rank, size_t lane) const {
  if (weight[lane] > 0)
    return slowdown(rank);
  return isCollectiveLane(lane) && sharesLinks(rank) ? 2 : 1;
}

/// Moves the clock to the next completion; infinity if nothing is under way.
double Player::advance() {
  double next = std::numeric_limits<double>::infinity();
  std::vector<std::array<double, kLanes>> slow;
  for (const Rank &rank : ranks) {
    slow.emplace_back();
    for (size_t index = 0; index < kLanes; ++index)
      if (const LaneState &lane = rank.lanes[index]; lane.isActive()) {
        slow.back()[index] = slowdown(rank, index);
        next =
            std::min(next, isNvme(index) ? lane.requests.front().end : now + lane.left * slow.back()[index]);
      }
  }
  if (next == std::numeric_limits<double>::infinity())
    return next;
  double passed = next - now;
  for (size_t rank = 0; rank < ranks.size(); ++rank)
    for (size_t index = 0; index < kLanes; ++index)
      if (LaneState &lane = ranks[rank].lanes[index]; !isNvme(index) && lane.isActive())
        lane.left -= passed / slow[rank][index];
  now = next;
  return next;
}

void Player::completeDue() {
  double grain = 1e-12 + now * 1e-12; // what rounding leaves over
  for (Rank &rank : ranks)
    for (size_t index = 0; index < kLanes; ++index) {
      LaneState &lane = rank.lanes[index];
      while (lane.isActive() && (isNvme(index) ? lane.requests.front().end <= now : lane.left <= grain)) {
        rank.spans[lane.queue[lane.completed].event].second = now;
        if (isNvme(index))
          lane.requests.pop_front();
        ++lane.completed;
      }
    }
}

Result<Simulation> Player::play() {
  for (size_t lane = 0; lane < kLanes; ++lane)
    weight[lane] = options.paced && isCopyLane(lane) ? 0 : machine.coreWeight(static_cast<Lane>(lane));
  ranks.resize(hasOwners(plan) ? static_cast<size_t>(plan.ranks()) : 1);
  WINDLASS_TRY(queueRuns());
  for (Rank &rank : ranks)
    rank.spans.resize(result.events.size());
  do {
    while (startReady())
      completeDue(); // instructions that take no time
  } while (advance() < std::numeric_limits<double>::infinity() && (completeDue(), true));
  const std::array<LaneState, kLanes> &lanes = ranks.front().lanes;
  for (size_t index = 0; index < kLanes; ++index)
    if (lanes[index].completed < lanes[index].queue.size()) {
      const SimulatedEvent &stuck = result.events[lanes[index].queue[lanes[index].completed].event];
      return Status::badInput("instruction " + std::to_string(stuck.instruction) + " of section \"" +
                              std::string(plan::textOf(stuck.section)) + "\" waits for ever on lane \"" +
                              std::string(plan::textOf(static_cast<Lane>(index))) + "\"");
    }
  result.stepSeconds = now;
  for (size_t event = 0; event < result.events.size(); ++event)
    std::tie(result.events[event].start, result.events[event].end) = ranks.front().spans[event];
  summarise();
  return std::move(result);
}

/// Times at which a kernel runs, as disjoint intervals in order.
std::vector<Span> joined(std::vector<Span> spans) {
  std::sort(spans.begin(), spans.end());
  std::vector<Span> result;
  for (auto span : spans)
    if (!result.empty() && span.first <= result.back().second)
      result.back().second = std::max(result.back().second, span.second);
    else
      result.push_back(span);
  return result;
}

/// How much of [begin, end) the intervals cover.
double covered(const std::vector<Span> &spans, double begin, double end) {
  auto span = std::lower_bound(spans.begin(), spans.end(), begin,
                               [](const auto &candidate, double value) { return candidate.second < value; });
  double sum = 0;
  for (; span != spans.end() && span->first < end; ++span)
    sum += std::max(0.0, std::min(end, span->second) - std::max(begin, span->first));
  return sum;
}

/// What holds for the whole step: each figure from the rank where it is worst.
void Player::summarise() {
  for (const Rank &rank : ranks)
    summarise(rank);
  if (result.boundSeconds < 0.5 * result.stepSeconds)
    result.boundBy = "waits";
}

/// What a lane waits for: links between nodes, where most of its time goes to collectives that these bind.
std::string Player::nameOf(const Rank &rank, Lane lane) const {
  double all = 0, across = 0;
  if (isCollectiveLane(at(lane)))
    for (const Queued &queued : rank.lanes[at(lane)].queue) {
      all += queued.seconds;
      across += linkOf(*queued.instruction) == RateId::Nodes ? queued.seconds : 0;
    }
  return std::string(across > 0.5 * all ? kBetweenNodes : plan::textOf(lane));
}

void Player::summarise(const Rank &rank) {
  std::vector<Span> kernels, transfers;
  double cores = 0, transferSeconds = 0, disk = 0; // of the disk without latencies, which overlap
  std::array<double, kLanes> alone{};
  for (size_t index = 0; index < kLanes; ++index) {
    double busy = 0;
    for (const Queued &queued : rank.lanes[index].queue) {
      auto [start, end] = rank.spans[queued.event];
      double begin = isNvme(index) ? std::max(start, end - queued.seconds) : start;
      alone[index] += queued.seconds;
      if (isNvme(index))
        disk += std::max(0.0, queued.seconds - machine.nvmeLatency) / machine.nvmeDuplex();
      busy += end - begin;
      cores += sharedSeconds(*queued.instruction, queued.seconds);
      (isKernelLane(index) ? kernels : transfers).emplace_back(begin, end);
    }
    result.busy[index] = std::max(result.busy[index], busy);
  }
  kernels = joined(std::move(kernels));
  double hidden = 0;
  for (auto [begin, end] : transfers) {
    transferSeconds += end - begin;
    hidden += covered(kernels, begin, end);
  }
  result.transferSeconds = std::max(result.transferSeconds, transferSeconds);
  result.hiddenShare = std::min(result.hiddenShare, transferSeconds > 0 ? hidden / transferSeconds : 1);
  size_t busiest = std::max_element(alone.begin(), alone.end()) - alone.begin();
  double bound = alone[busiest];
  std::string by = nameOf(rank, static_cast<Lane>(busiest));
  if (disk > bound && !options.paced) {
    bound = disk;
    by = "nvme";
  }
  // On shared cores the busiest lane is only a part of what the cores do.
  if (cores > bound * (1 + 1e-9)) {
    bound = cores;
    bool computes = alone[at(Lane::Compute)] * weight[at(Lane::Compute)] >= 0.5 * cores;
    by = computes ? std::string(plan::textOf(Lane::Compute)) : "cores";
  }
  if (bound > result.boundSeconds) {
    result.boundSeconds = bound;
    result.boundBy = by;
  }
}

} // namespace

RankGroup groupOf(const plan::Plan &plan, const Instruction &collective) {
  return {groupRanks(plan, collective.axes), groupSpan(plan, collective.axes)};
}

double instructionSeconds(const Machine &machine, const plan::Plan &plan, const Instruction &instruction,
                          const SimulatorOptions &options) {
  double bytes = static_cast<double>(instruction.bytesMoved);
  double links = options.paced ? static_cast<double>(machine.ranksPerNode) : 1;
  auto paced = [&](RateId id, double latency) {
    return latency + bytes * links / machine.rate(id).perSecond;
  };
  switch (instruction.op) {
  case Opcode::Launch: {
    const plan::Kernel &kernel = plan.kernels[static_cast<size_t>(instruction.kernel)];
    double part = kernel.extent > 0 ? static_cast<double>(instruction.end - instruction.begin) /
                                          static_cast<double>(kernel.extent)
                                    : 1;
    if (instruction.lane == Lane::HostCompute)
      return machine.hostKernelSeconds(kernel.bytes * part);
    if (kernel.kind == plan::KernelKind::Matmul)
      return std::max(machine.matmulSeconds(kernel.flops * part, kernel.matmul.a),
                      machine.kernelSeconds(kernel.bytes * part));
    return machine.kernelSeconds(kernel.bytes * part, kernel.flops * part);
  }
  case Opcode::AllGather:
  case Opcode::ReduceScatter:
  case Opcode::Broadcast:
  case Opcode::Reduce:
    return options.paced ? paced(RateId::Gg, machine.ggLatency)
                         : machine.collectiveSeconds(bytes, groupOf(plan, instruction));
  case Opcode::Upload:
    return options.paced ? paced(RateId::CgIn, machine.cgLatency) : machine.uploadSeconds(bytes);
  case Opcode::Offload:
    return options.paced ? paced(RateId::CgOut, machine.cgLatency) : machine.offloadSeconds(bytes);
  case Opcode::Read:
    return options.paced ? paced(RateId::NvmeRead, machine.nvmeLatency) : machine.readSeconds(bytes);
  case Opcode::Write:
    return options.paced ? paced(RateId::NvmeWrite, machine.nvmeLatency) : machine.writeSeconds(bytes);
  case Opcode::Feed:
  case Opcode::Report:
    return 0;
  }
  return 0;
}

Result<Simulation> simulateStep(const plan::Plan &plan, const Machine &machine,
                                const SimulatorOptions &options) {
  Machine busy = machine;
  busy.threadsPerRank = std::max<int64_t>(1, plan.training.threadsPerRank);
  return Player(plan, busy, options).play();
}

plan::Prediction Simulation::prediction(const Machine &machine) const {
  plan::Prediction prediction;
  prediction.stepSeconds = stepSeconds;
  prediction.boundBy = boundBy;
  for (size_t lane = 0; lane < kLanes; ++lane)
    if (busy[lane] > 0)
      prediction.busy.emplace_back(static_cast<Lane>(lane), busy[lane]);
  prediction.declaredRates = !machine.isMeasured();
  return prediction;
}

} // namespace windlass::model
