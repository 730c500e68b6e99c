// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The real windlass-run on several simulated GPUs, over the simulated libraries that it loads by name: what
// it trains to has the bytes of what it trains to on the CPU.
#include "runtime/base/File.h"
#include "runtime/plan/file/PlanWriter.h"
#include "runtime/training/checkpoint/CheckpointFolder.h"
#include "test/runtime/training/TemporaryFolder.h"
#include "test/support/PipelinePlan.h"
#include "test/support/SyntheticPlan.h"
#include "test/support/ToolRun.h"
#include "test/support/cuda/CudaPlan.h"
#include <filesystem>
#include <gtest/gtest.h>

namespace windlass::test {
namespace {

constexpr int kSteps = 2;

class CudaGpusRun : public testing::Test {
protected:
  /// The plan for the CPU and for GPUs, whose products the simulated library makes as the CPU's does.
  void write(plan::Plan plan) {
    plan.training.steps = kSteps;
    plan.training.learningRate = 1e-3;
    for (const char *name : {"cpu.plan", "gpu.plan"})
      std::filesystem::create_directory(folder / name);
    ASSERT_TRUE(plan::writePlan(plan, folder / "cpu.plan"));
    const Result<CudaPlan> made = makeCudaPlan(plan, folder / "gpu.plan", CudaProducts::Library);
    ASSERT_TRUE(made) << made.status().message();
    ASSERT_TRUE(plan::writePlan(made->plan, folder / "gpu.plan"));
    const ToolRun onCpu = runTool(folder.path, WINDLASS_RUN " cpu.plan --data synthetic --out cpu");
    ASSERT_EQ(onCpu.code, 0) << onCpu.error;
  }

  ToolRun onGpus(int devices, const std::string &out, const std::string &more = "") const {
    return runTool(folder.path, "LD_LIBRARY_PATH=" WINDLASS_SIM_FOLDER
                                " WINDLASS_SIM_POLICY=3 WINDLASS_SIM_REPORT=report WINDLASS_SIM_DEVICES=" +
                                    std::to_string(devices) +
                                    " " WINDLASS_RUN " gpu.plan --data synthetic --out " + out + more);
  }

  void expectTheBytesOfTheCpu(const std::string &out) const {
    for (const char *file : {"/model.safetensors", "/optimizer.safetensors"}) {
      const auto bytes = [&](const std::string &of) {
        return readFile(CheckpointFolder(folder / (of + "/checkpoints")).pathOf(kSteps) + file).take();
      };
      EXPECT_FALSE(bytes("cpu").empty());
      EXPECT_TRUE(bytes(out) == bytes("cpu")) << file;
    }
  }

  TemporaryFolder folder;
};

TEST_F(CudaGpusRun, threadsWithAGpuEachOrOneForAllTrainToTheBitsOfTheCpu) {
  for (const plan::Plan &plan : {makeSyntheticPlan({.seed = 5, .ranks = 2, .microBatches = 2, .layers = 3}),
                                 makePipelinePlan({.stages = 2, .microBatches = 4, .dataRanks = 1})}) {
    write(plan);
    for (const auto &[devices, says] :
         {std::pair(2, "note: 2 ranks have a GPU each, of 2 GPUs, and exchange bytes over NCCL 2.28.9\n"),
          std::pair(1, "note: 2 ranks share the first of 1 GPU and exchange bytes where these lie\n")}) {
      const std::string out = "gpu" + std::to_string(devices);
      const ToolRun run = onGpus(devices, out);
      ASSERT_EQ(run.code, 0) << run.error;
      EXPECT_NE(run.error.find(says), std::string::npos) << run.error;
      EXPECT_NE(readFile(folder / "report").take().find(" launches\nleft behind: \n"), std::string::npos)
          << readFile(folder / "report").take();
      expectTheBytesOfTheCpu(out);
      std::filesystem::remove_all(folder / out);
    }
    std::filesystem::remove_all(folder / "cpu");
  }
}

} // namespace
} // namespace windlass::test
