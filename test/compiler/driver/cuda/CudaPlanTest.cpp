// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Plans for a GPU, compiled on a machine without one: their facts, and their layout in memory.
#include "compiler/driver/Compile.h"
#include "model/Simulator.h"
#include "runtime/base/File.h"
#include "runtime/plan/Layout.h"
#include "runtime/plan/check/Checker.h"
#include "runtime/plan/file/KernelFiles.h"
#include "test/support/EndToEnd.h"
#include "test/support/TestTarget.h"
#include <algorithm>
#include <gtest/gtest.h>

using namespace windlass;
using namespace windlass::test;

namespace {

/// A machine whose kernels do not run on the host's cores.
json gpuMachine(int64_t ranks) {
  json machine = roomyMachine(ranks);
  machine.erase("shared_cores");
  return machine;
}

Result<plan::Plan> compileFor(const std::string &backend, const Job &job, const TemporaryFolder &folder) {
  CompileRequest request;
  request.model = folder.write("model.json", job.model.dump());
  request.training = folder.write("training.json", job.training.dump());
  request.hardware = folder.write("machine.json", job.hardware.dump());
  request.output = folder / "plan";
  request.targetCpu = testTarget();
  request.backend = backend;
  return compile(request);
}

Job mlpOnGpus(int64_t ranks) {
  Job job = biasFreeMlp({64, 320, 8}, ranks, 2);
  job.hardware = gpuMachine(ranks);
  return job;
}

plan::Lane laneOf(const plan::Plan &plan, const model::SimulatedEvent &event) {
  return plan.programs[event.program].sections[event.section].instructions[event.instruction].lane;
}

TEST(CudaPlan, saysWhatItsDeviceIs) {
  const TemporaryFolder folder;
  Result<plan::Plan> plan = compileFor("cuda", mlpOnGpus(2), folder);
  ASSERT_TRUE(plan) << plan.status().message();
  EXPECT_EQ(plan->backend, "cuda");
  EXPECT_EQ(json::parse(plan->numerics)["target_device"], "sm_80");
  ASSERT_EQ(plan->kernelFiles.size(), 2u);
  EXPECT_EQ(plan->kernelFiles[0].target, plan->target.cpu);
  EXPECT_EQ(plan->kernelFiles[0].name, "kernels.so");
  EXPECT_EQ(plan->kernelFiles[1].target, "sm_80");
  EXPECT_EQ(plan->kernelFiles[1].name, "kernels.ptx");
  EXPECT_TRUE(plan::findKernelFaults(*plan, folder / "plan").empty());
  const Result<std::string> ptx = readFile(folder / "plan/kernels.ptx");
  ASSERT_TRUE(ptx);
  const std::vector<bool> launched = plan::launchedOn(*plan, {plan::Lane::Compute});
  for (size_t i = 0; i < plan->kernels.size(); ++i) {
    const plan::Kernel &kernel = plan->kernels[i];
    const bool isOnDevice = launched[i] && kernel.kind == plan::KernelKind::Generated;
    EXPECT_EQ(!kernel.phases.empty(), isOnDevice) << kernel.symbol;
    EXPECT_EQ(ptx->find(".entry " + kernel.symbol + "(") != std::string::npos, isOnDevice) << kernel.symbol;
  }
}

TEST(CudaPlan, liesAsTheLibrariesOfAGpuLikeIt) {
  const TemporaryFolder folder;
  Result<plan::Plan> plan = compileFor("cuda", mlpOnGpus(2), folder);
  ASSERT_TRUE(plan) << plan.status().message();
  const plan::Arena *device = plan::arenaOf(plan->programs[0], plan::Tier::Device);
  ASSERT_TRUE(device);
  EXPECT_EQ(device->alignment, 256);
  for (const plan::Buffer &buffer : plan->programs[0].buffers)
    if (buffer.tier == plan::Tier::Device)
      EXPECT_EQ(buffer.offset % 256, 0) << buffer.name;
  for (plan::Tier tier : {plan::Tier::Host, plan::Tier::Nvme})
    if (const plan::Arena *arena = plan::arenaOf(plan->programs[0], tier))
      EXPECT_EQ(arena->alignment, 0);
}

/// The second of three pieces of 64 elements of 16 bits begins at 128 bytes, so that no larger alignment is
/// promised.
TEST(CudaPlan, promisesNoMoreThanItsPiecesDo) {
  Job job = biasFreeMlp({3, 64, 64, 1}, 1, 1).with({{"precision", {{"compute", "bf16"}}}, {"zero_stage", 0}});
  job.hardware = gpuMachine(1);
  const TemporaryFolder folder;
  Result<plan::Plan> plan = compileFor("cuda", job, folder);
  ASSERT_TRUE(plan) << plan.status().message();
  EXPECT_EQ(plan::arenaOf(plan->programs[0], plan::Tier::Device)->alignment, 128);
  const Status sound = plan::checkPlan(*plan);
  EXPECT_TRUE(sound) << sound.message();
}

/// A transfer between host and device takes nothing from the kernels that run beside it.
TEST(CudaPlan, copiesGoOnBesideKernels) {
  Job job = biasFreeMlp({64, 320, 320, 8}, 1, 2).with({{"placement", {{"param", "host"}}}});
  job.hardware = gpuMachine(1);
  job.hardware["device"]["launch_overhead"] = "10us";
  const TemporaryFolder folder;
  Result<plan::Plan> plan = compileFor("cuda", job, folder);
  ASSERT_TRUE(plan) << plan.status().message();
  Result<model::Machine> machine = model::parseMachine(plan->hardware, "machine.json");
  ASSERT_TRUE(machine);
  Result<model::Simulation> step = model::simulateStep(*plan, *machine);
  ASSERT_TRUE(step);
  constexpr double kRounding = 1 - 1e-9; // of times within a step
  int64_t beside = 0;
  for (const model::SimulatedEvent &copy : step->events)
    for (const model::SimulatedEvent &launch : step->events)
      if (laneOf(*plan, copy) == plan::Lane::CgIn && laneOf(*plan, launch) == plan::Lane::Compute) {
        EXPECT_GE(launch.end - launch.start, 10e-6 * kRounding) << "none takes less than enqueuing it";
        EXPECT_EQ(copy.work, 0) << "of the host's cores";
        EXPECT_EQ(launch.work, 0);
        beside += copy.start < launch.end && launch.start < copy.end;
      }
  EXPECT_GT(beside, 0);
}

/// The model has a matrix of more than 64 blocks of 4,096 elements.
Job wideMlpOnAGpu() {
  Job job = biasFreeMlp({64, 4200, 8}, 1, 2);
  job.hardware = gpuMachine(1);
  return job;
}

TEST(CudaPlan, longSumsHaveTwoPhasesAndMemoryForThem) {
  const TemporaryFolder folder, other;
  Result<plan::Plan> plan = compileFor("cuda", wideMlpOnAGpu(), folder);
  ASSERT_TRUE(plan) << plan.status().message();
  const auto inPhases =
      std::ranges::find_if(plan->kernels, [](auto &each) { return each.phases.size() > 1; });
  ASSERT_NE(inPhases, plan->kernels.end());
  const auto number = inPhases - plan->kernels.begin();
  constexpr int64_t kPartialBytes = (64 * 4200 + 4095) / 4096 * 8;
  EXPECT_EQ(inPhases->args, (std::vector{plan::Access::Read, plan::Access::Write, plan::Access::Scratch}));
  EXPECT_EQ(inPhases->argBytes.back(), kPartialBytes);
  EXPECT_EQ(inPhases->phases, (std::vector<plan::LaunchGrid>{{1, 5, 64, 0}, {1, 1, 64, 0}}));
  const Result<std::string> ptx = readFile(folder / "plan/kernels.ptx");
  ASSERT_TRUE(ptx);
  for (const std::string entry : {"", "_$_1"})
    EXPECT_NE(ptx->find(".entry " + inPhases->symbol + entry + "("), std::string::npos);
  int64_t launches = 0;
  plan::forEachInstruction(*plan, [&](const plan::Instruction &launch) {
    if (launch.op != plan::Opcode::Launch || launch.kernel != number)
      return;
    ++launches;
    const plan::Buffer &buffer = plan->programs[0].buffers[launch.operands.back().buffer];
    EXPECT_EQ(buffer.cls, plan::BufferClass::Workspace);
    EXPECT_EQ(buffer.bytes, kPartialBytes);
    EXPECT_LE(buffer.end(), plan::arenaOf(plan->programs[0], plan::Tier::Device)->bytes);
  });
  EXPECT_EQ(launches, 1);
  Result<plan::Plan> cpu = compileFor("cpu", wideMlpOnAGpu(), other);
  ASSERT_TRUE(cpu) << cpu.status().message();
  for (const plan::Kernel &kernel : cpu->kernels)
    EXPECT_TRUE(kernel.kind == plan::KernelKind::Matmul || kernel.args.back() != plan::Access::Scratch);
}

/// A launch without memory for its partial sums is refused, and so is a launch with too little of it.
TEST(CudaPlan, partialSumsThatAreCutShortAreFound) {
  const TemporaryFolder folder;
  Result<plan::Plan> plan = compileFor("cuda", wideMlpOnAGpu(), folder);
  ASSERT_TRUE(plan) << plan.status().message();
  for (plan::Section &section : plan->programs[0].sections)
    for (plan::Instruction &launch : section.instructions)
      if (launch.op == plan::Opcode::Launch &&
          plan->kernels[static_cast<size_t>(launch.kernel)].phases.size() > 1)
        launch.operands.back().bytes -= 8;
  EXPECT_NE(plan::checkPlan(*plan).message().find("bytes, but its kernel touches 528"), std::string::npos);
}

/// The staging buffer holds the largest piece of each other rank, as the limit for such buffers is larger.
TEST(CudaPlan, stagesSumsInItsArena) {
  const TemporaryFolder folder, other;
  Result<plan::Plan> plan = compileFor("cuda", mlpOnGpus(3), folder);
  ASSERT_TRUE(plan) << plan.status().message();
  const plan::Program &program = plan->programs[0];
  int64_t sums = 0;
  for (plan::Section &section : plan->programs[0].sections)
    for (plan::Instruction &sum : section.instructions)
      if (sum.op == plan::Opcode::ReduceScatter) {
        ++sums;
        ASSERT_TRUE(sum.staged);
        const plan::Buffer &buffer = program.buffers[sum.operands.back().buffer];
        EXPECT_EQ(buffer.name, "staging.gg");
        EXPECT_GE(buffer.bytes, 2 * *std::ranges::max_element(sum.pieceBytes));
        EXPECT_LE(buffer.end(), plan::arenaOf(program, plan::Tier::Device)->bytes);
      }
  EXPECT_GT(sums, 0);
  for (plan::Section &section : plan->programs[0].sections)
    for (plan::Instruction &sum : section.instructions)
      if (std::exchange(sum.staged, false))
        sum.operands.pop_back();
  EXPECT_NE(plan::checkPlan(*plan).message().find("has 0 bytes to stage what 3 ranks sum"),
            std::string::npos);
  Result<plan::Plan> cpu = compileFor("cpu", mlpOnGpus(3), other);
  ASSERT_TRUE(cpu) << cpu.status().message();
  plan::forEachInstruction(*cpu, [](const plan::Instruction &each) { EXPECT_FALSE(each.staged); });
}

/// NCCL sums in its own order, so that no buffer stages its sums.
TEST(CudaPlan, hasNoMemoryForSumsThatAreNccls) {
  const TemporaryFolder folder, other;
  Result<plan::Plan> plan = compileFor("cuda", mlpOnGpus(3).with({{"collectives", "nccl"}}), folder);
  ASSERT_TRUE(plan) << plan.status().message();
  Result<plan::Plan> ordered = compileFor("cuda", mlpOnGpus(3), other);
  ASSERT_TRUE(ordered) << ordered.status().message();
  plan::forEachInstruction(*plan, [](const plan::Instruction &each) { EXPECT_FALSE(each.staged); });
  for (const plan::Buffer &buffer : plan->programs[0].buffers)
    EXPECT_FALSE(buffer.name.starts_with("staging.")) << buffer.name;
  EXPECT_TRUE(plan::checkPlan(*plan)) << plan::checkPlan(*plan).message();
  EXPECT_LT(plan::arenaOf(plan->programs[0], plan::Tier::Device)->bytes,
            plan::arenaOf(ordered->programs[0], plan::Tier::Device)->bytes);
}

TEST(CudaPlan, theHardwareFileMayNameTheBackend) {
  Job job = mlpOnGpus(1);
  job.hardware["backend"] = "cuda";
  const TemporaryFolder folder, other;
  Result<plan::Plan> plan = compileFor("", job, folder);
  ASSERT_TRUE(plan) << plan.status().message();
  EXPECT_EQ(plan->backend, "cuda");
  Result<plan::Plan> cpu = compileFor("cpu", job, other);
  ASSERT_TRUE(cpu) << cpu.status().message();
  EXPECT_EQ(cpu->backend, "cpu") << "the command line is above the file";
  EXPECT_EQ(cpu->kernelFiles.size(), 1u);
}

TEST(CudaPlan, itsKernelsDoNotRunOnTheCoresOfTheHost) {
  Job job = mlpOnGpus(1);
  job.hardware["shared_cores"] = 2;
  const TemporaryFolder folder;
  const Status refused = compileFor("cuda", job, folder).status();
  EXPECT_EQ(refused.code(), ExitCode::BadInput);
  EXPECT_NE(
      refused.message().find("machine.json: shared_cores: its kernels run on the host's cores, but those "
                             "of the backend 'cuda' do not"),
      std::string::npos)
      << refused.message();
}

} // namespace
