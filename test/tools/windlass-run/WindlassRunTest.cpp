// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The tool as a shell sees it, with the real executor and a plan that uses every instruction.
#include "runtime/executor/ConcurrentExecutor.h"
#include "runtime/plan/file/PlanReader.h"
#include "runtime/plan/file/PlanWriter.h"
#include "runtime/training/Run.h"
#include "runtime/training/checkpoint/CheckpointFolder.h"
#include "test/runtime/tiers/FaultyEngine.h"
#include "test/runtime/training/TemporaryFolder.h"
#include "test/support/SyntheticPlan.h"
#include "test/support/cuda/plans/CudaPlan.h"
#include <algorithm>
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sys/wait.h>

namespace windlass {
namespace {

struct Outcome {
  int code = 0;
  std::string out, error;
};

class WindlassRunTest : public testing::Test {
protected:
  WindlassRunTest() { writePlan("the.plan", {.seed = 5, .ranks = 2, .microBatches = 2, .layers = 3}); }

  void writePlan(const std::string &name, const test::SyntheticOptions &options,
                 const std::string &backend = "cpu") {
    plan::Plan plan = test::makeSyntheticPlan(options);
    plan.backend = backend;
    plan.training.steps = 8;
    plan.training.schedule = "linear";
    plan.training.learningRate = 1e-3;
    plan.training.warmup = 2;
    ASSERT_TRUE(std::any_of(
        plan.programs[0].arenas.begin(), plan.programs[0].arenas.end(),
        [](const plan::Arena &arena) { return arena.tier == plan::Tier::Nvme && arena.bytes > 0; }))
        << "choose a seed that puts a state on NVMe";
    const Status written = plan::writePlan(plan, folder / name);
    ASSERT_TRUE(written.isOk()) << written.message();
  }

  Outcome run(const std::string &flags, const std::string &environment = "") {
    const std::string command =
        "cd " + folder.path + " && { " + environment + " " WINDLASS_RUN " " + flags + "; } >stdout 2>stderr";
    const int status = std::system(command.c_str());
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, readText(folder / "stdout"),
            readText(folder / "stderr")};
  }

  /// The losses and norms of metrics.jsonl, and the bytes of the last checkpoint's tensors.
  std::string results(const std::string &out) {
    std::string text;
    std::ifstream metrics(folder / (out + "/metrics.jsonl"));
    for (std::string line; std::getline(metrics, line);) {
      const nlohmann::json step = nlohmann::json::parse(line);
      text += step["step"].dump() + " " + step["loss"].dump() + " " + step["grad_norm"].dump() + "\n";
    }
    const CheckpointFolder checkpoints(folder / (out + "/checkpoints"));
    for (const char *file : {"/model.safetensors", "/optimizer.safetensors"})
      text += readText(checkpoints.pathOf(checkpoints.steps().back()) + file);
    return text;
  }

  TemporaryFolder folder;
};

TEST_F(WindlassRunTest, trainsAndSaysWhatHappened) {
  const Outcome outcome = run("the.plan --data synthetic --trace trace.json");
  ASSERT_EQ(outcome.code, 0) << outcome.error;
  for (const char *part :
       {"step 8/8 | loss ", "grad_norm ", "ms | ", "memory device", "memory nvme", "step time",
        "transfers hidden", "out/checkpoints/step-00000008", "out/metrics.jsonl", "trace.json"})
    EXPECT_NE(outcome.out.find(part), std::string::npos) << part << " in\n" << outcome.out;
  EXPECT_GT(nlohmann::json::parse(readText(folder / "trace.json"))["traceEvents"].size(), 20u);
}

TEST_F(WindlassRunTest, aBrokenRunIsTheSameRunToTheBit) {
  ASSERT_EQ(run("the.plan --data synthetic --out whole").code, 0);
  for (const char *steps : {"3", "5", "8"}) {
    const Outcome outcome = run(std::string("the.plan --data synthetic --out parts --steps ") + steps);
    ASSERT_EQ(outcome.code, 0) << outcome.error;
  }
  const std::string whole = results("whole");
  EXPECT_TRUE(results("parts") == whole);
  EXPECT_EQ(whole.substr(0, 2), "1 ");
  EXPECT_NE(whole.find("\n8 "), std::string::npos);
}

TEST_F(WindlassRunTest, executorsEnginesAndCanariesGiveTheSameBits) {
  ASSERT_EQ(run("the.plan --data synthetic --out base").code, 0);
  for (const char *flags : {"--executor reference", "--nvme-engine threads", "--buffered-nvme",
                            "--canary 255", "--pace cg_in=2GB/s,nc_in=1GB/s+10us"}) {
    const Outcome outcome = run(std::string("the.plan --data synthetic --resume off --out other ") + flags);
    ASSERT_EQ(outcome.code, 0) << outcome.error;
    EXPECT_TRUE(results("other") == results("base")) << flags;
  }
}

TEST_F(WindlassRunTest, exitCodesSayWhoseFaultItIs) {
  EXPECT_EQ(run("--help").code, 0);
  EXPECT_EQ(run("--version").out.substr(0, 13), "windlass-run ");
  EXPECT_EQ(run("").code, 2);
  EXPECT_EQ(run("the.plan --stepz 3").code, 2);
  EXPECT_EQ(run("the.plan").code, 2); // neither --data nor --sample
  EXPECT_EQ(run("no.plan --data synthetic").code, 1);
  EXPECT_EQ(run("the.plan --data nowhere.txt").code, 1);
  const Outcome mute = run("the.plan --data synthetic --sample abc");
  EXPECT_EQ(mute.code, 1);
  EXPECT_EQ(mute.error,
            "error: --sample: the plan has no schedule \"sample\" (a model that reads tokens has one)\n");
  const Outcome text = run("the.plan --data the.plan");
  EXPECT_EQ(text.code, 1);
  EXPECT_NE(text.error.find("error: the.plan: text and tokens cannot feed input \"features\""),
            std::string::npos)
      << text.error;
  EXPECT_FALSE(std::filesystem::exists(folder / "out"));
}

TEST_F(WindlassRunTest, aPlanForAGpuIsRefusedInOneLineWhereThereIsNone) {
  writePlan("gpu.plan", {.seed = 5, .ranks = 2, .microBatches = 2, .layers = 3}, "cuda");
  const Outcome refused = run("gpu.plan --data synthetic --out run");
  EXPECT_EQ(refused.code, 3);
  EXPECT_EQ(std::ranges::count(refused.error, '\n'), 1) << refused.error;
  if (dlopen("libcuda.so.1", RTLD_NOW) == nullptr) {
    EXPECT_EQ(refused.error.find("error: a cuda plan here needs NVIDIA's driver, which cannot be loaded: "
                                 "libcuda.so.1: "),
              0u)
        << refused.error;
  }
  EXPECT_FALSE(std::filesystem::exists(folder / "run"));
}

// The tool loads the simulated driver by the name of the real one, and executes the PTX of the plan.
TEST_F(WindlassRunTest, aPlanForAGpuTrainsToTheSameBitsHoweverItsDeviceRuns) {
  std::filesystem::create_directory(folder / "gpu.plan");
  plan::Plan plan = test::makeSyntheticPlan({.seed = 5, .ranks = 2, .microBatches = 2, .layers = 3});
  plan.training.steps = 2;
  plan.training.learningRate = 1e-3;
  Result<test::CudaPlan> made = test::makeCudaPlan(plan, folder / "gpu.plan");
  ASSERT_TRUE(made) << made.status().message();
  ASSERT_TRUE(plan::writePlan(made->plan, folder / "gpu.plan"));
  std::string expected;
  for (int policy = 0; policy < 5; ++policy) {
    const std::string out = "on" + std::to_string(policy);
    const Outcome outcome =
        run("gpu.plan --data synthetic --out " + out + (policy == 4 ? " --executor reference" : ""),
            "LD_LIBRARY_PATH=" WINDLASS_SIM_FOLDER " WINDLASS_SIM_REPORT=report WINDLASS_SIM_SEED=3 "
            "WINDLASS_SIM_POLICY=" +
                std::to_string(policy % 4));
    ASSERT_EQ(outcome.code, 0) << outcome.error;
    const std::string report = readText(folder / "report");
    EXPECT_NE(report.find(" launches\nleft behind: \n"), std::string::npos) << report;
    // The reference executor launches on no stream, and the report does not count these launches.
    if (policy < 4)
      EXPECT_NE(report.find("0 launches"), 0u);
    if (expected.empty())
      expected = results(out);
    EXPECT_TRUE(results(out) == expected) << policy;
  }
}

/// The simulated library multiplies as the CPU's does.
TEST_F(WindlassRunTest, productsOfTheLibraryOfAGpuTrainToTheBitsOfTheCpu) {
  plan::Plan plan = test::makeSyntheticPlan({.seed = 5, .ranks = 2, .microBatches = 2, .layers = 3});
  plan.training.steps = 2;
  plan.training.learningRate = 1e-3;
  for (const char *name : {"cpu.plan", "gpu.plan"})
    std::filesystem::create_directory(folder / name);
  ASSERT_TRUE(plan::writePlan(plan, folder / "cpu.plan"));
  Result<test::CudaPlan> made = test::makeCudaPlan(plan, folder / "gpu.plan", test::CudaProducts::Library);
  ASSERT_TRUE(made) << made.status().message();
  ASSERT_TRUE(plan::writePlan(made->plan, folder / "gpu.plan"));
  const Outcome onCpu = run("cpu.plan --data synthetic --out cpu");
  ASSERT_EQ(onCpu.code, 0) << onCpu.error;
  const Outcome onGpu = run("gpu.plan --data synthetic --out gpu",
                            "LD_LIBRARY_PATH=" WINDLASS_SIM_FOLDER " WINDLASS_SIM_REPORT=report");
  ASSERT_EQ(onGpu.code, 0) << onGpu.error;
  EXPECT_NE(readText(folder / "report").find(" launches\nleft behind: \n"), std::string::npos)
      << readText(folder / "report");
  EXPECT_TRUE(results("gpu") == results("cpu"));
  const std::string state =
      readText(CheckpointFolder(folder / "gpu/checkpoints").pathOf(2) + "/trainer_state.json");
  for (const char *entry :
       {"\"library\": \"cuBLASLt 13.1.0\"", "library_algorithms", "device_multiprocessors"})
    EXPECT_NE(state.find(entry), std::string::npos) << entry << " in " << state;
}

TEST_F(WindlassRunTest, damagedPlansAreRefused) {
  const std::string sound = readText(folder / "the.plan/plan.json");
  for (size_t keep : {size_t{0}, sound.size() / 3, sound.size() - 2}) {
    std::filesystem::create_directory(folder / "cut.plan");
    std::ofstream(folder / "cut.plan/plan.json") << sound.substr(0, keep);
    const Outcome outcome = run("cut.plan --data synthetic");
    EXPECT_EQ(outcome.code, 1) << keep;
    EXPECT_NE(outcome.error.find("cut.plan/plan.json"), std::string::npos) << outcome.error;
  }
}

/// Moves of the disk that end short are continued. Moves that end with an error, or with no bytes, end the
/// run in their step.
TEST_F(WindlassRunTest, aDiskThatFailsInAStepEndsTheRunAndKeepsTheCheckpointBefore) {
  const plan::Plan plan = plan::readPlan(folder / "the.plan").take();
  ASSERT_EQ(run("the.plan --data synthetic --out base").code, 0);
  for (const auto &[name, faults, reason] :
       {std::tuple("short", test::Faults{.shortMoves = 0.5}, ""),
        {"broken", test::Faults{.errors = 1, .sound = 24}, "Input/output error"},
        {"full", test::Faults{.shortMoves = 0.5, .errors = 1, .error = ENOSPC, .sound = 24},
         "No space left on device"},
        {"silent", test::Faults{.errors = 1, .error = 0, .sound = 24}, "no bytes moved"}}) {
    SCOPED_TRACE(name);
    RunOptions options;
    options.planFolder = folder / "the.plan";
    options.data = "synthetic";
    options.outFolder = folder / name;
    options.checkpointEvery = 1;
    options.quiet = true;
    options.executor.scratchFolder.clear();
    const EngineFactory faulty =
        [&faults = faults](const EngineConfig &wanted) -> Result<std::unique_ptr<BlockEngine>> {
      return std::unique_ptr<BlockEngine>(
          std::make_unique<test::FaultyEngine>(makeThreadEngine(wanted).take(), faults));
    };
    const Status ended = runPlan(
        plan, options,
        [&](const plan::Plan &plan, const ExecutorOptions &given) -> Result<std::unique_ptr<Executor>> {
          Result<ExecutorParts> parts = ExecutorParts::create(plan, given, faulty);
          if (!parts)
            return parts.status();
          return ConcurrentExecutor::create(parts.take());
        });
    if (*reason == '\0') {
      ASSERT_TRUE(ended) << ended.message();
      EXPECT_TRUE(results(name) == results("base"));
      continue;
    }
    EXPECT_EQ(ended.code(), ExitCode::RunFailed);
    EXPECT_NE(ended.message().find(reason), std::string::npos) << ended.message();
    EXPECT_NE(ended.message().find(", nc_"), std::string::npos) << ended.message();
    ASSERT_TRUE(ended.message().starts_with("step ")) << ended.message();
    const int64_t step = std::stoll(ended.message().substr(5));
    ASSERT_GT(step, 1);
    EXPECT_EQ(CheckpointFolder(folder / (std::string(name) + "/checkpoints")).steps().back(), step - 1);
  }
}

TEST_F(WindlassRunTest, aSignalLeavesACheckpointToGoOnFrom) {
  const Outcome stopped = run("the.plan --data synthetic --steps 100000000 --quiet & "
                              "for i in $(seq 1200); do sleep 0.05; [ -s out/metrics.jsonl ] && break; done; "
                              "kill -TERM $!; wait $!; exit $?");
  EXPECT_EQ(stopped.code, 0) << stopped.error;
  const std::vector<int64_t> steps = CheckpointFolder(folder / "out/checkpoints").steps();
  ASSERT_EQ(steps.size(), 1u);
  const Outcome resumed = run("the.plan --data synthetic --steps " + std::to_string(steps[0] + 2));
  EXPECT_EQ(resumed.code, 0) << resumed.error;
  EXPECT_NE(resumed.out.find("after step"), std::string::npos);
}

} // namespace
} // namespace windlass
