// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Flow/layout/SimulateLayout.h"

#include "passes/Flow/waits/Schedules.h"
#include "passes/Flow/waits/SectionWaits.h"

using namespace mlir;

namespace windlass::flow {
namespace {

/// A section as the clock takes it. `sections`: the sections of the step, by number.
model::TimedSection timedSection(const SectionWaits &section, StringRef name, ArrayRef<SectionOp> sections,
                                 InstructionCost &cost) {
  model::TimedSection timed{name.str(), {}};
  SmallVector<int64_t> numbers; // of the predecessors among the sections of the step
  for (SectionOp predecessor : section.predecessors)
    numbers.push_back(llvm::find(sections, predecessor) - sections.begin());
  for (auto [i, op] : llvm::enumerate(section.order.instructions)) {
    model::TimedTask &task = timed.tasks.emplace_back(cost.task(op));
    for (size_t lane = 0; lane < plan::kLanes; ++lane) {
      if (static_cast<Lane>(lane) == section.order.lanes[i])
        continue;
      auto wait = [&](const LaneOrdinals &ordinals, int64_t before) {
        if (ordinals[lane] > 0)
          task.waits.push_back({static_cast<Lane>(lane), static_cast<uint32_t>(ordinals[lane]), before});
      };
      wait(section.waits[i].here, model::kSameRun);
      for (auto [number, ordinals] : llvm::zip(numbers, section.waits[i].before))
        wait(ordinals, number);
    }
  }
  return timed;
}

bool hasOwners(const model::TimedProgram &program) {
  return llvm::any_of(program.sections, [](const model::TimedSection &section) {
    return llvm::any_of(section.tasks,
                        [](const model::TimedTask &task) { return task.owner != model::kAllRanks; });
  });
}

Result<SimulatedStep> simulate(model::TimedStep step, int64_t ranks) {
  model::TimedProgram &program = step.programs.front();
  program.ranks = hasOwners(program) ? ranks : 1;
  SimulatedStep result;
  Result<model::PlayedTasks> shared = model::play(step, model::Spans::Forgotten);
  if (!shared)
    return shared.status();
  result.seconds = result.alone = shared->seconds;
  if (step.coreWeight != decltype(step.coreWeight)()) {
    step.coreWeight = {};
    Result<model::PlayedTasks> alone = model::play(step, model::Spans::Forgotten);
    if (!alone)
      return alone.status();
    result.alone = alone->seconds;
  }
  for (const plan::SectionRuns &runs : program.schedule)
    for (const model::TimedTask &task : program.sections[runs.section].tasks)
      if (isNvmeLane(task.lane))
        result.disk += static_cast<double>(runs.times) * task.seconds;
  return result;
}

} // namespace

double computeSeconds(ModuleOp module, InstructionCost &cost) {
  double seconds = 0;
  for (auto section : module.getOps<SectionOp>()) {
    const double runs = static_cast<double>(runsOf(section));
    for (auto launch : section.getBody().front().getOps<LaunchOp>())
      if (launch.deriveLane() == Lane::Compute)
        seconds += runs * cost.seconds(launch);
  }
  return seconds;
}

bool SimulatedStep::isBetter(const SimulatedStep &other) const {
  auto differ = [](double a, double b) { return std::abs(a - b) > kNearly * b; };
  if (differ(seconds, other.seconds))
    return seconds < other.seconds;
  if (differ(disk, other.disk))
    return disk < other.disk;
  return differ(alone, other.alone) && alone < other.alone;
}

Result<SimulatedStep> simulateLayout(ModuleOp module, InstructionCost &cost, Buffers buffers) {
  const HomeTable homes(module);
  model::TimedStep step = cost.step();
  model::TimedProgram &program = step.programs.front();
  SmallVector<SectionOp> sections;
  for (auto [section, times] : trainingSchedule(module)) {
    const auto number = static_cast<uint32_t>(llvm::find(sections, section) - sections.begin());
    if (number == sections.size())
      sections.push_back(section);
    program.schedule.push_back({number, times});
  }
  for (SectionOp section : sections) {
    const SectionWaits waits(section, homes, meshSizesOf(module), buffers);
    program.sections.push_back(timedSection(waits, section.getSymName(), sections, cost));
  }
  return simulate(std::move(step), ranksOf(module));
}

} // namespace windlass::flow
