// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Mutations of a compiled plan: the checker catches each one that does harm, and names two racing
// instructions in the error of a race. test/runtime/plan/CheckerMutationTest.cpp mutates synthetic plans at
// every instruction.
#include "test/support/PlanMutations.h"
#include "runtime/plan/Enums.h"
#include "runtime/plan/Layout.h"
#include "test/support/EndToEnd.h"
#include "test/support/Sections.h"
#include <algorithm>
#include <gtest/gtest.h>

using namespace windlass;
using namespace windlass::test;

namespace {

/// One block, hidden size 16, sequences of 8: the oracle walks every byte. The plan uses all tiers and most
/// lanes.
Job smallestGpt2(const std::string &compute) {
  Job job = tinyGpt2(2, 3);
  job.model.merge_patch({{"n_layer", 1}, {"n_embd", 16}, {"n_positions", 8}, {"vocab_size", 32}});
  json placed = {{"param", "nvme"}, {"grad", "host"}, {"moments", "nvme"}};
  if (compute == "bf16")
    placed = {{"param", "device"}, {"master", "nvme"}, {"grad", "host"}, {"moments", "host"}};
  return job.with({{"sequence", 8},
                   {"precision", {{"compute", compute}}},
                   {"placement", placed},
                   {"micro_batch_order", "horizontal"},
                   {"validation", {{"fraction", 0.1}}}});
}

class PlanMutations : public ::testing::TestWithParam<const char *> {};

TEST_P(PlanMutations, everyHarmfulFaultOfACompiledPlanIsCaught) {
  std::unique_ptr<Compiled> compiled = compileJob(smallestGpt2(GetParam()));
  ASSERT_TRUE(compiled);
  const plan::Plan &plan = compiled->plan;
  for (const char *name : {"first", "middle", "last", "evaluate", "sample"})
    ASSERT_TRUE(sectionNamed(plan, name)) << name;
  EXPECT_TRUE(std::any_of(plan.kernels.begin(), plan.kernels.end(), [](const plan::Kernel &kernel) {
    return kernel.kind == plan::KernelKind::Generated;
  }));
  FaultTallies tallies;
  breakEverywhere(plan, GetParam(), 1, tallies, 16);
  printTallies(tallies);
  for (const char *kind : {"dropped wait", "memory reused too early", "shortened buffer", "shortened operand",
                           "moved earlier", "wrong piece"})
    EXPECT_GT(tallies[kind].caught, 0) << kind << " never did harm: it tests nothing";
  EXPECT_EQ(tallies["dropped wait"].named, tallies["dropped wait"].caught);
}

INSTANTIATE_TEST_SUITE_P(Plans, PlanMutations, ::testing::Values("fp32", "bf16"),
                         [](const auto &info) { return std::string(info.param); });

} // namespace
