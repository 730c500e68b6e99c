// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Flow/layout/ScheduleSection.h"

#include "passes/Flow/lowering/SectionOrder.h"
#include "passes/Flow/waits/ByteRanges.h"
#include "planning/Schedule/ScheduleChecker.h"
#include "planning/Schedule/ScheduleSolver.h"

using namespace mlir;

namespace windlass::flow {
namespace {

using planning::Task;
using planning::TaskKind;

TaskKind kindOf(Operation *op) {
  if (auto transfer = dyn_cast<TransferOp>(op))
    return transfer.getKind() == TransferKind::Upload || transfer.getKind() == TransferKind::Read
               ? TaskKind::Fetch
               : TaskKind::Drain;
  auto collective = dyn_cast<CollectiveOpInterface>(op);
  if (!collective)
    return TaskKind::Work;
  return collective.bringsUnits() ? TaskKind::Fetch : TaskKind::Drain;
}

int32_t phaseIndex(Phase phase) {
  switch (phase) {
  case Phase::Forward:
    return 0;
  case Phase::Recompute:
  case Phase::Backward:
    return 1;
  case Phase::Update:
    return planning::kUpdatePhase;
  }
  llvm_unreachable("closed enum");
}

class TasksBuilder {
public:
  SectionTasks build(SectionOp section, InstructionCost &cost) {
    for (Operation &op : section.getBody().front())
      if (auto instruction = dyn_cast<InstructionOpInterface>(op))
        instructions.push_back(instruction);
    hasBackward = llvm::any_of(
        instructions, [](InstructionOpInterface op) { return op.origin().getPhase() == Phase::Backward; });
    isOfStage = llvm::any_of(
        instructions, [](InstructionOpInterface op) { return isa<SendOp, RecvOp>(op.getOperation()); });
    for (InstructionOpInterface op : instructions)
      addTask(op, cost);
    groupFetches();
    return {section, std::move(instructions), std::move(problem)};
  }

private:
  void addTask(InstructionOpInterface op, InstructionCost &cost) {
    uint32_t index = problem.tasks.size();
    Task task;
    task.lane = *op.deriveLane();
    task.kind = kindOf(op);
    task.seconds = cost.seconds(op);
    task.phase = phaseIndex(op.origin().getPhase());
    llvm::SmallSetVector<uint32_t, 4> predecessors, buffers;
    for (bool writes : {false, true})
      for (Value buffer : writes ? op.getWrites() : op.getReads()) {
        const BufferRange range = resolveAccess(op, buffer);
        ranges[range.root].access(range, writes, index, [&](uint32_t earlier) {
          if (earlier == index)
            return;
          predecessors.insert(earlier);
          if (isMadeHere(op, range, earlier))
            task.kind = TaskKind::Drain;
        });
        if (range.root.getDefiningOp<AllocOp>())
          buffers.insert(bufferNumber(range.root));
      }
    if (isOfStage && task.lane == Lane::Compute)
      standBehindPasses(op, index, predecessors);
    if (isa<SendOp, RecvOp>(op)) { // stages meet in the order in which all of them have their messages
      if (lastMessage)
        predecessors.insert(*lastMessage);
      lastMessage = index;
    }
    if (task.kind == TaskKind::Fetch && task.phase == planning::kUpdatePhase && hasBackward)
      task.notBefore = 1; // the update's reads start under the backward pass, not earlier
    task.predecessors.assign(predecessors.begin(), predecessors.end());
    llvm::sort(task.predecessors);
    task.buffers.assign(buffers.begin(), buffers.end());
    problem.tasks.push_back(std::move(task));
  }

  /// A stage computes its passes in the order of the program, for that is the one in which its neighbours
  /// count on them: a backward pass that began in a gap of a forward pass would wait there for a gradient of
  /// the next stage, which may itself wait for that forward pass.
  void standBehindPasses(InstructionOpInterface op, uint32_t index,
                         llvm::SmallSetVector<uint32_t, 4> &predecessors) {
    if (const Phase phase = op.origin().getPhase(); phase != Phase::Update) {
      const Pass now{op.origin().getMicroBatch(), phase == Phase::Forward};
      if (pass && *pass != now)
        endOfPasses = lastComputed;
      pass = now;
      lastComputed = index;
    }
    if (endOfPasses)
      predecessors.insert(*endOfPasses);
  }

  /// Whether `earlier` computed or summed the shard of a gather. Such a gather is no fetch: it cannot begin
  /// ahead of its shard, and its users may stand far behind it (those of gradients summed over replicas,
  /// behind the norm).
  bool isMadeHere(InstructionOpInterface op, const BufferRange &range, uint32_t earlier) {
    auto collective = dyn_cast<CollectiveOpInterface>(op.getOperation());
    return collective && collective.bringsUnits() &&
           range.root == resolveBuffer(collective.getShard()).root && range.root.getDefiningOp<AllocOp>() &&
           problem.tasks[earlier].kind != TaskKind::Fetch;
  }

  uint32_t bufferNumber(Value root) {
    auto [entry, fresh] = numbers.try_emplace(root, problem.buffers.size());
    if (fresh)
      problem.buffers.push_back({tierOf(root), bufferType(root).getBytes()});
    return entry->second;
  }

  /// Fetches with the same first user form a group: the hops of a transfer, or the states of one update
  /// chunk.
  void groupFetches() {
    std::vector<int32_t> firstUser(problem.tasks.size(), -1);
    for (uint32_t user = 0; user < problem.tasks.size(); ++user)
      for (uint32_t earlier : problem.tasks[user].predecessors)
        if (problem.tasks[earlier].kind == TaskKind::Fetch && firstUser[earlier] < 0)
          firstUser[earlier] = user;
    for (int32_t index = problem.tasks.size() - 1; index >= 0; --index) {
      Task &task = problem.tasks[index];
      if (task.kind != TaskKind::Fetch)
        continue;
      int32_t user = firstUser[index] < 0 ? index : firstUser[index];
      task.group =
          problem.tasks[user].kind == TaskKind::Fetch && user != index ? problem.tasks[user].group : user;
    }
  }

  SmallVector<InstructionOpInterface> instructions;
  planning::ScheduleProblem problem;
  bool hasBackward = false, isOfStage = false;
  std::optional<uint32_t> lastMessage;
  /// Of a micro-batch, forward or backward.
  struct Pass {
    int64_t microBatch = 0;
    bool isForward = true;
    bool operator==(const Pass &) const = default;
  };
  std::optional<Pass> pass;            ///< that of the last computation but of an update
  uint32_t lastComputed = 0;           ///< of that pass
  std::optional<uint32_t> endOfPasses; ///< the last computation of the passes before that
  llvm::DenseMap<Value, AccessHistory> ranges;
  llvm::DenseMap<Value, uint32_t> numbers;
};

} // namespace

SectionTasks tasksOf(SectionOp section, InstructionCost &cost) { return TasksBuilder().build(section, cost); }

Result<planning::ScheduleSolution> scheduleSection(SectionTasks &tasks, const ScheduleOptions &options) {
  planning::ScheduleProblem &problem = tasks.problem;
  problem.credits = options.credits;
  problem.overlap = options.overlap;
  problem.capacity = options.capacity;
  problem.sparesPasses = options.sparesPasses;
  Result<planning::ScheduleSolution> solution = planning::solveSchedule(problem);
  if (!solution)
    return solution;
  WINDLASS_TRY(planning::checkSchedule(problem, *solution));
  Builder builder(tasks.section.getContext());
  for (auto [i, op] : llvm::enumerate(tasks.instructions)) {
    auto nanoseconds = [&](double seconds) {
      return builder.getI64IntegerAttr(static_cast<int64_t>(seconds * 1e9));
    };
    op->setAttr(kPlannedStart, nanoseconds(solution->start[i]));
    op->setAttr(kPlannedEnd, nanoseconds(solution->start[i] + problem.tasks[i].seconds));
  }
  placeInOrder(tasks.section, llvm::map_to_vector(solution->order,
                                                  [&](uint32_t index) { return tasks.instructions[index]; }));
  return solution;
}

} // namespace windlass::flow
