// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/support/PlanMutations.h"
#include "runtime/plan/Layout.h"
#include "runtime/plan/SectionSchedule.h"
#include "runtime/plan/check/Checker.h"
#include "runtime/plan/text/InstructionName.h"
#include "test/support/PlanFaults.h"
#include "test/support/PlanOracle.h"

#include <algorithm>
#include <cstdio>
#include <gtest/gtest.h>

namespace windlass::test {
namespace {

using namespace windlass::plan;

/// After three runs of each section, every section has met each of its possible neighbours.
std::vector<std::vector<uint32_t>> ordersOf(const Plan &plan) {
  std::vector<std::vector<uint32_t>> orders;
  for (Purpose purpose : kPurposes) {
    std::vector<uint32_t> order;
    for (const SectionRun &run : unroll(plan.programs[0], purpose, 3))
      order.push_back(run.section);
    if (!order.empty())
      orders.push_back(order);
  }
  return orders;
}

std::string placeOf(const Plan &plan, size_t section, size_t instruction) {
  const Section &at = plan.programs[0].sections[section];
  return at.name + ": " + nameOf(at.instructions[instruction], laneOrdinals(at)[instruction]);
}

bool holds(const std::string &text, std::string_view part) { return text.find(part) != std::string::npos; }

/// The checker finds faults of order and contents by replaying a plan. All other messages are about its form.
bool isOfRace(const std::string &message) { return holds(message, " touch "); }
bool isOfContents(const std::string &message) {
  return holds(message, " reads ") || holds(message, " is overwritten by ");
}

bool names(const std::string &message, const Race &race) {
  const std::string &one = race.earlierSection, &other = race.laterSection;
  return message.starts_with(race.earlier + " and " + race.later + " touch ") &&
         (message.ends_with(" unordered, in section " + one + " and the following " + other) ||
          (one == other && message.ends_with(" unordered in section " + one)));
}

/// Whether the messages name two instructions that race. Every message about a race must be right.
bool namesARace(const std::vector<std::string> &messages, const Verdict &verdict, const std::string &what) {
  bool isNamed = false;
  for (const std::string &message : messages) {
    bool isTrue = std::any_of(verdict.races.begin(), verdict.races.end(),
                              [&](const Race &race) { return names(message, race); });
    EXPECT_EQ(isTrue, isOfRace(message)) << what << ": " << message;
    isNamed |= isTrue;
    bool namesWriter = holds(message, "written by ") || holds(message, "overwritten by ") ||
                       holds(message, "as scratch by ") || holds(message, "which nothing has written");
    EXPECT_TRUE(namesWriter || !isOfContents(message)) << what << ": " << message;
  }
  return isNamed;
}

void judgeFault(uint64_t result, const Plan &broken, const std::vector<std::vector<uint32_t>> &orders,
                const std::string &what, FaultTally &tally) {
  Verdict verdict = judge(broken, orders);
  bool isHarmless = verdict.harm.empty() && verdict.result == result;
  std::vector<std::string> messages = findFaults(broken);
  bool isCaught = !messages.empty();
  ++tally.faults;
  tally.caught += isCaught && !isHarmless;
  tally.harmlessCaught += isCaught && isHarmless;
  tally.harmlessPassed += !isCaught && isHarmless;
  if (!isCaught && isHarmless)
    std::printf("harmless: %s\n", what.c_str());
  EXPECT_TRUE(isCaught || isHarmless)
      << what << ": " << (verdict.harm.empty() ? "computes something else" : verdict.harm);
  bool isNamed = namesARace(messages, verdict, what);
  tally.named += isNamed;
  // The checker does not search a plan with faults of form for races.
  bool isOfForm = std::any_of(messages.begin(), messages.end(), [](const std::string &message) {
    return !isOfRace(message) && !isOfContents(message);
  });
  EXPECT_TRUE(isNamed || isOfForm || verdict.races.empty()) << what << ": names no race";
}

} // namespace

void breakEverywhere(const Plan &sound, const std::string &label, uint64_t seed, FaultTallies &tallies,
                     uint64_t oneIn) {
  ASSERT_EQ(findFaults(sound), std::vector<std::string>());
  const std::vector<std::vector<uint32_t>> orders = ordersOf(sound);
  const Verdict right = judge(sound, orders);
  ASSERT_EQ(right.harm, "");
  std::mt19937_64 random(seed);
  Plan broken = sound;
  for (const FaultKind &kind : faultKinds())
    for (size_t s = 0; s < sound.programs[0].sections.size(); ++s)
      for (size_t i = 0; i < sound.programs[0].sections[s].instructions.size(); ++i) {
        if (random() % oneIn != 0)
          continue;
        if (!kind.apply(broken, broken.programs[0].sections[s], i, random))
          continue;
        judgeFault(right.result, broken, orders,
                   label + ", " + std::string(kind.name) + " at " + placeOf(sound, s, i), tallies[kind.name]);
        broken = sound;
      }
}

void printTallies(const FaultTallies &tallies) {
  std::printf("%-36s %7s %7s %7s %9s %18s\n", "fault", "drawn", "caught", "named", "harmless",
              "harmless, refused");
  for (const auto &[name, tally] : tallies)
    std::printf("%-36s %7d %7d %7d %9d %18d\n", std::string(name).c_str(), tally.faults, tally.caught,
                tally.named, tally.harmlessPassed, tally.harmlessCaught);
}

} // namespace windlass::test
