// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "planning/Placement/PlacementRates.h"
#include "runtime/plan/Reasons.h"

#include "planning/Placement/PlacementSolver.h"
#include <gtest/gtest.h>

using namespace windlass;
using namespace windlass::planning;

namespace {

model::Machine machineWith(const std::string &nvmeRead) {
  return model::parseMachine(R"({"format": "windlass.hardware/1", "ranks": 4, "shared_cores": 2,
    "device": {"capacity": "12MiB", "flops": {"f32": 1e11}, "bandwidth": 2e10},
    "host": {"capacity": "32MiB", "bandwidth": 2e10, "adamw": "100Mparams/s"},
    "nvme": {"capacity": "8MiB", "write": "8GB/s", "latency": "1ms", "request_work": "100us", "read": ")" +
                                 nvmeRead + R"("},
    "links": {"cg": {"in": 1e10, "out": 1e9}, "gg": {"bandwidth": 1e10}}})",
                             "m.json")
      .take();
}

/// One tensor of moments, which may rest on the host, where parameters must then be fetched, or on NVMe.
PlacementProblem moments(const model::Machine &machine) {
  PlacementProblem problem;
  setRates(problem, machine);
  problem.capacity = {0, 1000, 1000};
  PlacementItem item{"h.0.moments", "moments", {}};
  item.cost[1].allowed = item.cost[2].allowed = true;
  item.cost[1].resident = {0, 1000, 0};
  item.cost[1].passes.cgIn = 50'000'000; // 10 ms
  item.cost[2].resident = {0, 0, 1000};
  item.cost[2].passes.ncIn = 10'000'000; // 10 ms at 4 GB/s among four ranks
  problem.items.push_back(item);
  return problem;
}

} // namespace

TEST(PlacementRates, LinksAreThoseOfOneRank) {
  PlacementProblem problem;
  setRates(problem, machineWith("4GB/s"));
  EXPECT_NEAR(problem.ncIn.bytesPerSecond, 1e9, 1);
  EXPECT_NEAR(problem.ncOut.bytesPerSecond, 2e9, 1);
  EXPECT_NEAR(problem.cgIn.bytesPerSecond, 5e9, 1); // of half a core
  EXPECT_EQ(problem.ncIn.quote, (plan::QuotedRate{"nvme.read", 4e9, "B", false}));
  EXPECT_EQ(problem.hostComputeQuote, (plan::QuotedRate{"host.bandwidth", 2e10, "B", false}));
  // A request of 1 MiB takes 1.05 ms to read at this rate, and 0.2 ms of half a core.
  const double reading = 2e-4 * 1e9 / (1 << 20);
  std::array<double, kResources> expected = {1, 1, 1, 1, reading, 2 * reading, 1, 0};
  for (size_t r = 0; r < kResources; ++r)
    EXPECT_NEAR(problem.sharedWeight[r], expected[r], 1e-9) << r;
}

TEST(PlacementRates, OneRateOfTheMachineDecidesAndIsQuoted) {
  PlacementSolution fast = solvePlacement(moments(machineWith("8GB/s"))).take();
  PlacementSolution slow = solvePlacement(moments(machineWith("2GB/s"))).take();
  EXPECT_EQ(fast.home[0], plan::Tier::Nvme);
  EXPECT_EQ(slow.home[0], plan::Tier::Host);
  const plan::Trial *disk = plan::findTrial(slow.why[0], "nvme");
  ASSERT_TRUE(disk);
  EXPECT_EQ(disk->price.rate, (plan::QuotedRate{"nvme.read", 2e9, "B", false}));
}
