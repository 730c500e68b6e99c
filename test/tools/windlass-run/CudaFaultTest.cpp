// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a shell sees if a GPU or a library of NVIDIA fails. The simulated ones fail on demand. windlass-run
// ends soon, with an exit code and one line that names the place, and a later run continues as if there had
// been no fault.
#include "runtime/base/Status.h"
#include "runtime/plan/file/PlanWriter.h"
#include "runtime/training/checkpoint/CheckpointFolder.h"
#include "test/runtime/training/TemporaryFolder.h"
#include "test/support/SyntheticPlan.h"
#include "test/support/ToolRun.h"
#include "test/support/cuda/plans/CudaPlan.h"
#include <algorithm>
#include <chrono>
#include <fstream>
#include <gtest/gtest.h>
#include <regex>

namespace windlass::test {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kSteps = 3;
constexpr CudaProducts kLibrary = CudaProducts::Library;
const std::regex kPlace("error: step [23]: rank [01], [a-z_]+ [0-9]+ \\(");
constexpr const char *kHangs = "the device has not come to its end in 2.00 s (--device-timeout)";
constexpr double kSoon = 120; ///< seconds that a fault may add to a run on a busy machine; a run that still
                              ///< waits would wait forever

/// A fault at some occasion, and the expected error.
struct Fault {
  const char *fault;
  ExitCode code;
  const char *says;
  CudaProducts products = CudaProducts::Code;
  friend void PrintTo(const Fault &each, std::ostream *out) { *out << each.fault; }
};

/// A plan, its undisturbed training, and its first step alone, after which the faults happen.
class Prepared {
public:
  explicit Prepared(CudaProducts products) {
    plan::Plan plan = makeSyntheticPlan({.seed = 5, .ranks = 2, .microBatches = 2, .layers = 3});
    plan.training.steps = kSteps;
    plan.training.learningRate = 1e-3;
    std::filesystem::create_directory(folder / "gpu.plan");
    Result<CudaPlan> made = makeCudaPlan(plan, folder / "gpu.plan", products);
    EXPECT_TRUE(made) << made.status().message();
    EXPECT_TRUE(plan::writePlan(made->plan, folder / "gpu.plan"));
    const Clock::time_point began = Clock::now();
    EXPECT_EQ(train("whole", kSteps).code, 0);
    undisturbed = secondsSince(began);
    const ToolRun first = train("first", 1);
    EXPECT_EQ(first.code, 0) << first.error;
  }

  /// The prepared plan, made once per process.
  static const Prepared &with(CudaProducts products) {
    static const Prepared code(CudaProducts::Code), library(CudaProducts::Library);
    return products == CudaProducts::Code ? code : library;
  }

  /// `libraries`: the first folder in which NVIDIA's libraries are looked for.
  ToolRun train(const std::string &out, int steps, const std::string &fault = "", int gpus = 1,
                const std::string &more = "", const std::string &libraries = WINDLASS_SIM_FOLDER) const {
    return runTool(folder.path, "LD_LIBRARY_PATH=" + libraries +
                                    " WINDLASS_SIM_POLICY=3 WINDLASS_SIM_SEED=7 WINDLASS_SIM_REPORT=report "
                                    "WINDLASS_SIM_DEVICES=" +
                                    std::to_string(gpus) + " " +
                                    (fault.empty() ? "" : "WINDLASS_SIM_FAULT=" + fault + " ") +
                                    WINDLASS_RUN " gpu.plan --data synthetic --quiet --device-timeout 2 "
                                                 "--checkpoint-every 1 --out " +
                                    out + " --steps " + std::to_string(steps) + more);
  }

  std::string bytesOf(const std::string &out, const char *file) const {
    std::string bytes = readText(CheckpointFolder(folder / (out + "/checkpoints")).pathOf(kSteps) + file);
    EXPECT_FALSE(bytes.empty());
    return bytes;
  }

  static double secondsSince(Clock::time_point began) {
    return std::chrono::duration<double>(Clock::now() - began).count();
  }

  TemporaryFolder folder;
  double undisturbed = 0; ///< seconds of the undisturbed run
};

class CudaFault : public testing::Test {
protected:
  /// Continues from the first step with the fault, which must end the run.
  ToolRun fail(CudaProducts products, const std::string &fault, int gpus = 1, const std::string &more = "") {
    prepared = &Prepared::with(products);
    std::filesystem::remove_all(prepared->folder / "run");
    std::filesystem::copy(prepared->folder / "first", prepared->folder / "run",
                          std::filesystem::copy_options::recursive);
    const Clock::time_point began = Clock::now();
    ToolRun run = prepared->train("run", kSteps, fault, gpus, more);
    EXPECT_LT(Prepared::secondsSince(began), prepared->undisturbed + kSoon) << fault;
    const size_t line = run.error.find("error: "); // after notes
    EXPECT_NE(line, std::string::npos) << run.code << " " << run.error;
    EXPECT_EQ(run.error.find('\n', std::min(line, run.error.size())), run.error.size() - 1) << run.error;
    return run;
  }

  /// Expects that the run broke no rule of the driver and gave everything back to it.
  void expectNothingLeftBehind() const {
    const std::string report = readText(prepared->folder / "report");
    EXPECT_NE(report.find(" launches\nleft behind: \n"), std::string::npos) << report;
  }

  /// Expects that the files of the run are complete, and that it continues to the result of an undisturbed
  /// run.
  void expectToGoOn() const {
    const ToolRun verified = runTool(prepared->folder.path, WINDLASS_RUN " --verify run");
    EXPECT_EQ(verified.code, 0) << verified.error;
    const ToolRun resumed = prepared->train("run", kSteps);
    ASSERT_EQ(resumed.code, 0) << resumed.error;
    EXPECT_EQ(resumed.error.find("moved"), std::string::npos) << "begun anew: " << resumed.error;
    for (const char *file : {"/model.safetensors", "/optimizer.safetensors"})
      EXPECT_TRUE(prepared->bytesOf("run", file) == prepared->bytesOf("whole", file)) << file;
  }

  const Prepared *prepared = nullptr;
};

/// Faults that a run finds before its first step.
class AtTheStart : public CudaFault, public testing::WithParamInterface<Fault> {};

TEST_P(AtTheStart, nothingIsTouched) {
  const auto [fault, code, says, products] = GetParam();
  const ToolRun run = fail(products, fault);
  EXPECT_EQ(run.code, static_cast<int>(code)) << run.error;
  EXPECT_NE(run.error.find(says), std::string::npos) << run.error;
  EXPECT_EQ(run.error.find("step "), std::string::npos) << run.error;
  expectNothingLeftBehind();
  expectToGoOn();
}

/// Besides the driver one library is missing, or has a release that lacks a function. A library without any
/// function of NCCL stands for such an NCCL. Empty files take precedence over libraries that may be
/// installed.
TEST_F(CudaFault, aLibraryThatIsMissingIsNamedInOneLine) {
  prepared = &Prepared::with(kLibrary);
  const std::string libraries = prepared->folder / "libraries";
  std::filesystem::create_directory(libraries);
  const auto bring = [&](const char *library, const char *as) {
    std::filesystem::copy(std::string(WINDLASS_SIM_FOLDER "/") + library, libraries + "/" + as);
  };
  const auto expectRefusal = [&](int gpus, const std::string &needs) {
    const ToolRun run = prepared->train("refused", 1, "", gpus, "", libraries);
    EXPECT_EQ(run.code, static_cast<int>(ExitCode::CannotFit)) << run.error;
    EXPECT_NE(run.error.find("a cuda plan here needs " + needs), std::string::npos) << run.error;
    EXPECT_EQ(run.error.find('\n'), run.error.size() - 1) << run.error;
    EXPECT_FALSE(std::filesystem::exists(prepared->folder / "refused/checkpoints")) << needs;
  };
  bring("libcuda.so.1", "libcuda.so.1");
  for (const char *absent : {"libcublasLt.so.13", "libcublasLt.so.12", "libnccl.so.2"})
    std::ofstream(libraries + "/" + absent).close();
  expectRefusal(1, "cuBLASLt, which cannot be loaded: ");
  std::filesystem::remove(libraries + "/libcublasLt.so.13");
  bring("libcublasLt.so.13", "libcublasLt.so.13");
  expectRefusal(2, "NCCL, which cannot be loaded: ");
  std::filesystem::remove(libraries + "/libnccl.so.2");
  bring("libcublasLt.so.13", "libnccl.so.2");
  expectRefusal(2, "NCCL of release 2.0 or later: 'libnccl.so.2' has no 'ncclGetVersion'");
  std::filesystem::remove(libraries + "/libcuda.so.1");
  bring("libcublasLt.so.13", "libcuda.so.1");
  expectRefusal(1, "NVIDIA's driver of release ");
}

std::string nameOf(const testing::TestParamInfo<Fault> &info) {
  std::string name = info.param.fault;
  std::erase_if(name, [](char c) { return c == '-' || c == ':'; });
  return name;
}

INSTANTIATE_TEST_SUITE_P(
    CudaFault, AtTheStart,
    testing::Values(
        Fault{"no-device:1", ExitCode::CannotFit, "needs an NVIDIA GPU, and the driver shows none"},
        Fault{"old-driver:1", ExitCode::CannotFit,
              "needs a driver for CUDA 12.0 or later; this one is for CUDA 11.4"},
        Fault{"no-jit:1", ExitCode::CannotFit, "cannot be compiled by the driver"},
        Fault{"out-of-memory:3", ExitCode::CannotFit,
              "rank 0: device: an arena of "}, // after the two of the probe
        Fault{"out-of-memory:4", ExitCode::CannotFit, "rank 1: device: an arena of "},
        Fault{"pinning-refused:1", ExitCode::CannotFit,
              "of host memory, through which bytes go to the device, cannot be pinned: "}, // of the probe
        Fault{"pinning-refused:5", ExitCode::CannotFit, "rank 1: host: "},
        Fault{"lt-not-created:1", ExitCode::CannotFit,
              "cublasLtCreate: the library was not initialized, by cuBLASLt 13.1.0 under a driver for CUDA ",
              kLibrary},
        Fault{"lt-no-algorithm:1", ExitCode::CannotFit, "has no algorithm for it within ", kLibrary},
        Fault{"lt-greedy:1", ExitCode::CannotFit, " bytes of workspace, the plan grants ", kLibrary},
        Fault{"lt-unsupported:1", ExitCode::CannotFit, "the functionality requested is not supported",
              kLibrary}),
    nameOf);

/// Faults at some instruction, after a checkpoint.
class InAStep : public CudaFault, public testing::WithParamInterface<Fault> {};

TEST_P(InAStep, theInstructionIsNamedAndTheCheckpointLoads) {
  const auto [fault, code, says, products] = GetParam();
  const ToolRun run = fail(products, fault);
  EXPECT_EQ(run.code, static_cast<int>(code)) << run.error;
  EXPECT_NE(run.error.find(says), std::string::npos) << run.error;
  EXPECT_TRUE(std::regex_search(run.error, kPlace)) << run.error;
  if (products == kLibrary) // after the other faults the device gives nothing back
    expectNothingLeftBehind();
  expectToGoOn();
}

INSTANTIATE_TEST_SUITE_P(
    CudaFault, InAStep,
    testing::Values(Fault{"launch-failed:20", ExitCode::RunFailed, "(CUDA_ERROR_LAUNCH_FAILED)"},
                    Fault{"illegal-address:25", ExitCode::RunFailed, "(CUDA_ERROR_ILLEGAL_ADDRESS)"},
                    Fault{"misaligned:3", ExitCode::RunFailed, "(CUDA_ERROR_MISALIGNED_ADDRESS)"},
                    Fault{"memory-error:9", ExitCode::RunFailed, "(CUDA_ERROR_ECC_UNCORRECTABLE)"},
                    Fault{"hung-stream:11", ExitCode::RunFailed, kHangs},
                    Fault{"lt-refused:7", ExitCode::RunFailed, "cublasLtMatmul: an unsupported value",
                          kLibrary},
                    Fault{"lt-failed:15", ExitCode::RunFailed,
                          "cublasLtMatmul: the GPU program failed to execute", kLibrary}),
    nameOf);

//===----------------------------------------------------------------------===//
// Hangs
//===----------------------------------------------------------------------===//

/// A device that hangs before the first step ends the run, too: in the probe, while an arena is filled, or
/// while states are uploaded.
TEST_F(CudaFault, aHangBeforeTheFirstStepEndsARun) {
  for (const auto &[fault, at] :
       {std::pair("hung-launch:1", "the probe of 'Simulated GPU': "), std::pair("hung-copy:1", "error: "),
        std::pair("hung-copy:3", "error: rank 0: device: "), std::pair("hung-copy:9", "error: ")}) {
    SCOPED_TRACE(fault);
    const ToolRun run = fail(CudaProducts::Code, fault);
    EXPECT_EQ(run.code, static_cast<int>(ExitCode::RunFailed)) << run.error;
    EXPECT_NE(run.error.find(at), std::string::npos) << run.error;
    EXPECT_NE(run.error.find(kHangs), std::string::npos) << run.error;
    EXPECT_EQ(run.error.find("step "), std::string::npos) << run.error;
  }
  expectToGoOn();
}

/// The reference executor does not wait forever, either. tools/gpu-faults.sh tests --check-kernels.
TEST_F(CudaFault, aHangUnderTheReferenceExecutorEndsARunByName) {
  for (const char *fault : {"hung-launch:12", "hung-copy:60"}) {
    SCOPED_TRACE(fault);
    const ToolRun run = fail(CudaProducts::Code, fault, 1, " --executor reference");
    EXPECT_EQ(run.code, static_cast<int>(ExitCode::RunFailed)) << run.error;
    EXPECT_TRUE(std::regex_search(run.error, kPlace)) << run.error;
    EXPECT_NE(run.error.find(kHangs), std::string::npos) << run.error;
  }
  expectToGoOn();
}

/// A call of the driver does nothing and reports an error, at many places of a run.
TEST_F(CudaFault, aRefusedCallEndsARun) {
  const ToolRun asked = fail(kLibrary, "query-refused:1"); // the state of the device is then unknown
  EXPECT_NE(asked.error.find("cuStreamQuery: "), std::string::npos) << asked.error;
  EXPECT_EQ(asked.code, static_cast<int>(ExitCode::RunFailed)) << asked.error;
  for (int call : {1, 3, 4, 6, 7, 8, 9, 10, 13, 18, 20, 40, 80, 160, 240, 320, 480}) {
    SCOPED_TRACE("call " + std::to_string(call));
    const ToolRun run = fail(kLibrary, "call-refused:" + std::to_string(call));
    EXPECT_TRUE(run.code == static_cast<int>(ExitCode::CannotFit) ||
                run.code == static_cast<int>(ExitCode::RunFailed))
        << run.code << " " << run.error;
    EXPECT_NE(run.error.find(call == 1 ? "cublasLtCreate: " : "(CUDA_ERROR_OUT_OF_MEMORY)"),
              std::string::npos)
        << run.error;
  }
  expectToGoOn();
}

/// Each rank has a GPU, and the ranks exchange bytes over NCCL.
TEST_F(CudaFault, aFailureOfNcclEndsARun) {
  for (int group : {1, 12, 30}) {
    SCOPED_TRACE("group " + std::to_string(group));
    const ToolRun run = fail(CudaProducts::Code, "nccl-failed:" + std::to_string(group), /*gpus=*/2);
    EXPECT_EQ(run.code, static_cast<int>(ExitCode::RunFailed)) << run.error;
    EXPECT_TRUE(std::regex_search(run.error, kPlace)) << run.error;
    EXPECT_NE(run.error.find("remote process exited or there was a network error"), std::string::npos)
        << run.error;
  }
  expectToGoOn();
}

/// No wait for NCCL is endless: neither while ranks join nor for a call in a step.
TEST_F(CudaFault, aRankThatNcclWaitsForInVainEndsARun) {
  for (const auto &[fault, isInAStep] :
       {std::pair("nccl-not-joined:2", false), std::pair("nccl-stuck:12", true)}) {
    SCOPED_TRACE(fault);
    const ToolRun run = fail(CudaProducts::Code, fault, /*gpus=*/2);
    EXPECT_EQ(run.code, static_cast<int>(ExitCode::RunFailed)) << run.error;
    EXPECT_NE(run.error.find("NCCL is not done after 2.00 s (--device-timeout): "), std::string::npos)
        << run.error;
    EXPECT_EQ(std::regex_search(run.error, kPlace), isInAStep) << run.error;
    if (!isInAStep) // after an abort streams go on with bytes that did not arrive
      expectNothingLeftBehind();
  }
  expectToGoOn();
}

TEST_F(CudaFault, aLostDeviceEndsARun) {
  for (int operation : {1, 30, 60, 90, 150}) {
    SCOPED_TRACE("operation " + std::to_string(operation));
    const ToolRun run = fail(CudaProducts::Code, "device-lost:" + std::to_string(operation));
    EXPECT_NE(run.code, 0);
    EXPECT_NE(run.error.find("(CUDA_ERROR_UNKNOWN)"), std::string::npos) << run.error;
  }
  expectToGoOn();
}

} // namespace
} // namespace windlass::test
