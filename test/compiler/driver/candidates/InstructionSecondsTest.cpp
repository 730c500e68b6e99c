// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One instruction takes the same seconds to the planner, which reads it in IR, as to the simulator, which
// reads it in the plan that is emitted from that IR. A whole step might hide an error of one kernel behind
// others.
#include "compiler/emit/Emit.h"
#include "model/StepOfPlan.h"
#include "passes/Dist/ShardLayout.h"
#include "passes/Flow/layout/InstructionCost.h"
#include "test/compiler/driver/Planning.h"
#include "test/support/MeshJobs.h"
#include <set>

using namespace windlass;
using namespace windlass::test;

namespace {

using TimedTasks = std::vector<model::TimedTask>;

/// The tasks of each section, by name, as the planner times them.
std::map<std::string, TimedTasks> plannedTasks(mlir::ModuleOp module, const model::Machine &machine) {
  flow::InstructionCost cost(module, machine);
  std::map<std::string, TimedTasks> tasks;
  for (auto section : module.getOps<flow::SectionOp>())
    for (auto op : section.getBody().front().getOps<flow::InstructionOpInterface>())
      tasks[section.getSymName().str()].push_back(cost.task(op));
  return tasks;
}

/// Expects of each instruction of a plan the lane and the seconds of its task. Returns the names of kernels.
std::set<std::string> expectTasks(const plan::Plan &plan, std::map<std::string, TimedTasks> &tasks,
                                  const model::Machine &machine) {
  std::set<std::string> kernels;
  const plan::Program &program = plan.programs.front();
  for (const plan::Section &section : program.sections) {
    const TimedTasks &planned = tasks[section.name];
    EXPECT_EQ(planned.size(), section.instructions.size()) << section.name;
    for (size_t i = 0; i < std::min(planned.size(), section.instructions.size()); ++i) {
      const plan::Instruction &instruction = section.instructions[i];
      const model::InstructionWork work = model::workOf(plan, program, instruction, machine);
      const double seconds = model::secondsOf(machine, work);
      EXPECT_EQ(instruction.lane, planned[i].lane) << section.name << " " << i;
      EXPECT_NEAR(seconds, planned[i].seconds, 1e-3 * seconds)
          << section.name << " " << i << ": " << instruction.origin.function << " " << instruction.origin.what
          << " " << work.kernel;
      if (instruction.op == plan::Opcode::Launch)
        kernels.insert(plan.kernels[static_cast<size_t>(instruction.kernel)].symbol);
    }
  }
  return kernels;
}

/// Plans a job and emits the plan; returns how many kernels were compared.
size_t expectOneTimeOf(const Job &job) {
  Planning planning(job);
  const Candidate candidate =
      makeCandidate(Recompute::Full, 3, true, {2}, planning.training, planning.machine);
  Result<Planned> planned = planning.planner->plan(candidate, planning.machine);
  EXPECT_TRUE(planned) << planned.status().message();
  if (!planned)
    return 0;
  mlir::ModuleOp module = *planned->stages.front();
  std::map<std::string, TimedTasks> tasks = plannedTasks(module, planning.machine);
  const Status finished = planning.levels->finish(module);
  EXPECT_TRUE(finished) << finished.message();
  plan::Plan plan;
  plan.mesh = dist::meshAxes(planning.training.dataRanks, planning.training.replicas(),
                             planning.training.tensorRanks);
  const Status emitted = emitPlan({module}, plan);
  EXPECT_TRUE(emitted) << emitted.message();
  return expectTasks(plan, tasks, planning.machine).size();
}

Job away(const Job &job, const char *tier) {
  return job.with({{"recompute", "full"}, {"placement", {{"grad", tier}, {"moments", tier}}}});
}

TEST(InstructionSeconds, areTheSameToPlannerAndSimulator) {
  const std::pair<const char *, Job> jobs[] = {
      {"GPT-2", away(tinyGpt2(2, 2), "host")},
      {"GPT-2 in bf16", away(tinyGpt2(2, 2).with({{"precision", {{"compute", "bf16"}}}}), "nvme")},
      {"Llama", away(tinyLlama(2, 2), "host")},
      {"Llama on tensor ranks", away(onMesh(tinyLlama(2, 2), {2, 2}), "host")}};
  for (const auto &[name, job] : jobs) {
    SCOPED_TRACE(name);
    EXPECT_GT(expectOneTimeOf(job), 30u) << "kernels of a step";
  }
}

} // namespace
