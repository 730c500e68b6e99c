// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Random plans on the CUDA backend over a simulated driver: under every policy they give the bytes of the
// CPU, events alone give the order of work, and nothing is left over. The cases are those of AgreementTest
// and FarBackendTest.
#include "runtime/plan/Layout.h"
#include "test/runtime/executor/Agreement.h"
#include "test/runtime/executor/CudaRig.h"
#include "test/runtime/executor/TestHost.h"
#include "test/support/PipelinePlan.h"
#include "test/support/SyntheticPlan.h"
#include "test/support/cuda/SimPtxCode.h"
#include <gtest/gtest.h>
#include <map>

using namespace windlass;
using namespace windlass::test;

namespace {

class CudaAgreement : public testing::TestWithParam<SimPolicy> {};

TEST_P(CudaAgreement, theConcurrentExecutorLeavesTheBytesOfTheCpu) {
  for (uint64_t seed = 1; seed <= 8; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const plan::Plan plan = planOf(seed);
    Rig rig(plan, {GetParam(), seed});
    expectAgreement(plan, {inScratch(true), {}}, rig.contestant());
    rig.expectNothingBroken();
    EXPECT_GT(rig.sim.counts().launches, 0);
    EXPECT_GT(rig.sim.counts().copies, 0);
    EXPECT_GT(rig.sim.counts().waits, 0);
    if (HasFailure())
      return;
  }
}

TEST_P(CudaAgreement, depthsOfTheDiskLeaveTheBytesOfTheCpu) {
  for (uint64_t seed = 9; seed <= 12; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const auto number = static_cast<int64_t>(seed);
    const plan::Plan plan = makeSyntheticPlan({.seed = seed,
                                               .ranks = 1 + number % 4,
                                               .microBatches = 1 + number / 4 % 5,
                                               .layers = 2 + number % 3,
                                               .nvmeDepth = 1 + number % 5});
    Rig rig(plan, {GetParam(), 100 * seed});
    expectAgreement(plan, {inScratch(true), {}}, rig.contestant());
    rig.expectNothingBroken();
  }
}

TEST_P(CudaAgreement, bothNvmeEnginesLeaveTheBytesOfTheCpu) {
  const plan::Plan plan = makeSyntheticPlan({.seed = 5, .ranks = 2, .microBatches = 3, .layers = 4});
  for (NvmeEngine engine : {NvmeEngine::IoUring, NvmeEngine::Threads})
    for (bool direct : {false, true}) {
      Rig rig(plan, {GetParam(), 5});
      Contestant contestant = rig.contestant();
      contestant.options.nvmeEngine = engine;
      contestant.options.directIo = direct;
      expectAgreement(plan, {inScratch(true), {}}, contestant);
      rig.expectNothingBroken();
    }
}

TEST_P(CudaAgreement, groupsThatHoldCopiesLeaveTheBytesOfTheCpu) {
  for (int64_t replicas : {2, 3}) {
    const plan::Plan plan = makeSyntheticPlan({.seed = 6 + static_cast<uint64_t>(replicas),
                                               .ranks = 2 * replicas,
                                               .microBatches = replicas,
                                               .layers = 3,
                                               .replicas = replicas});
    Rig rig(plan, {GetParam(), 9});
    expectAgreement(plan, {inScratch(true), {}}, rig.contestant());
    rig.expectNothingBroken();
  }
}

TEST_P(CudaAgreement, layersThatRestOnOneRankLeaveTheBytesOfTheCpu) {
  const plan::Plan plan =
      makeSyntheticPlan({.seed = 3, .ranks = 3, .microBatches = 2, .layers = 4, .owners = true});
  Rig rig(plan, {GetParam(), 3});
  expectAgreement(plan, {inScratch(true), {}}, rig.contestant());
  rig.expectNothingBroken();
}

TEST_P(CudaAgreement, pipelinesLeaveTheBytesOfTheCpu) {
  for (int64_t stages : {2, 4})
    for (int64_t dataRanks : {1, 2}) {
      const plan::Plan plan = makePipelinePlan({.stages = stages, .microBatches = 5, .dataRanks = dataRanks});
      Rig rig(plan, {GetParam(), static_cast<uint64_t>(stages)});
      expectAgreement(plan, {inScratch(true), {}}, rig.contestant());
      rig.expectNothingBroken();
    }
}

TEST_P(CudaAgreement, productsOfTheLibraryLeaveTheBytesOfTheCpu) {
  for (uint64_t seed : {2, 4, 5}) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const plan::Plan plan = planOf(seed);
    Rig rig(plan, {.policy = GetParam(), .seed = seed, .products = CudaProducts::Library});
    const int64_t before = SimBlasLt::products();
    expectAgreement(plan, {inScratch(true), {}}, rig.contestant());
    rig.expectNothingBroken();
    EXPECT_EQ(SimBlasLt::leftovers(), "");
    EXPECT_GT(SimBlasLt::products(), before);
  }
}

INSTANTIATE_TEST_SUITE_P(Policies, CudaAgreement, testing::ValuesIn(kSimPolicies));

TEST(CudaAgreement, theReferenceExecutorLeavesTheBytesOfTheCpu) {
  for (uint64_t seed : {2, 4, 7}) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const plan::Plan plan = planOf(seed);
    Rig rig(plan, {SimPolicy::Lazy, seed});
    expectAgreement(plan, {inScratch(true), {}}, rig.contestant(true));
    rig.expectNothingBroken();
  }
}

TEST(CudaAgreement, itsCodeLeavesTheSameBytesOnBothExecutors) {
  for (SimPolicy policy : kSimPolicies) {
    const plan::Plan plan = makeSyntheticPlan({.seed = 4, .ranks = 2, .microBatches = 2, .layers = 2});
    Rig rig(plan, {.policy = policy, .loader = ptxLoader(1)});
    expectAgreement(plan, rig.contestant(true), rig.contestant(false));
    rig.expectNothingBroken();
  }
}

TEST(CudaAgreement, severalThreadsPerRankLeaveTheSameBytes) {
  plan::Plan plan = makeSyntheticPlan({.seed = 6, .ranks = 2, .microBatches = 2, .layers = 3});
  plan.training.threadsPerRank = 2;
  Rig rig(plan, {SimPolicy::Random, 6});
  expectAgreement(plan, {inScratch(true), {}}, rig.contestant());
  rig.expectNothingBroken();
}

TEST(CudaAgreement, itsInstructionsStandInTheTraceOneAfterAnother) {
  for (SimPolicy policy : kSimPolicies) {
    Rig rig(planOf(5), {policy, 5});
    const plan::Plan &plan = rig.cuda.plan;
    Contestant contestant = rig.contestant();
    contestant.options.recordTrace = true;
    auto executor = open(plan, contestant);
    ASSERT_TRUE(executor);
    initialise(plan, *executor);
    TestHost host(plan.ranks());
    ASSERT_TRUE(executor->run(plan::Purpose::Train, host));
    std::map<int64_t, double> ends; ///< the last end on the lane, by rank
    int64_t launches = 0;
    for (const TraceEvent &event : executor->trace()) {
      const plan::Section &section = programOf(plan, event.rank).sections[event.section];
      if (section.instructions[event.instruction].lane != plan::Lane::Compute)
        continue;
      ++launches;
      EXPECT_LE(event.start, event.end);
      EXPECT_GE(event.start, ends[event.rank]);
      ends[event.rank] = event.end;
    }
    EXPECT_GT(launches, 0);
  }
}

} // namespace
