// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Faults of every kind at every instruction of every section. Faults that the oracle proves harmless are
// counted. The checker must catch all others, and the message of a race must name two instructions that do
// race.
#include "runtime/plan/Layout.h"
#include "test/support/PlanMutations.h"
#include "test/support/Sections.h"
#include "test/support/SyntheticPlan.h"

#include <algorithm>
#include <gtest/gtest.h>

using namespace windlass;
using namespace windlass::plan;

namespace {

void breakSynthetic(test::SyntheticOptions options, test::FaultTallies &tallies) {
  options.scratchBytes = 1024; // the plans do not run, and the oracle walks every byte
  test::breakEverywhere(test::makeSyntheticPlan(options), "plan " + std::to_string(options.seed),
                        options.seed, tallies);
}

bool hasOpcode(const Plan &plan, Opcode op) {
  return std::any_of(
      plan.programs[0].sections.begin(), plan.programs[0].sections.end(), [&](const Section &section) {
        return std::any_of(section.instructions.begin(), section.instructions.end(),
                           [&](const Instruction &instruction) { return instruction.op == op; });
      });
}

TEST(CheckerMutation, EveryHarmfulFaultIsCaught) {
  test::FaultTallies tallies;
  // Seed, ranks, micro-batches, layers, NVMe depth. The seed decides where states rest.
  for (const test::SyntheticOptions &options :
       {test::SyntheticOptions{1, 1, 1, 2, 1}, test::SyntheticOptions{2, 2, 2, 2, 2},
        test::SyntheticOptions{3, 2, 3, 2, 2}, test::SyntheticOptions{4, 3, 3, 1, 3},
        test::SyntheticOptions{5, 4, 1, 3, 2}, test::SyntheticOptions{6, 1, 3, 3, 1},
        test::SyntheticOptions{7, 2, 3, 2, 4}, test::SyntheticOptions{8, 1, 4, 1, 2}})
    breakSynthetic(options, tallies);
  test::printTallies(tallies);
  for (const auto &[name, tally] : tallies)
    EXPECT_GT(tally.caught, 0) << name << " never did harm: it tests nothing";
  for (const char *race : {"dropped wait", "wait for an earlier ordinal", "memory reused too early",
                           "swapped buffer offsets", "wrong count of the previous section"})
    EXPECT_GT(tallies[race].named, 0) << race << " never was a race: it tests nothing";
  EXPECT_EQ(tallies["dropped wait"].named, tallies["dropped wait"].caught);
}

/// Plans with states that are copied along an axis of the mesh.
TEST(CheckerMutation, EveryHarmfulFaultIsCaughtWithReplicas) {
  test::FaultTallies tallies;
  for (test::SyntheticOptions options :
       {test::SyntheticOptions{21, 4, 1, 3, 2}, test::SyntheticOptions{22, 6, 2, 2, 1},
        test::SyntheticOptions{23, 4, 3, 2, 3}}) {
    options.replicas = 2;
    breakSynthetic(options, tallies);
  }
  test::printTallies(tallies);
  EXPECT_GT(tallies["wrong axes"].caught, 20);
  for (const auto &[name, tally] : tallies)
    EXPECT_GT(tally.caught, 0) << name << " never did harm: it tests nothing";
}

/// Plans with a sample section, states of one rank, 16 bits and generated kernels.
TEST(CheckerMutation, EveryHarmfulFaultIsCaughtWithOwnersHalvesAndSamples) {
  test::FaultTallies tallies;
  for (test::SyntheticOptions options :
       {test::SyntheticOptions{11, 2, 1, 3, 2}, test::SyntheticOptions{12, 3, 2, 2, 1},
        test::SyntheticOptions{16, 2, 3, 3, 2}, test::SyntheticOptions{14, 2, 1, 3, 3}}) {
    options.sample = options.owners = options.generated = true;
    const Plan plan = test::makeSyntheticPlan(options);
    ASSERT_TRUE(test::sectionNamed(plan, "sample"));
    EXPECT_TRUE(hasOwners(plan.programs[0])) << "choose a seed that gives a layer an owner: " << options.seed;
    for (Opcode op : {Opcode::Broadcast, Opcode::Reduce})
      EXPECT_TRUE(hasOpcode(plan, op)) << options.seed;
    EXPECT_TRUE(std::any_of(plan.kernels.begin(), plan.kernels.end(),
                            [](const Kernel &kernel) { return kernel.kind == KernelKind::Generated; }));
    breakSynthetic(options, tallies);
  }
  test::printTallies(tallies);
  for (const auto &[name, tally] : tallies)
    EXPECT_GT(tally.caught, 0) << name << " never did harm: it tests nothing";
}

} // namespace
