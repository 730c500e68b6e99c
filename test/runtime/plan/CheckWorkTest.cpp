// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The work of a check grows about as the number of instructions.
#include "runtime/plan/Layout.h"
#include "runtime/plan/check/Checker.h"
#include "test/support/SyntheticPlan.h"

#include <gtest/gtest.h>
#include <map>

using namespace windlass;
using namespace windlass::plan;

namespace {

/// Puts copies of a plan side by side, each with its own bytes and states. A copy waits for its own part of
/// the longer lanes. Waits for a previous section are for the last copy there.
void repeat(Plan &plan, uint32_t copies) {
  const Plan once = plan;
  std::vector<LaneCounts> counts;
  for (const Section &section : once.programs[0].sections)
    counts.push_back(laneCounts(section));
  for (Section &section : plan.programs[0].sections)
    for (Instruction &instruction : section.instructions)
      for (Wait &wait : instruction.waits)
        for (auto &[before, count] : wait.previous)
          count += (copies - 1) * at(counts[before], wait.lane);
  for (uint32_t copy = 1; copy < copies; ++copy) {
    const uint32_t first = static_cast<uint32_t>(plan.programs[0].buffers.size());
    for (Buffer buffer : once.programs[0].buffers) {
      buffer.offset += copy * arenaOf(once.programs[0], buffer.tier)->bytes;
      plan.programs[0].buffers.push_back(buffer);
    }
    for (std::vector<State> Program::*states : {&Program::states, &Program::gradients})
      for (State state : once.programs[0].*states) {
        state.name = state.unit += "." + std::to_string(copy);
        state.home.buffer += first;
        (plan.programs[0].*states).push_back(state);
      }
    for (size_t s = 0;
         s < once.programs[0].sections.size() && once.programs[0].sections[s].name != "evaluate"; ++s)
      for (Instruction instruction : once.programs[0].sections[s].instructions) {
        if (instruction.item == "loss") // only the first copy reports the loss
          instruction.item = "grad_norm";
        LaneCounts ordinals{};
        for (size_t lane = 0; lane < kLanes; ++lane)
          ordinals[lane] = copy * counts[s][lane];
        for (const Wait &wait : instruction.waits)
          at(ordinals, wait.lane) += wait.ordinal;
        at(ordinals, instruction.lane) = 0;
        instruction.waits.clear();
        for (size_t lane = 0; lane < kLanes; ++lane)
          if (ordinals[lane])
            instruction.waits.push_back({static_cast<Lane>(lane), ordinals[lane], {}});
        for (Operand &operand : instruction.operands)
          operand.buffer += first;
        plan.programs[0].sections[s].instructions.push_back(instruction);
      }
  }
  for (Arena &arena : plan.programs[0].arenas)
    arena.bytes = arena.capacity = arena.bytes * copies;
}

/// The work of checking a plan of at least this number of instructions.
int64_t workOfChecking(size_t instructions) {
  Plan plan = test::makeSyntheticPlan({5, 2, 3, 4, 2});
  size_t once = 0, all = 0;
  for (const Section &section : plan.programs[0].sections)
    once += section.name == "evaluate" ? 0 : section.instructions.size();
  repeat(plan, static_cast<uint32_t>(instructions / once + 1));
  for (const Section &section : plan.programs[0].sections)
    all += section.instructions.size();
  EXPECT_GE(all, instructions);
  const Examination found = examine(plan);
  EXPECT_EQ(found.faults, std::vector<std::string>());
  EXPECT_GT(found.looked, static_cast<int64_t>(all)) << "every instruction is looked at, and its operands";
  return found.looked;
}

/// A quadratic check would have a hundred times the work.
TEST(Checker, tenTimesTheInstructionsAreAboutTenTimesTheWork) {
  const int64_t few = workOfChecking(2'000), many = workOfChecking(20'000);
  EXPECT_LT(many, 11 * few);
}

} // namespace
