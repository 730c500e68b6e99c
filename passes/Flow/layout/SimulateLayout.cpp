// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Flow/layout/SimulateLayout.h"

#include "dialects/Dist/IR/DistChunks.h"
#include "passes/Flow/homes/BorrowedParameters.h"
#include "passes/Flow/waits/Schedules.h"
#include "passes/Flow/waits/SectionWaits.h"
#include "planning/Tolerances.h"

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

Result<SimulatedStep> simulate(model::TimedStep step) {
  SimulatedStep result;
  Result<model::PlayedTasks> shared = model::play(step, model::Spans::Forgotten);
  if (!shared)
    return shared.status();
  result.seconds = result.alone = shared->seconds;
  if (step.sharedWeight != decltype(step.sharedWeight)()) {
    step.sharedWeight = {};
    Result<model::PlayedTasks> alone = model::play(step, model::Spans::Forgotten);
    if (!alone)
      return alone.status();
    result.alone = alone->seconds;
  }
  for (const model::TimedProgram &program : step.programs)
    for (const plan::SectionRuns &runs : program.schedule)
      for (const model::TimedTask &task : program.sections[runs.section].tasks)
        if (isNvmeLane(task.lane))
          result.disk += static_cast<double>(runs.times) * task.seconds;
  return result;
}

model::TimedProgram timedProgram(ModuleOp module, InstructionCost &cost, Buffers buffers) {
  const HomeTable homes(module);
  model::TimedProgram program;
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
  program.ranks = hasOwners(program) ? dataRanksOf(module) : 1;
  return program;
}

/// The channels of stages. Of a stage that is simulated alone each channel has one end, so that its messages
/// take their time, and wait for nobody.
class Channels {
public:
  explicit Channels(model::TimedStep &step) : step(step) {}

  /// Adds the messages of a stage, which is the program `number` of the step.
  void add(ModuleOp stage, size_t number) {
    SmallVector<SectionOp> sections;
    for (auto [section, times] : trainingSchedule(stage))
      if (!llvm::is_contained(sections, section))
        sections.push_back(section);
    for (auto [section, timed] : llvm::zip_equal(sections, step.programs[number].sections))
      for (auto [op, task] :
           llvm::zip_equal(section.getBody().front().getOps<InstructionOpInterface>(), timed.tasks)) {
        if (auto send = dyn_cast<SendOp>(op.getOperation()))
          task.channel = meet(send, number, task.lane);
        if (auto recv = dyn_cast<RecvOp>(op.getOperation()))
          task.channel = meet(recv, number, task.lane);
      }
  }

private:
  template <typename Message> int64_t meet(Message message, size_t program, Lane lane) {
    auto module = message->template getParentOfType<ModuleOp>();
    const std::tuple way{dist::stageOfPart(module, message.getFrom()),
                         dist::stageOfPart(module, message.getTo()), message.getFrom() < message.getTo()};
    auto [known, fresh] = numbers.try_emplace(way, std::ssize(step.channels));
    if (fresh)
      step.channels.emplace_back();
    std::vector<model::TimedChannel::End> &ends = step.channels[known->second].ends;
    if (llvm::none_of(ends, [&](const auto &end) { return end.program == program; }))
      ends.push_back({program, lane});
    return known->second;
  }

  model::TimedStep &step;
  /// By stages, from one to the other, activations and gradients apart.
  std::map<std::tuple<int64_t, int64_t, bool>, int64_t> numbers;
};

} // namespace

/// Whether a launch runs on the device, wherever homes without a tier are placed: parameters come to it.
static bool runsOnDevice(LaunchOp launch, const HomeTable &homes) {
  if (const std::optional<Lane> lane = launch.deriveLane())
    return *lane == Lane::Compute;
  return BorrowedParameters::borrows(launch) && llvm::all_of(launch.getOperands(), [&](Value operand) {
           HomeOp home = homes.behind(operand);
           return !home || home.getTier() == Tier::Device || home.getRole() == graph::Role::Parameter;
         });
}

double computeSeconds(ModuleOp module, InstructionCost &cost) {
  const HomeTable homes(module);
  double seconds = 0;
  for (auto section : module.getOps<SectionOp>()) {
    const double runs = static_cast<double>(runsOf(section));
    for (auto launch : section.getBody().front().getOps<LaunchOp>())
      if (runsOnDevice(launch, homes))
        seconds += runs * cost.seconds(launch);
  }
  return seconds;
}

bool SimulatedStep::isBetter(const SimulatedStep &other) const {
  auto differ = [](double a, double b) { return std::abs(a - b) > planning::kNearly * b; };
  if (differ(seconds, other.seconds))
    return seconds < other.seconds;
  if (differ(disk, other.disk))
    return disk < other.disk;
  return differ(alone, other.alone) && alone < other.alone;
}

Result<SimulatedStep> simulateLayout(ModuleOp module, InstructionCost &cost, Buffers buffers) {
  model::TimedStep step = cost.step();
  step.programs.front() = timedProgram(module, cost, buffers);
  Channels(step).add(module, 0);
  return simulate(std::move(step));
}

Result<SimulatedStep> simulateStages(ArrayRef<ModuleOp> stages, const model::Machine &machine) {
  model::TimedStep step = model::stepOn(machine);
  step.programs.clear();
  Channels channels(step);
  for (auto [number, stage] : llvm::enumerate(stages)) {
    InstructionCost cost(stage, machine);
    step.programs.push_back(timedProgram(stage, cost, Buffers::LaidOut));
    channels.add(stage, number);
  }
  return simulate(std::move(step));
}

} // namespace windlass::flow
