// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/executor/ConcurrentExecutor.h"
#include "runtime/base/Cores.h"
#include "runtime/transport/ExchangeTransport.h"
#include <algorithm>

namespace windlass {

namespace {

using Parties = std::span<const MeshTransport::Party>;

/// The device's own: of ranks that are all in this process, or whichever it reaches by itself.
Result<std::unique_ptr<Transport>> makeOnDevice(const ExecutorParts &parts, const LaneStreams &streams,
                                                Parties parties) {
  std::vector<int64_t> members;
  std::vector<Stream *> exchanging;
  const plan::RankSet &local = parts.storage->ranks();
  for (const auto &[rank, lane] : parties) {
    members.push_back(rank);
    exchanging.push_back(local.contains(rank) ? streams[local.placeOf(rank)][static_cast<size_t>(lane)].get()
                                              : nullptr);
  }
  return parts.backend->makeTransport(members, exchanging);
}

/// Over the network, which moves bytes of the host. Every process has as many ranks.
Result<std::unique_ptr<Transport>> makeRemote(const ExecutorParts &parts, int64_t number, Parties parties) {
  const plan::RankSet &local = parts.storage->ranks();
  if (parts.storage->device(local.front()).hostView().empty() && parts.storage->device(local.front()).data())
    return Status::cannotFit(
        "the backend '" + parts.plan->backend +
        "' has device memory that no other process reaches; run all ranks in one process");
  std::vector<int64_t> processes;
  for (const auto &[rank, lane] : parties)
    processes.push_back(rank / static_cast<int64_t>(local.size()));
  Result<std::unique_ptr<ByteGroup>> group = parts.options.network->makeGroup(number, processes);
  if (!group)
    return group.status();
  return std::unique_ptr<Transport>(std::make_unique<ExchangeTransport>(std::ssize(processes), group.take()));
}

/// What a rank's threads run on; nothing: wherever this process may. Ranks of different programs work at
/// different times, so one leaves its cores to the others while it waits.
std::vector<int64_t> processorsOf(const ExecutorParts &parts, int64_t rank) {
  const plan::RankSet &local = parts.storage->ranks();
  if (!parts.options.bindRanks || parts.plan->programs.size() > 1)
    return {};
  return partOfRank(processorsHere(), static_cast<int64_t>(local.placeOf(rank)),
                    static_cast<int64_t>(local.size()));
}

} // namespace

ConcurrentExecutor::ConcurrentExecutor(ExecutorParts given, LaneStreams made, MeshTransport groups)
    : ExecutorBase(std::move(given)), transport(std::move(groups)),
      state(bound, transport, *parts.storage, made, parts.backend->exchangesOneByOne()),
      watch(state, parts.options.deviceSeconds), streams(std::move(made)) {}

Result<std::unique_ptr<Executor>> ConcurrentExecutor::create(ExecutorParts parts) {
  Result<LaneStreams> streams = makeLaneStreams(*parts.storage);
  if (!streams)
    return streams.status();
  const auto isLocal = [&parts](const MeshTransport::Party &party) {
    return parts.storage->ranks().contains(party.rank);
  };
  const auto processOf = [each = static_cast<int64_t>(parts.storage->ranks().size())](
                             const MeshTransport::Party &party) { return party.rank / each; };
  int64_t groups = 0;
  auto makeGroup = [&](Parties parties) -> Result<std::unique_ptr<Transport>> {
    const int64_t number = groups++;
    const bool isOfOne = std::ranges::all_of(
        parties, [&](const auto &party) { return processOf(party) == processOf(parties[0]); });
    if (isOfOne)
      return isLocal(parties[0]) ? makeOnDevice(parts, *streams, parties) : std::unique_ptr<Transport>();
    if (parts.backend->spansProcesses())
      return makeOnDevice(parts, *streams, parties);
    return std::ranges::any_of(parties, isLocal) ? makeRemote(parts, number, parties)
                                                 : std::unique_ptr<Transport>();
  };
  Result<MeshTransport> transport = MeshTransport::create(*parts.plan, makeGroup);
  if (!transport)
    return transport.status();
  if (parts.options.network)
    parts.options.network->closeDoor();
  auto executor = std::make_unique<ConcurrentExecutor>(std::move(parts), streams.take(), transport.take());
  for (int64_t rank : executor->bound.ranks()) {
    const RunsOn cores(processorsOf(executor->parts, rank)); // also the threads of its lanes
    for (size_t lane = 0; lane < plan::kLanes; ++lane)
      if (executor->bound.programOf(rank).usesLane[lane])
        WINDLASS_TRY(executor->addLane(rank, static_cast<plan::Lane>(lane)));
  }
  return std::unique_ptr<Executor>(std::move(executor));
}

Status ConcurrentExecutor::addLane(int64_t rank, plan::Lane lane) {
  LaneRunner::Config config;
  config.rank = rank;
  config.lane = lane;
  config.pace = parts.options.pace;
  config.device = &parts.storage->device(rank);
  config.stream = state.stream(rank, lane);
  config.depth = kStreamDepth;
  if (plan::isNvmeLane(lane)) {
    config.queue =
        parts.storage->nvme(rank).queue(lane == plan::Lane::NcIn ? IoDirection::Read : IoDirection::Write);
    config.depth = std::max<int64_t>(1, parts.plan->nvmeDepth);
  } else if (lane == plan::Lane::Compute || lane == plan::Lane::HostCompute) {
    const KernelSet &set = lane == plan::Lane::Compute ? *parts.kernels.device : *parts.kernels.host;
    Result<std::unique_ptr<KernelLauncher>> kernels = set.makeLauncher(rank, config.stream);
    if (!kernels)
      return kernels.status();
    config.kernels = kernels.take();
  }
  std::string name = "r" + std::to_string(rank) + " " + std::string(textOf(lane));
  LaneRunner *runner =
      lanes.emplace_back(std::make_unique<LaneRunner>(std::move(config), state, timeline)).get();
  WINDLASS_TRY(workforce.hire(name, [runner] { runner->issue(); }));
  return runner->isAsynchronous() ? workforce.hire(name + " end", [runner] { runner->complete(); })
                                  : Status::ok();
}

/// The thread that waits for lanes frees them: an end of NCCL's work may take a while.
void ConcurrentExecutor::stop(const Status &why) {
  {
    const std::scoped_lock lock(mutex);
    stopped = why;
  }
  workforce.hurry();
}

void ConcurrentExecutor::look() {
  watch.look();
  std::unique_lock lock(mutex);
  const Status why = stopped;
  lock.unlock();
  if (!why.isOk())
    state.fail(why);
}

Status ConcurrentExecutor::walk(plan::Purpose purpose, StepHost &host) {
  state.begin(purpose, host);
  watch.begin();
  workforce.runAll(looking);
  for (const std::unique_ptr<LaneRunner> &lane : lanes)
    add(lane->moved(), totals);
  return state.failure();
}

} // namespace windlass
