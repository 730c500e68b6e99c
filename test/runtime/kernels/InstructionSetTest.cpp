// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/kernels/InstructionSet.h"
#include <gtest/gtest.h>

using namespace windlass;

TEST(InstructionSet, aTargetTheCpuLacksIsRefusedByName) {
  Status status = checkTargetCpu("x86-64-v4", [](std::string_view) { return false; });
  EXPECT_EQ(status.code(), ExitCode::CannotFit);
  EXPECT_EQ(status.message(), "this cpu does not run the plan's kernels: target cpu is 'x86-64-v4'");
}

TEST(InstructionSet, unknownTargetsAreRefused) {
  EXPECT_EQ(checkTargetCpu("x86-64-v99").code(), ExitCode::CannotFit);
}

TEST(InstructionSet, noTargetAsksForNothing) {
  EXPECT_TRUE(checkTargetCpu("", [](std::string_view) { return false; }));
}

TEST(InstructionSet, everyV4MachineIsAV3Machine) {
  EXPECT_TRUE(!cpuSupports("x86-64-v4") || cpuSupports("x86-64-v3"));
}
