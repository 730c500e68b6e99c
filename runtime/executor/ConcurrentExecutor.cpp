#include "runtime/executor/ConcurrentExecutor.h"
#include <algorithm>

namespace windlass {

ConcurrentExecutor::ConcurrentExecutor(ExecutorParts given)
    : ExecutorBase(std::move(given)), transport(program.rankCount()),
      state(program, transport, *parts.storage) {}

Result<std::unique_ptr<Executor>> ConcurrentExecutor::create(ExecutorParts parts) {
  auto executor = std::make_unique<ConcurrentExecutor>(std::move(parts));
  for (int64_t rank = 0; rank < executor->program.rankCount(); ++rank)
    for (size_t lane = 0; lane < plan::kLanes; ++lane)
      if (executor->program.usesLane(static_cast<plan::Lane>(lane)))
        WINDLASS_TRY(executor->addLane(rank, static_cast<plan::Lane>(lane)));
  return std::unique_ptr<Executor>(std::move(executor));
}

Status ConcurrentExecutor::addLane(int64_t rank, plan::Lane lane) {
  LaneRunner::Config config;
  config.rank = rank;
  config.lane = lane;
  config.pace = parts.options.pace;
  if (plan::isNvmeLane(lane)) {
    config.queue =
        parts.storage->nvme(rank).queue(lane == plan::Lane::NcIn ? IoDirection::Read : IoDirection::Write);
    config.depth = std::max<int64_t>(1, parts.plan->nvmeDepth);
  } else if (lane == plan::Lane::Compute || lane == plan::Lane::HostCompute) {
    Result<std::unique_ptr<KernelRunner>> kernels = KernelRunner::create(*parts.kernels);
    if (!kernels)
      return kernels.status();
    config.kernels = kernels.take();
  }
  std::string name = "r" + std::to_string(rank) + " " + std::string(textOf(lane));
  LaneRunner *runner =
      lanes.emplace_back(std::make_unique<LaneRunner>(std::move(config), state, timeline)).get();
  WINDLASS_TRY(workforce.hire(name, [runner] { runner->issue(); }));
  return runner->isNvme() ? workforce.hire(name + " end", [runner] { runner->complete(); }) : Status::ok();
}

Status ConcurrentExecutor::run(const Sequence &sequence, StepHost &host) {
  state.begin(sequence, host);
  workforce.runAll();
  for (const std::unique_ptr<LaneRunner> &lane : lanes)
    add(lane->moved(), totals);
  return state.failure();
}

} // namespace windlass
