// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A plan's memory is exact: a run touches nothing outside the planned intervals, and writes everything
// inside.
#include "runtime/plan/Enums.h"
#include "runtime/plan/InstructionTable.h"
#include "runtime/plan/Layout.h"
#include "runtime/plan/check/Checker.h"
#include "test/support/Canaries.h"
#include "test/support/EndToEnd.h"
#include <algorithm>
#include <fstream>
#include <gtest/gtest.h>

using namespace windlass;
using namespace windlass::test;
using plan::BufferClass;
using plan::Opcode;
using plan::Tier;

namespace {

//===----------------------------------------------------------------------===//
// Canaries
//===----------------------------------------------------------------------===//

/// The job uses all tiers and lanes, and runs the sections first, middle, last, evaluate and sample.
Job everywhereJob(const std::string &compute) {
  json placed = {{"param", "nvme"}, {"grad", "host"}, {"moments", "nvme"}, {"checkpoint", "host"}};
  if (compute != "fp32")
    placed = {{"param", "device"},
              {"grad", "nvme"},
              {"master", "nvme"},
              {"moments", "host"},
              {"checkpoint", "nvme"}};
  return tinyGpt2(2, 3).with({{"precision", {{"compute", compute}}},
                              {"recompute", "full"},
                              {"placement", placed},
                              {"validation", {{"fraction", 0.1}}}});
}

class Canary : public ::testing::TestWithParam<const char *> {};

TEST_P(Canary, nothingElseIsTouchedAndEverythingIsWritten) {
  std::unique_ptr<Compiled> compiled = compileJob(everywhereJob(GetParam()));
  ASSERT_TRUE(compiled);
  ASSERT_EQ(compiled->plan.programs[0].arenas.size(), 3u);
  expectOnlyPlannedBytes(*compiled);
}

/// Marks the bytes that instructions and the loading of states write, buffer by buffer, since buffers that
/// share bytes would hide a gap.
TEST_P(Canary, everyBufferIsWrittenWhole) {
  std::unique_ptr<Compiled> compiled = compileJob(everywhereJob(GetParam()));
  ASSERT_TRUE(compiled);
  const plan::Plan &plan = compiled->plan;
  std::vector<std::vector<char>> written;
  for (const plan::Buffer &buffer : plan.programs[0].buffers)
    written.emplace_back(buffer.bytes, false);
  for (const plan::State &state : plan.programs[0].states)
    std::fill(written[state.home.buffer].begin(), written[state.home.buffer].end(), true);
  for (const plan::Section &section : plan.programs[0].sections)
    for (const plan::Instruction &instruction : section.instructions)
      for (size_t i = 0; i < instruction.operands.size(); ++i)
        if (const plan::Operand &operand = instruction.operands[i];
            plan::writes(accessOf(plan, instruction, i)))
          for (int64_t rank = 0; rank < plan.ranks(); ++rank)
            std::fill_n(written[operand.buffer].begin() + plan::bufferOffset(plan, operand, rank),
                        operand.bytes, true);
  for (size_t i = 0; i < written.size(); ++i)
    if (plan.programs[0].buffers[i].cls != BufferClass::Workspace)
      EXPECT_TRUE(std::all_of(written[i].begin(), written[i].end(), [](char byte) { return byte; }))
          << plan.programs[0].buffers[i].name << " of " << plan.programs[0].buffers[i].bytes << " bytes in "
          << plan::textOf(plan.programs[0].buffers[i].tier);
}

TEST_P(Canary, anArenaOneByteSmallerIsRefused) {
  std::unique_ptr<Compiled> compiled = compileJob(everywhereJob(GetParam()));
  ASSERT_TRUE(compiled);
  ASSERT_TRUE(plan::checkPlan(compiled->plan));
  for (size_t i = 0; i < compiled->plan.programs[0].arenas.size(); ++i) {
    plan::Plan smaller = compiled->plan;
    --smaller.programs[0].arenas[i].bytes;
    EXPECT_FALSE(plan::checkPlan(smaller)) << plan::textOf(smaller.programs[0].arenas[i].tier);
  }
}

INSTANTIATE_TEST_SUITE_P(Plans, Canary, ::testing::Values("fp32", "bf16", "fp16"),
                         [](const auto &info) { return std::string(info.param); });

//===----------------------------------------------------------------------===//
// Resident memory
//===----------------------------------------------------------------------===//

/// "VmHWM" or "VmRSS" of this process, in bytes.
int64_t residentBytes(const std::string &key) {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;)
    if (int64_t kib = 0; word == key + ":" && status >> kib)
      return kib << 10;
  return 0;
}

TEST(Resident, memoryStaysWithinTheArenasAndALittle) {
  std::unique_ptr<Compiled> compiled = compileJob(everywhereJob("fp32"));
  ASSERT_TRUE(compiled);
  std::ofstream("/proc/self/clear_refs") << "5"; // resets the peak, if the system permits
  const int64_t before = std::max(residentBytes("VmRSS"), residentBytes("VmHWM"));
  ASSERT_GT(before, 0);
  train(*compiled);
  int64_t arenas = 0;
  for (const plan::Arena &arena : compiled->plan.programs[0].arenas)
    arenas += arena.tier == Tier::Nvme ? 0 : arena.bytes * compiled->plan.ranks();
  EXPECT_LE(residentBytes("VmHWM") - before, arenas + (96 << 20));
}

} // namespace
