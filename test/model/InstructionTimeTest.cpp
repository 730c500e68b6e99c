// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "model/InstructionTime.h"
#include "runtime/plan/InstructionTable.h"

#include <gtest/gtest.h>

using namespace windlass;
using namespace windlass::model;

namespace {

TEST(InstructionTime, everyPhaseOfAKernelIsALaunch) {
  const Result<Machine> machine =
      parseMachine(R"({"format": "windlass.hardware/1", "backend": "cuda", "ranks": 1,
    "device": {"capacity": "1GiB", "flops": {"f32": 1e12}, "bandwidth": "20GB/s", "launch_overhead": "5us"},
    "host": {"capacity": "1GiB", "bandwidth": "20GB/s"}, "links": {"cg": {"in": "10GB/s", "out": "10GB/s"}}})",
                   "m.json");
  ASSERT_TRUE(machine) << machine.status().message();
  InstructionWork work{plan::Opcode::Launch, plan::Lane::Compute, /*bytes=*/20e9};
  EXPECT_DOUBLE_EQ(secondsOf(*machine, work), 1);
  work.phases = 2;
  EXPECT_DOUBLE_EQ(secondsOf(*machine, work), 1 + 5e-6) << "what the second adds up is little";
  work.bytes = 20;
  EXPECT_DOUBLE_EQ(secondsOf(*machine, work), 10e-6);
}

/// On a machine that has units only for some sizes, the time of a product is the same in a plan and in a
/// graph (RecomputeChoicesTest).
TEST(InstructionTime, productsOfOtherSizesGoAtTheRateOfF32) {
  const Result<Machine> machine = parseMachine(R"({"format": "windlass.hardware/1", "ranks": 1,
    "device": {"capacity": "1GiB", "flops": {"f32": 1e12, "f16": 8e12}, "bandwidth": "20GB/s", "matmul_multiple": 8},
    "host": {"capacity": "1GiB", "bandwidth": "20GB/s"}, "links": {"cg": {"in": "10GB/s", "out": "10GB/s"}}})",
                                               "m.json");
  ASSERT_TRUE(machine) << machine.status().message();
  InstructionWork work{plan::Opcode::Launch, plan::Lane::Compute, /*bytes=*/0, /*flops=*/8e12};
  for (auto [divisor, seconds] : {std::pair(16, 1.0), {12, 8.0}, {0, 1.0}}) {
    work.product = Product{plan::ElementType::F16, divisor};
    EXPECT_DOUBLE_EQ(secondsOf(*machine, work), seconds) << divisor;
  }
}

/// Every rank of a gather holds a quarter of the bytes already; a broadcast brings it all of them.
TEST(InstructionTime, broadcastsAndReductionsMoveWholeTensors) {
  const Result<Machine> machine = parseMachine(R"({"format": "windlass.hardware/1", "ranks": 4,
    "device": {"capacity": "1GiB", "flops": {"f32": 1e12}, "bandwidth": "20GB/s"},
    "host": {"capacity": "1GiB", "bandwidth": "20GB/s"},
    "links": {"cg": {"in": "10GB/s", "out": "10GB/s"}, "gg": {"bandwidth": "8GB/s", "latency": "1ms"}}})",
                                               "m.json");
  ASSERT_TRUE(machine) << machine.status().message();
  for (auto [op, seconds] : {std::pair(plan::Opcode::AllGather, 0.75),
                             {plan::Opcode::ReduceScatter, 0.75},
                             {plan::Opcode::Broadcast, 1.0},
                             {plan::Opcode::Reduce, 1.0}}) {
    InstructionWork work{op, plan::Lane::Gg, /*bytes=*/8e9};
    work.group = {4, 4};
    EXPECT_DOUBLE_EQ(secondsOf(*machine, work), seconds + 0.001) << plan::textOf(op);
    EXPECT_DOUBLE_EQ(bindingLinkOf(*machine, work).secondsPerByte, seconds / 8e9) << plan::textOf(op);
  }
}

} // namespace
