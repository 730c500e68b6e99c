// Seeded faults of every kind at every instruction of every section. What the
// oracle proves harmless is listed and counted; all the rest must be caught.
#include "PlanFaults.h"
#include "PlanOracle.h"
#include "runtime/plan/Checker.h"
#include "runtime/plan/InstructionName.h"
#include "runtime/plan/Layout.h"
#include "test/support/SyntheticPlan.h"

#include <gtest/gtest.h>
#include <map>

using namespace windlass;
using namespace windlass::plan;

namespace {

std::vector<std::vector<SectionKind>> ordersOf(const Plan &plan) {
  using enum SectionKind;
  int64_t microBatches = plan.training.microBatches;
  std::vector<SectionKind> step = microBatches == 1   ? std::vector{Only}
                                  : microBatches == 2 ? std::vector{First, Last}
                                                      : std::vector{First, Middle, Middle, Middle, Last};
  return {step, {Evaluate}};
}

struct Tally {
  int faults = 0, caught = 0, harmlessCaught = 0, harmlessPassed = 0;
};

std::string placeOf(const Plan &plan, size_t section, size_t instruction) {
  const Section &at = plan.sections[section];
  return std::string(textOf(at.kind)) + ": " +
         nameOf(at.instructions[instruction], laneOrdinals(at)[instruction]);
}

using Tallies = std::map<std::string_view, Tally>;

void judgeFault(const Plan &sound, uint64_t result, const Plan &broken, const std::string &what,
                Tally &tally) {
  test::Verdict verdict = test::judge(broken, ordersOf(sound));
  bool isHarmless = verdict.harm.empty() && verdict.result == result;
  bool isCaught = !findFaults(broken).empty();
  ++tally.faults;
  tally.caught += isCaught && !isHarmless;
  tally.harmlessCaught += isCaught && isHarmless;
  tally.harmlessPassed += !isCaught && isHarmless;
  if (!isCaught && isHarmless)
    std::printf("harmless: %s\n", what.c_str());
  EXPECT_TRUE(isCaught || isHarmless)
      << what << ": " << (verdict.harm.empty() ? "computes something else" : verdict.harm);
}

/// Every kind of fault at every instruction.
void breakEverywhere(test::SyntheticOptions options, Tallies &tallies) {
  options.scratchBytes = 1024; // nobody runs these plans, and the oracle walks every byte
  const Plan sound = test::makeSyntheticPlan(options);
  ASSERT_EQ(findFaults(sound), std::vector<std::string>());
  const test::Verdict right = test::judge(sound, ordersOf(sound));
  ASSERT_EQ(right.harm, "");
  std::mt19937_64 random(options.seed);
  for (const test::FaultKind &kind : test::faultKinds())
    for (size_t s = 0; s < sound.sections.size(); ++s)
      for (size_t i = 0; i < sound.sections[s].instructions.size(); ++i) {
        Plan broken = sound;
        if (kind.apply(broken, broken.sections[s], i, random))
          judgeFault(sound, right.result, broken,
                     "plan " + std::to_string(options.seed) + ", " + std::string(kind.name) + " at " +
                         placeOf(sound, s, i),
                     tallies[kind.name]);
      }
}

TEST(CheckerMutation, EveryHarmfulFaultIsCaught) {
  Tallies tallies;
  // seed, ranks, micro-batches, layers, NVMe depth; the seed decides where states rest
  for (const test::SyntheticOptions &options :
       {test::SyntheticOptions{1, 1, 1, 2, 1}, test::SyntheticOptions{2, 2, 2, 2, 2},
        test::SyntheticOptions{3, 2, 3, 2, 2}, test::SyntheticOptions{4, 3, 3, 1, 3},
        test::SyntheticOptions{5, 4, 1, 3, 2}, test::SyntheticOptions{6, 1, 3, 3, 1},
        test::SyntheticOptions{7, 2, 3, 2, 4}, test::SyntheticOptions{8, 1, 4, 1, 2}})
    breakEverywhere(options, tallies);

  std::printf("%-36s %7s %7s %9s %18s\n", "fault", "drawn", "caught", "harmless", "harmless, refused");
  for (const auto &[name, tally] : tallies) {
    std::printf("%-36s %7d %7d %9d %18d\n", std::string(name).c_str(), tally.faults, tally.caught,
                tally.harmlessPassed, tally.harmlessCaught);
    EXPECT_GT(tally.caught, 0) << name << " never did harm: it tests nothing";
  }
}

} // namespace
