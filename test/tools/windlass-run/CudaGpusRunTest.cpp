// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The real windlass-run on several simulated GPUs, over the simulated libraries that it loads by name: it
// trains to the same bytes as on the CPU.
#include "runtime/base/File.h"
#include "runtime/plan/file/PlanWriter.h"
#include "runtime/training/checkpoint/CheckpointFolder.h"
#include "runtime/wire/Socket.h"
#include "test/runtime/training/TemporaryFolder.h"
#include "test/support/PipelinePlan.h"
#include "test/support/SyntheticPlan.h"
#include "test/support/ToolRun.h"
#include "test/support/cuda/plans/CudaPlan.h"
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <gtest/gtest.h>

namespace windlass::test {
namespace {

constexpr int kSteps = 2;

/// A port on which no process listens. Another process may take it before it is used.
int freePort() {
  const Result<Socket> socket = Socket::listenAt({"127.0.0.1", 0});
  return socket ? socket->local().port : 0;
}

class CudaGpusRun : public testing::Test {
protected:
  /// Writes the plan for the CPU and the one for GPUs. The simulated library multiplies as the CPU's does.
  void write(plan::Plan plan) {
    plan.training.steps = kSteps;
    plan.training.learningRate = 1e-3;
    std::filesystem::create_directory(folder / "cpu.plan");
    ASSERT_TRUE(plan::writePlan(plan, folder / "cpu.plan"));
    writeForGpus(plan);
    const ToolRun onCpu = runTool(folder.path, WINDLASS_RUN " cpu.plan --data synthetic --out cpu");
    ASSERT_EQ(onCpu.code, 0) << onCpu.error;
  }

  void writeForGpus(const plan::Plan &plan) {
    std::filesystem::create_directory(folder / "gpu.plan");
    const Result<CudaPlan> made = makeCudaPlan(plan, folder / "gpu.plan", CudaProducts::Library);
    ASSERT_TRUE(made) << made.status().message();
    ASSERT_TRUE(plan::writePlan(made->plan, folder / "gpu.plan"));
  }

  /// Runs two processes, which a shell starts as $first and $second, the second with variables of its own.
  /// `andThen` is the rest of the script.
  ToolRun runTwo(const std::string &flags, const std::string &ofTheSecond, const std::string &andThen) {
    folder.write("job.sh", "export MASTER_PORT=$1 " + gpus(2) + R"(
export WORLD_SIZE=2 MASTER_ADDR=127.0.0.1 WINDLASS_JOB_TOKEN=00112233445566778899aabbccddeeff
run() { RANK=$1 LOCAL_RANK=$1 exec )" WINDLASS_RUN " gpu.plan --data synthetic --out gpu" +
                               flags + R"(; }
(run 0) >first 2>&1 & first=$!
()" + ofTheSecond + R"( run 1) >second 2>&1 & second=$!
)" + andThen);
    return runTool(folder.path, "sh job.sh " + std::to_string(freePort()));
  }
  std::string said(const char *process) { return readFile(folder / process).take(); }

  /// The environment of simulated GPUs, whose ranks meet in this folder.
  static std::string gpus(int devices, int policy = 3) {
    return "TMPDIR=. LD_LIBRARY_PATH=" WINDLASS_SIM_FOLDER
           " WINDLASS_SIM_REPORT=report WINDLASS_SIM_POLICY=" +
           std::to_string(policy) + " WINDLASS_SIM_DEVICES=" + std::to_string(devices) + " ";
  }

  ToolRun onGpus(int devices, const std::string &out, const std::string &more = "", int policy = 3) const {
    return runTool(folder.path,
                   gpus(devices, policy) + WINDLASS_RUN " gpu.plan --data synthetic --out " + out + more);
  }

  std::string bytesOf(const std::string &out, const char *file) const {
    std::string bytes =
        readFile(CheckpointFolder(folder / (out + "/checkpoints")).pathOf(kSteps) + file).take();
    EXPECT_FALSE(bytes.empty()) << out << file;
    return bytes;
  }

  void expectTheBytesOfTheCpu(const std::string &out) const {
    for (const char *file : {"/model.safetensors", "/optimizer.safetensors"})
      EXPECT_TRUE(bytesOf(out, file) == bytesOf("cpu", file)) << file;
  }

  /// The distance of the last step's loss from that of the CPU, relative to it.
  double lossApart(const std::string &out) const {
    const auto loss = [&](const std::string &of) {
      const std::string lines = readFile(folder / (of + "/metrics.jsonl")).take();
      const size_t last = lines.rfind("\"loss\":");
      EXPECT_NE(last, std::string::npos) << lines;
      return std::strtod(lines.c_str() + last + 7, nullptr);
    };
    return std::abs(loss(out) - loss("cpu")) / std::abs(loss("cpu"));
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

//===----------------------------------------------------------------------===//
// NCCL's own sums
//===----------------------------------------------------------------------===//

/// With four ranks NCCL's order differs: the bits differ from the CPU's, and the numbers are nearly the same,
/// with threads and with processes. A run with sums in rank order continues with a note.
TEST_F(CudaGpusRun, whereARecordSaysSoNcclSumsItself) {
  plan::Plan plan = makeSyntheticPlan({.seed = 9, .ranks = 4, .microBatches = 2, .layers = 3});
  write(plan);
  const ToolRun ordered = onGpus(4, "gpu", " --steps 1");
  ASSERT_EQ(ordered.code, 0) << ordered.error;
  std::filesystem::copy(folder / "gpu", folder / "gone-on", std::filesystem::copy_options::recursive);
  std::filesystem::remove_all(folder / "gpu");
  plan.numerics = R"({"collectives":"nccl"})";
  plan.training.steps = kSteps;
  plan.training.learningRate = 1e-3;
  writeForGpus(plan);

  for (const std::string processes : {"", " --ranks 2"}) {
    const std::string out = processes.empty() ? "threads" : "processes";
    const ToolRun run = onGpus(4, out, processes);
    ASSERT_EQ(run.code, 0) << run.error;
    EXPECT_NE(run.error.find("over NCCL 2.28.9, which sums in its own order\n"), std::string::npos)
        << run.error;
    EXPECT_FALSE(bytesOf(out, "/optimizer.safetensors") == bytesOf("cpu", "/optimizer.safetensors"));
    EXPECT_LT(lossApart(out), 1e-5);
  }
  EXPECT_TRUE(bytesOf("threads", "/model.safetensors") == bytesOf("processes", "/model.safetensors"));

  const ToolRun goneOn = onGpus(4, "gone-on");
  ASSERT_EQ(goneOn.code, 0) << goneOn.error;
  for (const char *key : {"collectives", "collectives_algorithm", "collectives_library"})
    EXPECT_NE(goneOn.error.find(key), std::string::npos) << goneOn.error;
}

TEST_F(CudaGpusRun, sumsOfNcclsOwnAreRefusedWhereNcclIsNot) {
  plan::Plan plan = makeSyntheticPlan({.seed = 5, .ranks = 2, .microBatches = 2, .layers = 3});
  plan.numerics = R"({"collectives":"nccl"})";
  writeForGpus(plan);
  const ToolRun shared = onGpus(1, "gpu");
  EXPECT_EQ(shared.code, 3) << shared.error;
  EXPECT_NE(shared.error.find("the plan's sums are NCCL's, which wants a GPU for each of 2 ranks: the driver "
                              "shows 1 GPU\n"),
            std::string::npos)
      << shared.error;
  const ToolRun reference = onGpus(2, "gpu", " --executor reference");
  EXPECT_EQ(reference.code, 1) << reference.error;
  EXPECT_NE(
      reference.error.find("the reference executor sums rank by rank; the plan's sums are those of 'nccl'\n"),
      std::string::npos)
      << reference.error;
}

//===----------------------------------------------------------------------===//
// Several processes
//===----------------------------------------------------------------------===//

constexpr const char *kAwaitBoth = "wait $first; echo $?\nwait $second; echo $?\n";

/// The NCCL of two processes has different releases: the error has both.
TEST_F(CudaGpusRun, processesWithDifferentReleasesOfNcclAreRefused) {
  write(makeSyntheticPlan({.seed = 5, .ranks = 2, .microBatches = 2, .layers = 3}));
  const ToolRun run = runTwo("", "WINDLASS_SIM_NCCL=22703", kAwaitBoth);
  const std::string first = said("first"), second = said("second");
  EXPECT_EQ(run.out, "3\n3\n") << first << second;
  const bool isSaid = // by the process that finds it first
      first.find("1 rank with a GPU each: NCCL is 2.28.9 here, and 2.27.3 in process 1\n") !=
          std::string::npos ||
      first.find("1 rank with a GPU each: NCCL is 2.27.3 here, and 2.28.9 in process 0\n") !=
          std::string::npos;
  EXPECT_TRUE(isSaid) << first << second;
}

TEST_F(CudaGpusRun, processesTrainToTheBitsOfTheCpu) {
  struct Way {
    plan::Plan plan;
    int ranks, processes;
  };
  const Way ways[] = {
      {makeSyntheticPlan({.seed = 5, .ranks = 2, .microBatches = 2, .layers = 3}), 2, 2},
      {makeSyntheticPlan({.seed = 9, .ranks = 4, .microBatches = 2, .layers = 3, .replicas = 2}), 4, 2},
      {makePipelinePlan({.stages = 2, .microBatches = 4, .dataRanks = 2}), 4, 4},
  };
  for (const auto &[plan, ranks, processes] : ways) {
    write(plan);
    const ToolRun run = onGpus(ranks, "gpu", " --ranks " + std::to_string(processes), ranks);
    ASSERT_EQ(run.code, 0) << run.error;
    EXPECT_NE(run.error.find("note: ranks of all processes have a GPU each, of " + std::to_string(ranks) +
                             " GPUs, and exchange bytes over NCCL 2.28.9\n"),
              std::string::npos)
        << run.error;
    for (int process = 0; process < processes; ++process) {
      const std::string report = readFile(folder / ("report" + std::to_string(process))).take();
      EXPECT_NE(report.find(" launches\nleft behind: \n"), std::string::npos) << report;
      EXPECT_NE(report.find("0 launches"), 0u);
    }
    expectTheBytesOfTheCpu("gpu");
    for (const auto &entry : std::filesystem::directory_iterator(folder.path))
      EXPECT_FALSE(entry.path().filename().string().starts_with("nccl-")) << entry.path();
    std::filesystem::remove_all(folder / "gpu");
    std::filesystem::remove_all(folder / "cpu");
  }
}

TEST_F(CudaGpusRun, processesWithFewerGpusThanRanksAreRefused) {
  write(makeSyntheticPlan({.seed = 9, .ranks = 4, .microBatches = 2, .layers = 3, .replicas = 2}));
  const ToolRun run = onGpus(1, "gpu", " --ranks 2");
  EXPECT_EQ(run.code, 3) << run.error;
  EXPECT_NE(run.error.find("ranks of several processes have a GPU each: the driver shows 1 GPU to a process "
                           "of 2 ranks"),
            std::string::npos)
      << run.error;
}

/// One process never joins the other over NCCL, although it lives and answers.
TEST_F(CudaGpusRun, processesThatDoNotComeTogetherEndInTime) {
  write(makeSyntheticPlan({.seed = 5, .ranks = 2, .microBatches = 2, .layers = 3}));
  const ToolRun run = runTwo(" --device-timeout 2", "WINDLASS_SIM_FAULT=nccl-not-joined:1", kAwaitBoth);
  EXPECT_EQ(run.out, "4\n4\n") << said("first") << said("second");
  EXPECT_NE(said("first").find("NCCL connects no 2 ranks: NCCL is not done after 2.00 s"), std::string::npos)
      << said("first");
  EXPECT_FALSE(std::filesystem::exists(folder / "gpu/checkpoints"));
}

/// One process hangs in a step, and the other waits for it over NCCL. Then the first is killed. The other
/// learns of it over the control channel.
TEST_F(CudaGpusRun, aKilledProcessEndsTheJobWithinTenSecondsByName) {
  write(makeSyntheticPlan({.seed = 5, .ranks = 2, .microBatches = 2, .layers = 3}));
  const ToolRun run = runTwo(" --steps 1000000", "WINDLASS_SIM_FAULT=hung-stream:100", R"(size=0
until [ $size -gt 0 ] && [ $size = $(wc -c <gpu/metrics.jsonl) ]; do
  kill -0 $first || exit 99
  [ -s gpu/metrics.jsonl ] && size=$(wc -c <gpu/metrics.jsonl)
  sleep 3
done
kill -9 $second
killed=$(date +%s)
wait $first
echo $? $(($(date +%s) - killed))
)");
  const std::string first = said("first");
  ASSERT_EQ(run.code, 0) << run.error << first << said("second");
  int code = 0, seconds = 0;
  ASSERT_EQ(std::sscanf(run.out.c_str(), "%d %d", &code, &seconds), 2) << run.out;
  EXPECT_EQ(code, 4) << first;
  EXPECT_LE(seconds, 10);
  const size_t names = first.find("error: rank 1 (host ");
  ASSERT_NE(names, std::string::npos) << first;
  EXPECT_NE(first.find("it was last at rank 1, ", names), std::string::npos) << first;
}

} // namespace
} // namespace windlass::test
