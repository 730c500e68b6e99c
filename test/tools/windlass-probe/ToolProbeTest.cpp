// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// windlass-probe as a shell sees it, for a machine with a GPU: it loads the simulated driver and library in
// place of NVIDIA's.
#include "test/tools/windlass-probe/ToolProbe.h"
#include "runtime/base/Status.h"
#include <filesystem>
#include <regex>

namespace windlass::test {
namespace {

TEST_F(ToolProbe, aFileForAGpuGetsTheRatesOfTheGpu) {
  const ToolRun run = probe("WINDLASS_SIM_POLICY=3 WINDLASS_SIM_SEED=5");
  ASSERT_EQ(run.code, 0) << run.error;
  EXPECT_NE(run.out.find("Simulated GPU, sm_90"), std::string::npos) << run.out;
  // Launches on the host use all of its processors, and so do its rates.
  EXPECT_TRUE(std::regex_search(run.out, std::regex("cores +([0-9]+), \\1 busy"))) << run.out;
  EXPECT_NE(run.error.find("links.gg not measured: the driver shows 1 GPU"), std::string::npos) << run.error;
  const model::Machine machine = measured();
  EXPECT_EQ(machine.backend, "cuda");
  EXPECT_EQ(machine.sharedCores, 0);
  for (const model::RateId id :
       {model::RateId::MatmulF32, model::RateId::MatmulBF16, model::RateId::MatmulF16,
        model::RateId::DeviceBandwidth, model::RateId::CgIn, model::RateId::CgOut, model::RateId::NvmeRead,
        model::RateId::NvmeWrite})
    EXPECT_TRUE(machine.rate(id).measured) << model::ratePath(id);
  EXPECT_FALSE(machine.rate(model::RateId::Gg).measured);
  // Memory for the disk is pinned after the other measurements, which it would disturb.
  const std::string report = readText(folder / "report");
  EXPECT_TRUE(std::regex_match(
      report, std::regex("[0-9]+ launches\n(allocation during a run: cuMemHostRegister\n)*left behind: \n")))
      << "a rule was broken: " << report;
}

TEST_F(ToolProbe, severalGpusAreMeasuredWithEachOther) {
  const ToolRun run = probe("WINDLASS_SIM_DEVICES=2");
  ASSERT_EQ(run.code, 0) << run.error;
  EXPECT_NE(run.error.find("links.gg measured between 2 GPUs over NCCL "), std::string::npos) << run.error;
  EXPECT_NE(run.out.find("links.gg.latency"), std::string::npos) << run.out;
  EXPECT_TRUE(measured().rate(model::RateId::Gg).measured);
  const std::string report = readText(folder / "report");
  EXPECT_NE(report.find("left behind: \n"), std::string::npos) << report;
}

/// NCCL hangs while it connects GPUs, or while they exchange bytes. The wait for NCCL's call or the wait for
/// the device may end first.
TEST_F(ToolProbe, whereNcclHangsTheOtherRatesAreMeasured) {
  for (const char *fault : {"nccl-not-joined:2", "nccl-stuck:5"}) {
    SCOPED_TRACE(fault);
    const ToolRun run =
        probe(std::string("WINDLASS_SIM_DEVICES=2 WINDLASS_SIM_FAULT=") + fault, WINDLASS_SIM_FOLDER, "");
    ASSERT_EQ(run.code, 0) << run.error;
    EXPECT_TRUE(std::regex_search(
        run.error,
        std::regex("links.gg not measured: .*(NCCL is not done after|not come to its end in) 2.00 s "
                   "\\(--device-timeout\\)")))
        << run.error;
    EXPECT_FALSE(measured().rate(model::RateId::Gg).measured);
    EXPECT_TRUE(measured().rate(model::RateId::CgIn).measured);
  }
}

TEST_F(ToolProbe, withoutCublasLtTheOtherRatesAreMeasured) {
  std::filesystem::create_directory(folder / "driver");
  std::filesystem::copy(WINDLASS_SIM_FOLDER "/libcuda.so.1", folder / "driver");
  const ToolRun run = probe("", folder / "driver");
  // If a cuBLASLt of NVIDIA is installed, it finds no GPU.
  EXPECT_NE(run.error.find("note: matmuls not measured: "), std::string::npos) << run.error;
  EXPECT_EQ(run.code, 0) << run.error;
  const model::Machine machine = measured();
  EXPECT_FALSE(machine.rate(model::RateId::MatmulF32).measured);
  EXPECT_TRUE(machine.rate(model::RateId::CgIn).measured);
}

TEST_F(ToolProbe, aGpuThatFailsEndsItInOneLineAndWritesNothing) {
  const struct {
    const char *fault;
    ExitCode code;
    const char *says;
  } cases[] = {{"no-device:1", ExitCode::CannotFit, "needs an NVIDIA GPU"},
               {"old-driver:1", ExitCode::CannotFit, "needs a driver for CUDA 12.0 or later"},
               {"out-of-memory:1", ExitCode::RunFailed, "CUDA_ERROR_OUT_OF_MEMORY"},
               {"pinning-refused:1", ExitCode::RunFailed, "CUDA_ERROR_OUT_OF_MEMORY"},
               {"device-lost:40", ExitCode::RunFailed, "CUDA_ERROR_UNKNOWN"},
               {"hung-stream:500", ExitCode::RunFailed, "2.00 s (--device-timeout)"}};
  for (const auto &[fault, code, says] : cases) {
    SCOPED_TRACE(fault);
    std::filesystem::remove(folder / "probed.json");
    const ToolRun run = probe(std::string("WINDLASS_SIM_FAULT=") + fault);
    EXPECT_EQ(run.code, static_cast<int>(code)) << run.error;
    EXPECT_NE(run.error.find(says), std::string::npos) << run.error;
    EXPECT_EQ(run.error.rfind("error: "), run.error.rfind('\n', run.error.size() - 2) + 1) << run.error;
    EXPECT_FALSE(std::filesystem::exists(folder / "probed.json"));
  }
}

} // namespace
} // namespace windlass::test
