// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The vertical order of micro-batches, layer by layer, gives the bits of the horizontal order. It fetches
// parameters once a step instead of once per micro-batch, and sends the sum of a gradient once. It is not
// chosen if it is no faster.
#include "runtime/plan/Layout.h"
#include "runtime/plan/Reasons.h"
#include "runtime/plan/check/Checker.h"
#include "test/support/Canaries.h"
#include "test/support/Sections.h"
#include <gtest/gtest.h>

using namespace windlass;
using namespace windlass::test;
using plan::Opcode;

namespace {

constexpr int64_t kMicroBatches = 3;

Job job(const json &patch, int64_t ranks = 2) {
  return tinyGpt2(ranks, kMicroBatches)
      .with({{"bucket", "64KiB"}, {"placement", {{"param", "device"}}}})
      .with(patch);
}

std::unique_ptr<Compiled> compileOrder(const Job &job, const std::string &order) {
  return compileJob(job.with({{"micro_batch_order", order}}));
}

/// The bytes that instructions of a step move. A section runs as often as the step has micro-batches of its
/// kind.
int64_t movedBytes(const plan::Plan &plan, const InstructionFilter &filter) {
  int64_t bytes = 0;
  for (const plan::Section *section : stepSections(plan))
    for (const plan::Instruction &instruction : section->instructions)
      bytes += filter(instruction) ? instruction.bytesMoved : 0;
  return bytes;
}

int64_t gatheredBytes(const plan::Plan &plan) {
  return movedBytes(plan, [](const plan::Instruction &instruction) {
    return (instruction.op == Opcode::AllGather || instruction.op == Opcode::Broadcast) &&
           instruction.origin.phase != plan::Phase::Update;
  });
}

struct Case {
  std::string name;
  Job job;
};

void PrintTo(const Case &testCase, std::ostream *out) { *out << testCase.name; }

std::vector<Case> cases() {
  std::vector<Case> all;
  for (int64_t zero : {0, 1, 2, 3})
    for (const char *recompute : {"none", "full"})
      all.push_back({"zero_" + std::to_string(zero) + "_" + recompute,
                     job({{"zero_stage", zero}, {"recompute", recompute}})});
  for (const char *tier : {"host", "nvme"}) {
    all.push_back({std::string("checkpoints_") + tier,
                   job({{"zero_stage", 3}, {"recompute", "full"}, {"placement", {{"checkpoint", tier}}}})});
    const json away = {{"param", tier}, {"grad", tier}, {"moments", tier}};
    all.push_back({std::string("states_") + tier, job({{"zero_stage", 3}, {"placement", away}})});
    all.push_back({std::string("owners_") + tier,
                   job({{"zero_stage", 3}, {"gather", "broadcast"}, {"placement", away}})});
    all.push_back({std::string("whole_") + tier, job({{"zero_stage", 2}, {"placement", away}})});
    all.push_back({std::string("bf16_") + tier, job({{"zero_stage", 3},
                                                     {"precision", {{"compute", "bf16"}}},
                                                     {"placement", {{"grad", tier}, {"master", tier}}}})});
    all.push_back({std::string("one_rank_") + tier, job({{"zero_stage", 3}, {"placement", away}}, 1)});
  }
  all.push_back(
      {"all_reduce", job({{"zero_stage", 1}, {"reduce", "all"}, {"placement", {{"grad", "host"}}}})});
  all.push_back(
      {"per_step", job({{"zero_stage", 1}, {"cadence", "step"}, {"placement", {{"grad", "host"}}}})});
  all.push_back({"tiles", job({{"zero_stage", 3}, {"tile", {{"limit", "16KiB"}}}})});
  all.push_back({"no_overlap", job({{"zero_stage", 3}, {"overlap", false}})});
  Job drops = job({{"zero_stage", 3}, {"recompute", "full"}});
  drops.model.update({{"embd_pdrop", 0.1}, {"attn_pdrop", 0.2}, {"resid_pdrop", 0.3}});
  all.push_back({"dropout", drops});
  return all;
}

class MicroBatchOrder : public ::testing::TestWithParam<Case> {};

TEST_P(MicroBatchOrder, changesNoBit) {
  std::unique_ptr<Compiled> horizontal = compileOrder(GetParam().job, "horizontal"),
                            vertical = compileOrder(GetParam().job, "vertical");
  ASSERT_TRUE(horizontal && vertical);
  ASSERT_EQ(vertical->plan.numerics, horizontal->plan.numerics);
  EXPECT_EQ(stepSections(horizontal->plan).size(), static_cast<size_t>(kMicroBatches));
  EXPECT_EQ(stepSections(vertical->plan).size(), 1u);
  const Outcome outcome = expectOnlyPlannedBytes(*vertical);
  expectSameBits(train(*horizontal), outcome);
  RunSettings reference;
  reference.executor.reference = true;
  expectSameBits(outcome, train(*vertical, reference));
}

INSTANTIATE_TEST_SUITE_P(Plans, MicroBatchOrder, ::testing::ValuesIn(cases()),
                         [](const auto &info) { return info.param.name; });

/// Every gather of a parameter, forward and backward, runs once instead of once in each micro-batch. The
/// number of sums over ranks is the same, as the numerics record fixes their order.
TEST(MicroBatchOrderWire, parametersAreGatheredOnceAStep) {
  for (const char *gather : {"allgather", "broadcast"}) {
    const Job base = job({{"zero_stage", 3}, {"recompute", "full"}, {"gather", gather}});
    std::unique_ptr<Compiled> horizontal = compileOrder(base, "horizontal"),
                              vertical = compileOrder(base, "vertical");
    ASSERT_TRUE(horizontal && vertical);
    EXPECT_GT(gatheredBytes(vertical->plan), 0);
    EXPECT_EQ(gatheredBytes(horizontal->plan), kMicroBatches * gatheredBytes(vertical->plan));
    auto reduces = [](const plan::Instruction &instruction) {
      return instruction.op == Opcode::ReduceScatter || instruction.op == Opcode::Reduce;
    };
    EXPECT_EQ(movedBytes(horizontal->plan, reduces), movedBytes(vertical->plan, reduces));
  }
}

/// All states rest on the host: parameters cross the link once per pass, and gradients once.
TEST(MicroBatchOrderWire, statesCrossTheHostsLinkOnceAStep) {
  const Job base =
      job({{"zero_stage", 3}, {"placement", {{"param", "host"}, {"grad", "host"}, {"moments", "host"}}}});
  std::unique_ptr<Compiled> horizontal = compileOrder(base, "horizontal"),
                            vertical = compileOrder(base, "vertical");
  ASSERT_TRUE(horizontal && vertical);
  auto duringPasses = [](Opcode op) {
    return [op](const plan::Instruction &instruction) {
      return instruction.op == op && instruction.origin.phase != plan::Phase::Update &&
             instruction.bytesMoved >= 4096; // leaves out scalars
    };
  };
  auto ofParameters = [&](const plan::Instruction &instruction) {
    return duringPasses(Opcode::Upload)(instruction) &&
           instruction.origin.what.find(".parameter") != std::string::npos;
  };
  EXPECT_EQ(movedBytes(horizontal->plan, ofParameters),
            kMicroBatches * movedBytes(vertical->plan, ofParameters));
  // In the home on the host, the first gradient is stored with its padding, and the others are added without
  // it.
  const int64_t leaves = movedBytes(vertical->plan, duringPasses(Opcode::Offload));
  EXPECT_LT(movedBytes(horizontal->plan, duringPasses(Opcode::Offload)), kMicroBatches * leaves);
  EXPECT_GT(movedBytes(horizontal->plan, duringPasses(Opcode::Offload)), (kMicroBatches - 1) * leaves);
}

json recordOf(const plan::Plan &plan) { return json::parse(plan.strategy); }

const plan::Reason &whyOf(const plan::Plan &plan) { return test::whyOf(plan, "micro_batch_order"); }

/// The rate of the link between ranks, slow or fast.
Job between(const std::string &rate) {
  Job open = job({{"zero_stage", 3}, {"recompute", "none"}});
  open.hardware["links"]["gg"]["bandwidth"] = rate;
  return open;
}

/// If two micro-batches change places, the plan is sound but its sums have other last bits. The checker finds
/// this.
TEST(MicroBatchOrderChecked, sumsInAnotherOrderAreFound) {
  std::unique_ptr<Compiled> vertical = compileOrder(job({{"zero_stage", 3}}), "vertical");
  ASSERT_TRUE(vertical);
  plan::Plan turned = vertical->plan;
  for (const plan::SectionRuns &runs : turned.programs[0].train)
    for (plan::Instruction &each : turned.programs[0].sections[runs.section].instructions)
      if (each.microBatch < 2)
        each.microBatch = 1 - each.microBatch;
  const std::vector<std::string> faults = plan::findFaults(turned);
  ASSERT_FALSE(faults.empty());
  EXPECT_NE(faults.front().find("takes gradients of micro-batch 0 behind those of micro-batch 1"),
            std::string::npos)
      << faults.front();
}

TEST(MicroBatchOrderAuto, isVerticalWhereThatIsFaster) {
  std::unique_ptr<Compiled> slow = compileJob(between("10MB/s"));
  ASSERT_TRUE(slow);
  EXPECT_EQ(recordOf(slow->plan)["micro_batch_order"], "vertical");
  EXPECT_EQ(whyOf(slow->plan).taken, "vertical");
  const plan::Trial *horizontal = plan::findTrial(whyOf(slow->plan), "horizontal");
  ASSERT_TRUE(horizontal);
  EXPECT_EQ(horizontal->outcome, plan::Outcome::Slower);
  Job given = between("10MB/s");
  given.strategy = slow->folder.write("strategy.json", slow->plan.strategy);
  std::unique_ptr<Compiled> again = compileJob(given);
  ASSERT_TRUE(again);
  EXPECT_EQ(again->plan.strategy, slow->plan.strategy);
  EXPECT_EQ(programText(again->plan), programText(slow->plan));
}

/// Gradients rest on a slow host, which in the horizontal order adds each micro-batch. In the vertical order
/// the device makes the sums.
TEST(MicroBatchOrderAuto, isVerticalWhereSumsWouldBeSlow) {
  Job job = biasFreeMlp({256, 256, 256}, 1, 8);
  job = job.with({{"zero_stage", 0}, {"placement", {{"grad", "host"}}}});
  job.hardware["host"]["bandwidth"] = "300MB/s";
  std::unique_ptr<Compiled> open = compileJob(job), vertical = compileOrder(job, "vertical");
  ASSERT_TRUE(open && vertical);
  EXPECT_EQ(json::parse(open->plan.strategy)["micro_batch_order"], "vertical");
  EXPECT_EQ(programText(open->plan), programText(vertical->plan));
}

TEST(MicroBatchOrderAuto, isHorizontalWhereNothingIsFetched) {
  std::unique_ptr<Compiled> whole = compileJob(job({{"zero_stage", 0}, {"placement", {{"grad", "device"}}}}));
  ASSERT_TRUE(whole);
  EXPECT_EQ(recordOf(whole->plan)["micro_batch_order"], "horizontal");
  EXPECT_EQ(whyOf(whole->plan), plan::Reason());
}

TEST(MicroBatchOrderAuto, isHorizontalWithOneMicroBatch) {
  std::unique_ptr<Compiled> one = compileOrder(tinyGpt2(2, 1), "vertical");
  ASSERT_TRUE(one);
  EXPECT_EQ(recordOf(one->plan)["micro_batch_order"], "horizontal");
}

/// With many micro-batches neither the plan nor the bound has an entry per micro-batch.
TEST(MicroBatchOrderAuto, isHorizontalWithManyMicroBatches) {
  std::unique_ptr<Compiled> many = compileJob(tinyGpt2(2, 16384));
  ASSERT_TRUE(many);
  EXPECT_EQ(recordOf(many->plan)["micro_batch_order"], "horizontal");
}

TEST(MicroBatchOrderAsked, isRefusedWhereThePlanWouldBeLong) {
  TemporaryFolder folder;
  Result<plan::Plan> plan = tryCompile(tinyGpt2(1, 65).with({{"micro_batch_order", "vertical"}}), folder);
  ASSERT_FALSE(plan);
  EXPECT_EQ(plan.status().code(), ExitCode::BadInput);
  EXPECT_NE(plan.status().message().find(
                "training.json: micro_batch_order \"vertical\" needs micro_batches of at most 64, not 65"),
            std::string::npos)
      << plan.status().message();
}

} // namespace
