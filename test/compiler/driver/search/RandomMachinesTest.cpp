// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// On any machine, within the accuracy of the simulator: the plan is no slower than any named strategy, with
// and without recomputation; none is faster than the bound that the recorded gap implies; and more memory or
// a faster link makes no plan slower. Machines are drawn from seeds, so that a failure can be repeated.
#include "compiler/driver/Compile.h"
#include "runtime/plan/Reasons.h"
#include "test/compiler/driver/search/RandomMachine.h"
#include "test/support/Folders.h"
#include "test/support/TestTarget.h"
#include <gtest/gtest.h>

using namespace windlass;
using namespace windlass::test;

namespace {

constexpr const char *kNames[] = {
    "data-parallel",     "zero-1", "zero-2", "zero-3", "zero-offload", "zero-3-offload", "zero-infinity-cpu",
    "zero-infinity-nvme"};
/// Seconds are known to one part in 200.
constexpr double kNearly = 0.005;
constexpr double kMonotone = 0.02;

class RandomMachines : public ::testing::TestWithParam<uint32_t> {
protected:
  RandomMachines() : draw(GetParam()), job(tinyGpt2(draw.below(2) ? 4 : 2, 1)) {
    job.training.erase("zero_stage");
    job.training.erase("recompute");
    job.hardware = drawMachine(draw, job.training["parallel"]["data"]);
  }

  /// Returns nothing if no plan fits.
  static std::optional<plan::Plan> planned(const Job &job, const std::string &recompute = "") {
    TemporaryFolder folder;
    CompileRequest request;
    request.model = folder.write("config.json", job.model.dump());
    request.training = folder.write("training.json", job.training.dump());
    request.hardware = folder.write("machine.json", job.hardware.dump());
    request.strategy = job.strategy;
    request.recompute = recompute;
    request.targetCpu = testTarget();
    Result<plan::Plan> plan = compile(request);
    EXPECT_TRUE(plan || plan.status().code() == ExitCode::CannotFit || !job.strategy.empty())
        << plan.status().message();
    return plan ? std::optional(plan.take()) : std::nullopt;
  }

  Draw draw;
  Job job;
};

/// If the plan keeps a choice of activations, its reason has the bytes that they take.
void expectKeptBytes(const plan::Plan &plan) {
  const plan::Trial *taken = plan::takenTrial(whyOf(plan, "recompute"));
  ASSERT_TRUE(taken);
  EXPECT_EQ(json::parse(plan.strategy)["recompute"].is_object(),
            plan::has(taken->figures, plan::Figure::KeptBytes))
      << plan.strategy;
}

class NamedOnRandomMachines : public RandomMachines {};

TEST_P(NamedOnRandomMachines, areNoFasterThanThePlan) {
  std::optional<plan::Plan> best = planned(job);
  ASSERT_TRUE(best) << "no plan fits, so that the seed tests nothing";
  expectKeptBytes(*best);
  const plan::Reason &why = whyOf(*best, "strategy");
  ASSERT_TRUE(plan::has(why.figures, plan::Figure::Gap));
  const double least = best->prediction.stepSeconds / (1 + plan::realOf(why.figures, plan::Figure::Gap));
  for (const char *name : kNames)
    for (const char *recompute : {"none", "full"}) {
      Job named = job;
      named.strategy = name;
      if (std::optional<plan::Plan> plan = planned(named, recompute)) {
        EXPECT_LE(best->prediction.stepSeconds, plan->prediction.stepSeconds * (1 + kNearly))
            << name << ", recompute " << recompute << "\n"
            << job.hardware.dump();
        EXPECT_LE(least, plan->prediction.stepSeconds * (1 + 1e-6)) << name << ", recompute " << recompute;
      }
    }
}

/// A machine that is better in one respect has a plan that is no slower.
TEST_P(RandomMachines, haveNoSlowerPlansWithMore) {
  std::optional<plan::Plan> plan = planned(job);
  ASSERT_TRUE(plan) << "no plan fits, so that the seed tests nothing";
  const json roomy = roomyMachine(job.training["parallel"]["data"]);
  const std::pair<const char *, json> kBetter[] = {
      {"device", {{"device", {{"capacity", "8MiB"}}}}},
      {"host", {{"host", roomy["host"]}}},
      {"disk", {{"nvme", {{"read", "20GB/s"}, {"write", "20GB/s"}}}}},
      {"link", {{"links", {{"cg", {{"in", "40GB/s"}, {"out", "40GB/s"}}}}}}},
      {"ranks' link", {{"links", {{"gg", {{"bandwidth", "40GB/s"}}}}}}}};
  for (const auto &[what, patch] : kBetter) {
    Job better = job;
    better.hardware.merge_patch(patch);
    std::optional<plan::Plan> faster = planned(better);
    ASSERT_TRUE(faster) << what;
    EXPECT_LE(faster->prediction.stepSeconds, plan->prediction.stepSeconds * (1 + kMonotone))
        << what << "\n"
        << job.hardware.dump();
  }
}

// Each seed of the first suite makes sixteen plans of named strategies, each with its own search.
INSTANTIATE_TEST_SUITE_P(Seeds, NamedOnRandomMachines, ::testing::Values(2u, 4u, 6u, 7u));
INSTANTIATE_TEST_SUITE_P(Seeds, RandomMachines, ::testing::Range(1u, 8u));

} // namespace
