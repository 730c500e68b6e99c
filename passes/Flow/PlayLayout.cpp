// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Flow/PlayLayout.h"

#include "passes/Flow/SectionWaits.h"

using namespace mlir;

namespace windlass::flow {
namespace {

/// `sections`: of the step.
model::TimedSection timedSection(const SectionWaits &section, StringRef name,
                                 ArrayRef<RepeatedSection> sections, InstructionCost &cost) {
  model::TimedSection timed{name.str(), {}};
  SmallVector<int64_t> numbers; // of the predecessors, in the step
  for (SectionOp predecessor : section.predecessors)
    numbers.push_back(
        llvm::find_if(sections,
                      [&](const RepeatedSection &repeated) { return repeated.section == predecessor; }) -
        sections.begin());
  for (auto [i, op] : llvm::enumerate(section.order.instructions)) {
    model::TimedTask &task = timed.tasks.emplace_back(cost.task(op));
    for (size_t lane = 0; lane < kLaneCount; ++lane) {
      if (static_cast<Lane>(lane) == section.order.lanes[i])
        continue;
      auto wait = [&](const LaneOrdinals &ordinals, int64_t before) {
        if (ordinals[lane] > 0)
          task.waits.push_back(
              {static_cast<plan::Lane>(lane), static_cast<uint32_t>(ordinals[lane]), before});
      };
      wait(section.waits[i].here, model::kSameRun);
      for (auto [number, ordinals] : llvm::zip(numbers, section.waits[i].before))
        wait(ordinals, number);
    }
  }
  return timed;
}

bool hasOwners(const model::TimedStep &step) {
  return llvm::any_of(step.sections, [](const model::TimedSection &section) {
    return llvm::any_of(section.tasks,
                        [](const model::TimedTask &task) { return task.owner != model::kAllRanks; });
  });
}

Result<PlayedStep> played(model::TimedStep step, int64_t ranks) {
  step.ranks = hasOwners(step) ? ranks : 1;
  PlayedStep result;
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
  for (const model::SectionRuns &runs : step.schedule)
    for (const model::TimedTask &task : step.sections[runs.section].tasks)
      if (isNvmeLane(static_cast<Lane>(task.lane)))
        result.disk += static_cast<double>(runs.times) * task.seconds;
  return result;
}

} // namespace

double computeSeconds(ModuleOp module, InstructionCost &cost, int64_t microBatches) {
  double seconds = 0;
  for (auto section : module.getOps<SectionOp>())
    for (auto launch : section.getBody().front().getOps<LaunchOp>())
      if (launch.deriveLane() == Lane::Compute)
        seconds += static_cast<double>(runsOf(section, microBatches)) * cost.seconds(launch);
  return seconds;
}

bool PlayedStep::isBetter(const PlayedStep &other) const {
  auto differ = [](double a, double b) { return std::abs(a - b) > kNearly * b; };
  if (differ(seconds, other.seconds))
    return seconds < other.seconds;
  if (differ(disk, other.disk))
    return disk < other.disk;
  return differ(alone, other.alone) && alone < other.alone;
}

Result<PlayedStep> playStep(ModuleOp module, InstructionCost &cost, int64_t microBatches, Buffers buffers) {
  const HomeTable homes(module);
  const SmallVector<RepeatedSection> sections = sectionsOfStep(module, microBatches);
  model::TimedStep step = cost.step();
  for (auto [section, times] : sections) {
    const SectionWaits waits(section, homes, meshSizesOf(module), buffers);
    step.schedule.push_back({static_cast<uint32_t>(step.sections.size()), times});
    step.sections.push_back(timedSection(waits, SectionOp(section).getSymName(), sections, cost));
  }
  return played(std::move(step), ranksOf(module));
}

} // namespace windlass::flow
