// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "model/Simulator.h"

#include "model/StepOfPlan.h"
#include "runtime/plan/Groups.h"
#include "runtime/plan/Layout.h"
#include "runtime/plan/SectionSchedule.h"
#include <algorithm>
#include <cmath>

namespace windlass::model {
namespace {

using plan::Lane;

size_t at(Lane lane) { return static_cast<size_t>(lane); }
bool isNvme(size_t lane) { return lane == at(Lane::NcIn) || lane == at(Lane::NcOut); }
bool isKernelLane(size_t lane) { return lane == at(Lane::Compute) || lane == at(Lane::HostCompute); }
bool isCollectiveLane(size_t lane) { return lane == at(Lane::Gg) || lane == at(Lane::Nodes); }

/// The same times as disjoint intervals in order.
std::vector<TimeSpan> joined(std::vector<TimeSpan> spans) {
  std::ranges::sort(spans, {}, [](const TimeSpan &span) { return std::pair(span.start, span.end); });
  std::vector<TimeSpan> result;
  for (const TimeSpan &span : spans)
    if (!result.empty() && span.start <= result.back().end)
      result.back().end = std::max(result.back().end, span.end);
    else
      result.push_back(span);
  return result;
}

/// How much of [begin, end) the intervals cover.
double covered(const std::vector<TimeSpan> &spans, double begin, double end) {
  double sum = 0;
  for (auto span = std::ranges::lower_bound(spans, begin, {}, &TimeSpan::end);
       span != spans.end() && span->start < end; ++span)
    sum += std::max(0.0, std::min(end, span->end) - std::max(begin, span->start));
  return sum;
}

/// The use of lanes and shared resources by one rank in a step.
struct RankUse {
  std::array<double, kLanes> alone{}, busy{};         ///< seconds; if nothing slowed it, and as played
  std::array<std::vector<TimeSpan>, kLanes> requests; ///< of the disk, of which several are under way at once
  double acrossNodes = 0; ///< of collectives, alone, that links between nodes bind
  double disk = 0;        ///< seconds of the disk without latencies, which overlap
  double cores = 0;       ///< seconds of the rank's shared cores, all of them busy, but for disk requests
  std::array<double, kLanes> requestWork{}; ///< the same for disk requests
  std::vector<TimeSpan> kernels, transfers;
};

/// Makes a Simulation from the times of the tasks of a step.
class Summary {
public:
  Summary(const plan::Plan &plan, const TimedStep &step, const Machine &machine, Links links)
      : plan(plan), step(step), machine(machine), links(links) {}

  Simulation of(PlayedTasks played);

private:
  template <typename Visit> void forEachTask(size_t program, Visit visit) const;
  void listEvents(size_t program, const std::vector<TimeSpan> &spans);
  RankUse useOf(size_t program, int64_t rank, const std::vector<TimeSpan> &spans) const;
  void addUse(RankUse use);
  void addBound(const RankUse &use);
  bool isBoundByHost(Lane lane) const;
  bool isHostSlowerThanBoth() const;
  std::string nameOf(const RankUse &use, size_t lane) const;
  double sharedSeconds(const TimedTask &task, double seconds) const;

  const plan::Plan &plan;
  const TimedStep &step;
  const Machine &machine;
  Links links;
  Simulation result;
};

/// Calls visit(run, number, task) for each run of a program and each of its tasks.
template <typename Visit> void Summary::forEachTask(size_t program, Visit visit) const {
  for (const plan::SectionRun &run : unroll(plan.programs[program], plan::Purpose::Train)) {
    const std::vector<TimedTask> &tasks = step.programs[program].sections[run.section].tasks;
    for (uint32_t number = 0; number < tasks.size(); ++number)
      visit(run, number, tasks[number]);
  }
}

/// Seconds of the shared cores of its rank, all of them busy, of a task that alone takes `seconds`.
double Summary::sharedSeconds(const TimedTask &task, double seconds) const {
  if (isNvme(at(task.lane)))
    return seconds > 0 ? task.requestWork : 0;
  return seconds * step.sharedWeight[at(task.lane)];
}

void Summary::listEvents(size_t program, const std::vector<TimeSpan> &spans) {
  auto span = spans.begin();
  forEachTask(program, [&](const plan::SectionRun &run, uint32_t number, const TimedTask &task) {
    const auto [start, end] = *span++;
    result.events.push_back({program, run.section, run.microBatch, number, start, end,
                             sharedSeconds(task, task.seconds) * machine.coresPerRank()});
  });
}

RankUse Summary::useOf(size_t program, int64_t rank, const std::vector<TimeSpan> &spans) const {
  RankUse use;
  auto span = spans.begin();
  forEachTask(program, [&](const plan::SectionRun &, uint32_t, const TimedTask &task) {
    const size_t lane = at(task.lane);
    const double seconds = task.owner == kAllRanks || task.owner == rank ? task.seconds : 0;
    auto [start, end] = *span++;
    const double begin = isNvme(lane) ? std::max(start, end - seconds) : start;
    // Latencies of requests that are under way together overlap.
    const double latency = isNvme(lane) && step.nvmeDepth > 1 ? machine.nvmeLatency : 0;
    use.alone[lane] += std::max(0.0, seconds - latency);
    if (isNvme(lane))
      use.requests[lane].push_back({begin, end});
    else
      use.busy[lane] += end - begin;
    if (const double shared = sharedSeconds(task, seconds); isNvme(lane)) {
      use.requestWork[lane] += std::min(shared, kMostForRequests * seconds);
      use.disk += std::max(0.0, seconds - machine.nvmeLatency) / machine.nvmeDuplex();
    } else {
      use.cores += shared;
    }
    if (isCollectiveLane(lane) && task.link == RateId::Nodes)
      use.acrossNodes += seconds;
    (isKernelLane(lane) ? use.kernels : use.transfers).push_back({begin, end});
  });
  return use;
}

/// Whether the host's memory, and not the disk, limits a lane of the disk.
bool Summary::isBoundByHost(Lane lane) const {
  const RateId direction = lane == Lane::NcIn ? RateId::NvmeRead : RateId::NvmeWrite;
  return isNvme(at(lane)) && links == Links::Machine && machine.diskLink(direction) == RateId::HostLink;
}

/// Whether the host's memory, and not the disk, limits what the disk reads and writes at the same time.
bool Summary::isHostSlowerThanBoth() const {
  const double both = machine.rate(RateId::NvmeBoth).perSecond,
               host = machine.throughHost() * static_cast<double>(machine.ranksPerNode);
  return both > 0 ? host < both : std::isfinite(host);
}

/// The name of the resource of a lane: kBetweenNodes if most of its time is in collectives that links between
/// nodes bind.
std::string Summary::nameOf(const RankUse &use, size_t lane) const {
  if (isBoundByHost(static_cast<Lane>(lane)))
    return std::string(machine.sharedThing());
  const bool isAcross = isCollectiveLane(lane) && use.acrossNodes > 0.5 * use.alone[lane];
  return std::string(isAcross ? kBetweenNodes : plan::textOf(static_cast<Lane>(lane)));
}

/// The work of disk requests that slows other tasks down, whatever they ask for: those of both directions at
/// once take no larger share than those of one.
double workOfRequests(const RankUse &use) {
  double work = 0, share = 0;
  for (const Lane lane : {Lane::NcIn, Lane::NcOut})
    if (const double seconds = use.alone[at(lane)]; seconds > 0) {
      work += use.requestWork[at(lane)];
      share += use.requestWork[at(lane)] / seconds;
    }
  return work * std::min(1.0, kMostForRequests / std::max(share, kMostForRequests));
}

void Summary::addBound(const RankUse &use) {
  const size_t busiest = std::ranges::max_element(use.alone) - use.alone.begin();
  double bound = use.alone[busiest];
  std::string by = nameOf(use, busiest);
  if (use.disk > bound && links == Links::Machine) {
    bound = use.disk;
    by = isHostSlowerThanBoth() ? machine.sharedThing() : "nvme";
  }
  // The shared cores, or the host's memory, are busier than any single lane.
  if (const double cores = use.cores + workOfRequests(use); cores > bound * (1 + 1e-9)) {
    bound = cores;
    const double computes = use.alone[at(Lane::Compute)] * step.sharedWeight[at(Lane::Compute)];
    by = computes >= 0.5 * cores ? std::string(plan::textOf(Lane::Compute))
                                 : std::string(machine.sharedThing());
  }
  if (bound > result.boundSeconds) {
    result.boundSeconds = bound;
    result.boundBy = by;
  }
}

void Summary::addUse(RankUse use) {
  for (size_t lane = 0; lane < kLanes; ++lane) {
    for (const TimeSpan &span : joined(std::move(use.requests[lane])))
      use.busy[lane] += span.end - span.start;
    result.busy[lane] = std::max(result.busy[lane], use.busy[lane]);
  }
  const std::vector<TimeSpan> kernels = joined(std::move(use.kernels));
  double hidden = 0, transferSeconds = 0;
  for (auto [begin, end] : use.transfers) {
    transferSeconds += end - begin;
    hidden += covered(kernels, begin, end);
  }
  double exposed = 0;
  for (auto [begin, end] : joined(std::move(use.transfers)))
    exposed += end - begin - covered(kernels, begin, end);
  result.exposedSeconds = std::max(result.exposedSeconds, exposed);
  result.transferSeconds = std::max(result.transferSeconds, transferSeconds);
  result.hiddenShare = std::min(result.hiddenShare, transferSeconds > 0 ? hidden / transferSeconds : 1);
  addBound(use);
}

/// The figures of the whole step, each from the rank where it is worst.
Simulation Summary::of(PlayedTasks played) {
  result.stepSeconds = played.seconds;
  auto spans = played.spans.begin();
  for (size_t program = 0; program < step.programs.size(); ++program) {
    listEvents(program, *spans);
    for (int64_t rank = 0; rank < step.programs[program].ranks; ++rank)
      addUse(useOf(program, rank, *spans++));
  }
  if (result.boundSeconds < 0.5 * result.stepSeconds)
    result.boundBy = "waits";
  result.times = std::move(played.spans);
  return std::move(result);
}

} // namespace

Result<Simulation> simulateStep(const plan::Plan &plan, const Machine &machine, Links links) {
  const Machine busy = usedBy(plan, machine);
  Result<TimedStep> step = stepOf(plan, busy, links);
  if (!step)
    return step.status();
  Result<PlayedTasks> played = play(*step, Spans::Kept);
  if (!played)
    return played.status();
  return Summary(plan, *step, busy, links).of(played.take());
}

std::span<const TimeSpan> timesOf(const plan::Plan &plan, const Simulation &simulation, int64_t rank) {
  size_t number = 0; // among the simulated ranks
  for (const plan::Program &program : plan.programs) {
    const bool differ = hasOwners(program);
    if (program.serves(rank))
      return simulation.times[number + static_cast<size_t>(differ ? dataPlace(plan, rank) : 0)];
    number += static_cast<size_t>(differ ? dataRanks(plan) : 1);
  }
  return {};
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
