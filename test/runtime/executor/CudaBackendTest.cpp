// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The CUDA backend over a simulated driver: the host's part of a run, mistakes in the use of the driver,
// faults of the device, and plans that do not suit it.
#include "runtime/base/Cores.h"
#include "runtime/base/DeviceBuiltins.h"
#include "runtime/base/File.h"
#include "runtime/base/Hash.h"
#include "runtime/executor/ConcurrentExecutor.h"
#include "runtime/kernels/KernelLibrary.h"
#include "runtime/plan/Layout.h"
#include "runtime/plan/check/Checker.h"
#include "test/runtime/executor/CudaRig.h"
#include "test/runtime/executor/TestHost.h"
#include "test/support/cuda/driver/SimMutants.h"
#include <algorithm>
#include <cstring>
#include <fstream>
#include <thread>

using namespace windlass;
using namespace windlass::test;

namespace {

//===----------------------------------------------------------------------===//
// Runs without an oracle
//===----------------------------------------------------------------------===//

Status fillStates(const plan::Plan &plan, Executor &executor) {
  for (int64_t rank : executor.ranks())
    for (const plan::State &state : programOf(plan, rank).states)
      WINDLASS_TRY(executor.writeBytes(rank, state.home, 0,
                                       std::vector<std::byte>(static_cast<size_t>(state.home.bytes))));
  return Status::ok();
}

/// Loads the plan and runs a step of training. Returns the first error.
Status train(Rig &rig, StepHost &host, const cuda::Driver &driver = SimDriver::table()) {
  Result<std::unique_ptr<Backend>> backend = makeCudaBackend(simulated(driver));
  WINDLASS_TRY(backend.status());
  Result<ExecutorParts> parts =
      ExecutorParts::create(rig.cuda.plan, rig.contestant().options, {}, backend.take());
  WINDLASS_TRY(parts.status());
  Result<std::unique_ptr<Executor>> executor = ConcurrentExecutor::create(parts.take());
  WINDLASS_TRY(executor.status());
  WINDLASS_TRY(fillStates(rig.cuda.plan, **executor));
  return (*executor)->run(plan::Purpose::Train, host);
}

/// Tells the simulated device which pinned memory the host reads and writes.
class WatchedHost final : public StepHost {
public:
  WatchedHost(SimDriver &sim, int64_t ranks) : sim(sim), dice(ranks) {}
  Status feed(const ItemRequest &request, std::span<std::byte> bytes) override {
    sim.hostWrites(bytes, "feed of " + std::string(request.item));
    return dice.feed(request, bytes);
  }
  Status report(const ItemRequest &request, std::span<const std::byte> bytes) override {
    sim.hostReads(bytes, "report of " + std::string(request.item));
    return dice.report(request, bytes);
  }

private:
  SimDriver &sim;
  TestHost dice;
};

plan::Plan smallPlan() { return makeSyntheticPlan({.seed = 4, .ranks = 2, .microBatches = 3, .layers = 3}); }

TEST(CudaHost, feedsAndReportsAreInOrderWithTheCopiesOfTheDevice) {
  for (SimPolicy policy : kSimPolicies)
    for (uint64_t seed = 1; seed <= 4; ++seed) {
      const plan::Plan plan = planOf(seed);
      Rig rig(plan, {policy, seed});
      WatchedHost host(rig.sim, plan.ranks());
      const Status status = train(rig, host);
      EXPECT_TRUE(status) << status.message();
      rig.expectNothingBroken();
    }
}

//===----------------------------------------------------------------------===//
// Mistakes and faults
//===----------------------------------------------------------------------===//

/// The number of the call at which a mistake happens. Memory is pinned once for each rank, a thread enters a
/// context once, and a copy that is too short shows only if the missing bytes were never written before. All
/// other calls happen more often.
int64_t occasionOf(SimMutant mutant, uint64_t seed) {
  const bool isEarly = mutant == SimMutant::NotPinned || mutant == SimMutant::ContextNotSet ||
                       mutant == SimMutant::CopyTooShort;
  return static_cast<int64_t>(isEarly ? seed : 8 * seed);
}

/// Whether the device reports the mistake in a run under this policy.
bool isFoundOn(const plan::Plan &plan, SimMutant mutant, SimPolicy policy, uint64_t seed) {
  Rig rig(plan, {policy, seed});
  TestHost host(plan.ranks());
  (void)train(rig, host, mutatedTable(mutant, occasionOf(mutant, seed)));
  const std::vector<SimRule> expected = rulesBrokenBy(mutant);
  return std::ranges::any_of(rig.sim.violations(), [&](const SimViolation &each) {
    return std::ranges::find(expected, each.rule) != expected.end();
  });
}

TEST(CudaMutants, everyMistakeIsFoundByNameWithinEightSeeds) {
  const plan::Plan plan = smallPlan();
  for (SimMutant mutant : kSimMutants) {
    bool isFound = false;
    for (uint64_t seed = 1; seed <= 8; ++seed)
      for (SimPolicy policy : kSimPolicies)
        isFound = isFound || isFoundOn(plan, mutant, policy, seed);
    EXPECT_TRUE(isFound) << nameOf(mutant);
  }
}

TEST(CudaFaults, whatTheMachineLacksIsSaidBeforeAnythingRuns) {
  const struct {
    SimFault fault;
    std::string says;
  } cases[] = {
      {{SimFaultKind::NoDevice, 1}, "a cuda plan here needs an NVIDIA GPU"},
      {{SimFaultKind::OldDriver, 1}, "a cuda plan here needs a driver for CUDA 12.0 or later"},
      {{SimFaultKind::NoJit, 1},
       "cannot be compiled by the driver: cuModuleLoadDataEx: invalid ptx "
       "(CUDA_ERROR_INVALID_PTX): the compiler of the driver is not there"},
      {{SimFaultKind::OutOfMemory, 3}, "rank 0: device: an arena of "}, // after the two of the probe
      {{SimFaultKind::OutOfMemory, 4}, "rank 1: device: an arena of "},
      {{SimFaultKind::PinningRefused, 2}, "rank 0: device: "}, // after the one of the probe
      {{SimFaultKind::PinningRefused, 5}, "rank 1: host: "},
  };
  const plan::Plan plan = smallPlan();
  for (const auto &[fault, says] : cases) {
    Rig rig(plan, {.faults = {fault}});
    TestHost host(plan.ranks());
    const Status status = train(rig, host);
    EXPECT_EQ(status.code(), ExitCode::CannotFit) << says;
    EXPECT_NE(status.message().find(says), std::string::npos) << status.message();
    EXPECT_EQ(status.message().find('\n'), std::string::npos);
    EXPECT_EQ(rig.sim.counts().launches, 0);
    rig.expectNothingBroken();
  }
}

TEST(CudaFaults, aDeviceThatFailsStopsEveryRankAndNamesItsInstruction) {
  const std::pair<SimFaultKind, const char *> cases[] = {
      {SimFaultKind::LaunchFailed, "CUDA_ERROR_LAUNCH_FAILED"},
      {SimFaultKind::IllegalAddress, "CUDA_ERROR_ILLEGAL_ADDRESS"},
      {SimFaultKind::MemoryError, "CUDA_ERROR_ECC_UNCORRECTABLE"},
  };
  const plan::Plan plan = smallPlan();
  for (const auto &[kind, name] : cases)
    for (uint64_t seed = 1; seed <= 4; ++seed) {
      Rig rig(plan, {kSimPolicies[seed - 1], seed, {SimFault::bySeed(kind, seed, 40)}});
      TestHost host(plan.ranks());
      const Status status = train(rig, host);
      EXPECT_EQ(status.code(), ExitCode::RunFailed) << status.message();
      EXPECT_EQ(status.message().find("rank "), 0u) << status.message();
      EXPECT_NE(status.message().find(name), std::string::npos) << status.message();
      EXPECT_TRUE(rig.sim.violations().empty()) << rig.sim.violations()[0].what;
    }
}

TEST(CudaFaults, aLostDeviceEndsTheRunWhereverItStands) {
  const plan::Plan plan = smallPlan();
  for (uint64_t seed = 1; seed <= 8; ++seed) {
    Rig rig(plan, {kSimPolicies[seed % 4], seed, {SimFault::bySeed(SimFaultKind::DeviceLost, seed, 120)}});
    TestHost host(plan.ranks());
    const Status status = train(rig, host);
    EXPECT_FALSE(status);
    EXPECT_NE(status.message().find("CUDA_ERROR_UNKNOWN"), std::string::npos) << status.message();
  }
}

TEST(CudaFaults, aSlowStreamLeavesTheBytesOfTheCpu) {
  const plan::Plan plan = smallPlan();
  for (int64_t slow : {1, 4, 5})
    for (SimPolicy policy : {SimPolicy::Eager, SimPolicy::Random}) {
      Rig rig(plan, {.policy = policy, .faults = {{SimFaultKind::SlowStream, slow}}});
      expectAgreement(plan, {inScratch(true), {}}, rig.contestant());
      rig.expectNothingBroken();
    }
}

/// Refuses the first loss after a number of launches.
class StrictHost final : public StepHost {
public:
  StrictHost(const SimDriver &sim, int64_t launches) : sim(sim), launches(launches) {}
  Status feed(const ItemRequest &request, std::span<std::byte> bytes) override {
    return dice.feed(request, bytes);
  }
  Status report(const ItemRequest &, std::span<const std::byte>) override {
    while (sim.counts().launches < launches)
      std::this_thread::yield();
    return Status::runFailed("the loss is not finite");
  }

private:
  const SimDriver &sim;
  const int64_t launches;
  TestHost dice{1};
};

TEST(CudaFaults, aKernelThatNeverEndsDoesNotHoldUpTheEndOfARun) {
  constexpr int64_t kFirstBackward = 6; // after two matmuls of each of two layers, and the loss
  const plan::Plan plan = makeSyntheticPlan({.seed = 4, .ranks = 1, .microBatches = 2, .layers = 2});
  Rig rig(plan, {.faults = {{SimFaultKind::HungStream, kFirstBackward}}});
  StrictHost host(rig.sim, kFirstBackward);
  const Status status = train(rig, host);
  EXPECT_EQ(status.code(), ExitCode::RunFailed);
  EXPECT_NE(status.message().find("the loss is not finite"), std::string::npos) << status.message();
  EXPECT_NE(rig.sim.leftovers(), ""); // memory that the kernel may touch is not freed
  EXPECT_TRUE(rig.sim.violations().empty());
}

//===----------------------------------------------------------------------===//
// Plans that do not suit the device
//===----------------------------------------------------------------------===//

/// The error of loading a plan after `change`.
template <typename Change> Status refusalOf(Change change) {
  Rig rig(smallPlan(), {});
  change(rig.cuda.plan);
  TestHost host(rig.cuda.plan.ranks());
  const Status status = train(rig, host);
  rig.expectNothingBroken();
  return status;
}

TEST(CudaPlans, theCheckerKnowsThem) {
  Rig rig(smallPlan(), {});
  const Status status = checkPlan(rig.cuda.plan);
  EXPECT_TRUE(status) << status.message();
}

TEST(CudaPlans, codeForOtherDevicesIsRefused) {
  const Status status = refusalOf([](plan::Plan &plan) { plan.kernelFiles[0].target = "sm_100"; });
  EXPECT_EQ(status.code(), ExitCode::CannotFit);
  EXPECT_EQ(status.message(), "the plan has no code that 'Simulated GPU' runs, which is sm_90");
}

TEST(CudaPlans, codeThatIsNotThePlansIsRefused) {
  const Status status = refusalOf([](plan::Plan &plan) { plan.kernelFiles[0].hash[0] ^= 1; });
  EXPECT_EQ(status.code(), ExitCode::BadInput);
  EXPECT_NE(status.message().find("kernels.ptx': hash is "), std::string::npos) << status.message();
}

TEST(CudaPlans, aKernelWithoutCodeIsNamed) {
  const Status status = refusalOf([](plan::Plan &plan) { plan.kernels.back().symbol = "h.0"; });
  EXPECT_EQ(status.code(), ExitCode::BadInput);
  EXPECT_NE(status.message().find("kernel 'h.0': no 'h_$_0' is in '"), std::string::npos) << status.message();
  const Status gridless = refusalOf([](plan::Plan &plan) { plan.kernels.back().phases.clear(); });
  EXPECT_NE(gridless.message().find("has no grid for a GPU"), std::string::npos) << gridless.message();
}

/// A library is opened if a plan has products for it.
TEST(CudaPlans, aProductWithoutItsLibraryIsRefused) {
  const plan::Plan plan = smallPlan();
  Rig rig(plan, {.products = CudaProducts::Library});
  const CudaLibraries withoutProducts = {SimDriver::table(),
                                         [] { return Result<cuda::BlasLt>(cuda::needs("cuBLASLt")); }};
  const Result<PlanKernels> kernels =
      makeCudaBackend(withoutProducts).take()->loadKernels(rig.cuda.plan, rig.folder.path);
  ASSERT_FALSE(kernels);
  EXPECT_EQ(kernels.status().code(), ExitCode::CannotFit);
  EXPECT_EQ(kernels.status().message(), "a cuda plan here needs cuBLASLt");
}

/// The processors of the host are divided among its ranks, including those of other processes. The plan's
/// number of threads is for processors that compute, and does not count here.
TEST(CudaPlans, kernelsOnTheHostTakeItsProcessors) {
  const plan::Plan plan = smallPlan();
  Rig rig(plan, {});
  const auto here = static_cast<int64_t>(processorsHere().size());
  for (const int64_t ranksOnHost : {int64_t{0}, 8 * here}) {
    const std::unique_ptr<Backend> backend = makeCudaBackend(simulated(SimDriver::table())).take();
    const plan::RankSet local = plan::RankSet::allOf(rig.cuda.plan);
    ASSERT_TRUE(backend->settle(rig.cuda.plan, local, {.ranksOnHost = ranksOnHost}));
    const Result<PlanKernels> kernels = backend->loadKernels(rig.cuda.plan, rig.folder.path);
    ASSERT_TRUE(kernels) << kernels.status().message();
    const auto &host = dynamic_cast<const KernelLibrary &>(*kernels->host);
    const auto ranks = static_cast<int64_t>(local.size());
    EXPECT_EQ(host.threadsPerRank(), ranksOnHost == 0 ? std::max<int64_t>(1, here / ranks) : 1);
  }
}

TEST(CudaPlans, codeWithoutAProbeIsRefused) {
  const plan::Plan plan = smallPlan();
  Rig rig(plan, {});
  const std::string file = rig.folder / "kernels.ptx";
  std::string text = readFile(file).take();
  text.replace(text.find(kProbe), std::strlen(kProbe), "windlass_nobody");
  std::ofstream(file) << text;
  rig.cuda.plan.kernelFiles[0].hash = hashOfBytes(text);
  const Result<PlanKernels> kernels =
      makeCudaBackend(simulated(SimDriver::table())).take()->loadKernels(rig.cuda.plan, rig.folder.path);
  ASSERT_FALSE(kernels);
  EXPECT_EQ(kernels.status().code(), ExitCode::BadInput);
  EXPECT_NE(kernels.status().message().find("no 'windlass_probe' is in '"), std::string::npos)
      << kernels.status().message();
}

/// A device with one wrong bit runs nothing. The exit code is 3, and the message names the operation and the
/// operands.
TEST(CudaPlans, aDeviceThatComputesOtherwiseIsRefused) {
  const plan::Plan plan = smallPlan();
  SimHostCode::Functions wrong = Rig(plan, {}).cuda.functions;
  wrong[kProbe].run = [right = wrong[kProbe].run](SimOperands &operands) {
    right(operands);
    constexpr size_t kBytes = kProbeOperations * kProbePatterns * sizeof(uint64_t);
    operands.write(operands[1], kBytes)[8 * 100] ^= std::byte{1}; // of the first operation
  };
  Rig rig(plan, {.loader = SimHostCode::loader(std::move(wrong))});
  TestHost host(plan.ranks());
  const Status status = train(rig, host);
  EXPECT_EQ(status.code(), ExitCode::CannotFit);
  EXPECT_NE(status.message().find("'Simulated GPU' with its driver for CUDA 12.4 gets f32 a * b + c, rounded "
                                  "twice wrong: of pattern 100, a 0x"),
            std::string::npos)
      << status.message();
  EXPECT_EQ(rig.sim.counts().launches, 0);
}

TEST(CudaPlans, whatIsTakenBesideTheArenasIsSaid) {
  Rig rig(smallPlan(), {});
  auto executor = open(rig.cuda.plan, rig.contestant());
  ASSERT_TRUE(executor);
  EXPECT_EQ(executor->notices()[0],
            "'Simulated GPU' has 1.00 GiB, of which 408 MiB are taken beside the arenas: by "
            "the driver, the plan's code and other programs");
}

} // namespace
