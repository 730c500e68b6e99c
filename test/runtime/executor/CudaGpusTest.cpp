// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Each rank has a GPU. The simulated NCCL has calls that fill a GPU. The runs give the bytes of the CPU, and
// streams of several GPUs never wait for each other in a circle.
#include "runtime/executor/ConcurrentExecutor.h"
#include "test/runtime/executor/CudaRig.h"
#include "test/runtime/executor/TestHost.h"
#include "test/support/PipelinePlan.h"
#include <algorithm>

using namespace windlass;
using namespace windlass::test;

namespace {

/// Plans with data ranks, with groups of a mesh on two lanes, with layers that rest on one rank, and with
/// stages that exchange messages.
const std::vector<plan::Plan> &plans() {
  static const std::vector<plan::Plan> all = {
      makeSyntheticPlan({.seed = 5, .ranks = 2, .microBatches = 2, .layers = 3}),
      makeSyntheticPlan({.seed = 9, .ranks = 4, .microBatches = 3, .layers = 3, .replicas = 2}),
      makeSyntheticPlan({.seed = 3, .ranks = 3, .microBatches = 2, .layers = 4, .owners = true}),
      makePipelinePlan({.stages = 2, .microBatches = 5, .dataRanks = 2}),
      makePipelinePlan({.stages = 4, .microBatches = 5, .dataRanks = 1}),
  };
  return all;
}

class CudaGpus : public testing::TestWithParam<SimPolicy> {};

TEST_P(CudaGpus, ranksWithAGpuEachLeaveTheBytesOfTheCpu) {
  for (const plan::Plan &plan : plans()) {
    Rig rig(plan, {.policy = GetParam(), .devices = plan.ranks() + 1});
    const int64_t before = SimNccl::sends();
    expectAgreement(plan, {inScratch(true), {}}, rig.contestant());
    rig.expectNothingBroken();
    EXPECT_GT(SimNccl::sends(), before);
    if (HasFailure())
      return;
  }
}

INSTANTIATE_TEST_SUITE_P(Policies, CudaGpus, testing::ValuesIn(kSimPolicies));

TEST(CudaGpus, theReferenceExecutorLeavesTheBytesOfTheCpu) {
  Rig rig(plans()[1], {.policy = SimPolicy::Lazy, .devices = 4});
  expectAgreement(plans()[1], {inScratch(true), {}}, rig.contestant(true));
  rig.expectNothingBroken();
}

//===----------------------------------------------------------------------===//
// One order of exchanges
//===----------------------------------------------------------------------===//

/// A backend whose lanes exchange as soon as they reach an exchange.
class Unordered final : public Backend {
public:
  explicit Unordered(std::unique_ptr<Backend> backend) : inner(std::move(backend)) {}
  Result<std::map<std::string, std::string>> numerics(const plan::Plan &plan) override {
    return inner->numerics(plan);
  }
  Status settle(const plan::Plan &plan, const plan::RankSet &local, const OtherProcesses &others) override {
    return inner->settle(plan, local, others);
  }
  Result<std::unique_ptr<DeviceMemory>> makeMemory(int64_t rank, int64_t bytes, int canary) override {
    return inner->makeMemory(rank, bytes, canary);
  }
  Result<PlanKernels> loadKernels(const plan::Plan &plan, const std::string &folder) override {
    return inner->loadKernels(plan, folder);
  }
  Result<std::unique_ptr<Transport>> makeTransport(std::span<const int64_t> members,
                                                   std::span<Stream *const> streams) override {
    return inner->makeTransport(members, streams);
  }

private:
  std::unique_ptr<Backend> inner;
};

Result<std::unique_ptr<Executor>> makeExecutor(Rig &rig, std::unique_ptr<Backend> backend) {
  Result<ExecutorParts> parts =
      ExecutorParts::create(rig.cuda.plan, rig.contestant().options, {}, std::move(backend));
  WINDLASS_TRY(parts.status());
  Result<std::unique_ptr<Executor>> executor = ConcurrentExecutor::create(parts.take());
  if (executor)
    initialise(rig.cuda.plan, **executor);
  return executor;
}

/// Runs a step of training. Returns its error.
Status train(Rig &rig, std::unique_ptr<Backend> backend) {
  Result<std::unique_ptr<Executor>> executor = makeExecutor(rig, std::move(backend));
  WINDLASS_TRY(executor.status());
  TestHost host(rig.cuda.plan.ranks());
  return (*executor)->run(plan::Purpose::Train, host);
}

bool deadlocks(const plan::Plan &plan, std::unique_ptr<Backend> (*ordering)(std::unique_ptr<Backend>)) {
  for (uint64_t seed : {1, 2})
    for (SimPolicy policy : kSimPolicies) {
      Rig rig(plan, {.policy = policy, .seed = seed, .devices = plan.ranks()});
      (void)train(rig, ordering(makeCudaBackend(simulated(SimDriver::table())).take()));
      SimNccl::leftovers();
      if (rig.sim.brokeOnly(SimRule::Deadlock))
        return true;
    }
  return false;
}

/// Without one order of exchanges, lanes of messages and of collectives wait for each other.
TEST(CudaGpus, withoutOneOrderOfExchangesStagesWaitForEachOther) {
  for (size_t stages : {3, 4}) {
    EXPECT_TRUE(deadlocks(plans()[stages], [](std::unique_ptr<Backend> backend) {
      return std::unique_ptr<Backend>(std::make_unique<Unordered>(std::move(backend)));
    }));
    EXPECT_FALSE(deadlocks(plans()[stages], [](std::unique_ptr<Backend> backend) { return backend; }));
  }
}

//===----------------------------------------------------------------------===//
// The devices of the machine
//===----------------------------------------------------------------------===//

std::string noticesOn(int64_t devices) {
  Rig rig(plans()[0], {.devices = devices});
  auto executor = open(rig.cuda.plan, rig.contestant());
  std::string text;
  for (const std::string &notice : executor ? executor->notices() : std::span<const std::string>())
    text += notice + "\n";
  return text;
}

TEST(CudaGpus, whoHasWhichGpuIsSaid) {
  EXPECT_NE(noticesOn(1).find("2 ranks share the first of 1 GPU and exchange bytes where these lie\n"),
            std::string::npos)
      << noticesOn(1);
  EXPECT_NE(noticesOn(3).find("2 ranks have a GPU each, of 3 GPUs, and exchange bytes over NCCL 2.28.9\n"),
            std::string::npos)
      << noticesOn(3);
  EXPECT_NE(noticesOn(3).find("GPU 1, 'Simulated GPU', has 1.00 GiB"), std::string::npos) << noticesOn(3);
}

TEST(CudaGpus, aMachineWithoutNcclIsRefused) {
  Rig rig(plans()[0], {.devices = 2});
  CudaLibraries libraries = simulated(SimDriver::table());
  libraries.nccl = [] { return Result<cuda::Nccl>(cuda::needs("NCCL")); };
  const Status status = train(rig, makeCudaBackend(libraries).take());
  EXPECT_EQ(status.code(), ExitCode::CannotFit);
  EXPECT_EQ(status.message(), "2 ranks with a GPU each: a cuda plan here needs NCCL");
  rig.expectNothingBroken();
}

/// A failure of NCCL on any rank: the error names the rank, its instruction, and the error of NCCL.
TEST(CudaGpus, aFailureOfNcclEndsTheRunByName) {
  for (uint64_t seed = 1; seed <= 4; ++seed) {
    Rig rig(plans()[1], {kSimPolicies[seed - 1],
                         seed,
                         {SimFault::bySeed(SimFaultKind::NcclFailed, seed, 40)},
                         {},
                         CudaProducts::Code,
                         4});
    const Status status = train(rig, makeCudaBackend(simulated(SimDriver::table())).take());
    EXPECT_EQ(status.code(), ExitCode::RunFailed);
    EXPECT_EQ(status.message().find("rank "), 0u) << status.message();
    EXPECT_NE(status.message().find("remote process exited or there was a network error"), std::string::npos)
        << status.message();
    // An aborted call brings no bytes, and orders nothing of the work behind it.
    for (const SimViolation &each : rig.sim.violations())
      EXPECT_TRUE(each.rule == SimRule::UnwrittenRead || each.rule == SimRule::Unordered) << each.what;
    SimNccl::leftovers();
  }
}

/// Stops the run when rank 1 is to be fed, and feeds this rank after NCCL's work was aborted.
class StoppingHost final : public StepHost {
public:
  StoppingHost(Executor &executor, const SimDriver &sim, int64_t ranks)
      : executor(executor), sim(sim), inner(ranks) {}

  Status feed(const ItemRequest &request, std::span<std::byte> bytes) override {
    if (request.rank == 1 && sim.counts().aborts == 0)
      executor.stop(Status::runFailed("rank 2 (host b) has died"));
    while (request.rank == 1 && sim.counts().aborts == 0)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return inner.feed(request, bytes);
  }
  Status report(const ItemRequest &request, std::span<const std::byte> bytes) override {
    return inner.report(request, bytes);
  }

private:
  Executor &executor;
  const SimDriver &sim;
  TestHost inner;
};

/// A rank waits for another rank over NCCL, which does not know of failures. The call that stops the run ends
/// this wait.
TEST(CudaGpus, aRunThatIsStoppedWaitsForNoOtherGpu) {
  for (SimPolicy policy : kSimPolicies) {
    Rig rig(plans()[0], {.policy = policy, .devices = 2});
    const Result<std::unique_ptr<Executor>> executor =
        makeExecutor(rig, makeCudaBackend(simulated(SimDriver::table())).take());
    ASSERT_TRUE(executor) << executor.status().message();
    StoppingHost host(**executor, rig.sim, 2);
    const Status status = (*executor)->run(plan::Purpose::Train, host);
    EXPECT_EQ(status.message(), "rank 2 (host b) has died");
    EXPECT_GT(rig.sim.counts().aborts, 0);
    SimNccl::leftovers();
  }
}

} // namespace
