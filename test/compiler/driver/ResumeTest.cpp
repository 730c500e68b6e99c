// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A checkpoint of one plan continues under another plan: bit for bit on an equal numerics record, under all
// decisions; and with equal states, step and data position on another number of ranks.
#include "runtime/training/checkpoint/Checkpoint.h"
#include "test/support/MeshJobs.h"
#include <filesystem>
#include <gtest/gtest.h>

using namespace windlass;
using namespace windlass::test;

namespace {

constexpr const char *kFiles[] = {"/model.safetensors", "/optimizer.safetensors"};

void copyCheckpoints(const std::string &from, const std::string &to) {
  std::filesystem::create_directories(to);
  std::filesystem::copy(from + "/checkpoints", to + "/checkpoints", std::filesystem::copy_options::recursive);
}

/// A step has four samples on any number of ranks. With dropout, the masks of a step must not depend on the
/// step at which a run began.
Job jobOn(int64_t ranks, const std::string &compute) {
  Job job = tinyGpt2(ranks, 2, 2 / ranks).with({{"precision", {{"compute", compute}}}});
  job.model.update({{"embd_pdrop", 0.1}, {"attn_pdrop", 0.1}, {"resid_pdrop", 0.1}});
  return job;
}

/// The parameter is the type of computation: in bf16 states have fp32 masters, in fp32 they have none.
class Resume : public testing::TestWithParam<const char *> {};

TEST_P(Resume, goesOnBitForBitUnderEveryDecision) {
  const Job job = jobOn(2, GetParam());
  std::unique_ptr<Compiled> base = compileJob(job);
  ASSERT_TRUE(base);
  EXPECT_EQ(tiersOf(base->plan, plan::BufferClass::Master).empty(), GetParam() == std::string("fp32"));
  TemporaryFolder folder;
  const std::string straight = runTo(*base, 4, folder / "straight");
  runTo(*base, 2, folder / "first");
  const json nvme = {{"param", "host"}, {"grad", "nvme"}, {"moments", "nvme"}};
  const std::vector<json> patches = {json::object(),
                                     {{"zero_stage", 0}},
                                     {{"zero_stage", 1}},
                                     {{"placement", nvme}},
                                     {{"recompute", "full"}, {"zero_stage", 2}}};
  int number = 0;
  for (const json &patch : patches) {
    SCOPED_TRACE(patch.dump());
    std::unique_ptr<Compiled> other = compileJob(job.with(patch));
    ASSERT_TRUE(other);
    const std::string out = folder / ("then" + std::to_string(number++));
    copyCheckpoints(folder / "first", out);
    const std::string resumed = runTo(*other, 4, out);
    for (const char *file : kFiles)
      EXPECT_EQ(readText(resumed + file), readText(straight + file)) << file;
    EXPECT_EQ(readText(resumed + "/trainer_state.json"), readText(straight + "/trainer_state.json"));
  }
}

/// Saves a checkpoint of one plan after two steps. Expects that the other plan reads equal states from it,
/// and goes on from it.
void expectEqualStates(const Compiled &saving, const Compiled &reading) {
  TemporaryFolder folder;
  const std::string saved = runTo(saving, 2, folder / "saving");
  std::unique_ptr<Executor> executor = openExecutor(reading, reading.plan);
  ASSERT_TRUE(executor);
  StateStream states(reading.plan, *executor);
  ASSERT_TRUE(loadCheckpoint(saved, reading.plan, states));
  Result<TrainerState> trainer = readTrainerState(saved + "/trainer_state.json");
  ASSERT_TRUE(trainer);
  EXPECT_EQ(trainer->step, 2);
  EXPECT_EQ(trainer->dataPosition, 8);
  std::filesystem::create_directories(folder / "again");
  ASSERT_TRUE(writeCheckpoint(folder / "again", reading.plan, states, *trainer));
  for (const char *file : kFiles)
    EXPECT_EQ(readText(folder / "again" + file), readText(saved + file)) << file;
  copyCheckpoints(folder / "saving", folder / "reading");
  Result<TrainerState> after =
      readTrainerState(runTo(reading, 3, folder / "reading") + "/trainer_state.json");
  ASSERT_TRUE(after);
  EXPECT_EQ(after->step, 3);
  EXPECT_EQ(after->dataPosition, 12);
}

TEST_P(Resume, onOtherRanksStatesStepAndPositionAreEqual) {
  std::unique_ptr<Compiled> two = compileJob(jobOn(2, GetParam())),
                            one = compileJob(jobOn(1, GetParam()).with({{"zero_stage", 0}}));
  ASSERT_TRUE(two && one);
  {
    SCOPED_TRACE("from two ranks to one");
    expectEqualStates(*two, *one);
  }
  {
    SCOPED_TRACE("from one rank to two");
    expectEqualStates(*one, *two);
  }
}

INSTANTIATE_TEST_SUITE_P(Compute, Resume, testing::Values("fp32", "bf16"));

TEST(ResumeTest, samplesTheSameTextUnderEveryPlan) {
  // A sample is one text, although a micro-batch has several rows.
  std::unique_ptr<Compiled> base = compileJob(tinyGpt2(2, 1, 2));
  std::unique_ptr<Compiled> other = compileJob(tinyGpt2(2, 1, 2).with({{"zero_stage", 0}}));
  ASSERT_TRUE(base && other);
  TemporaryFolder folder;
  const std::string early = runTo(*base, 2, folder / "out"), late = runTo(*base, 6, folder / "out");
  const std::string text = sampleOf(*base, folder / "out", "auto");
  EXPECT_EQ(sampleOf(*base, folder / "out", late), text);
  EXPECT_EQ(sampleOf(*other, folder / "elsewhere", late), text);
  EXPECT_NE(sampleOf(*base, folder / "elsewhere", early), text);
}

} // namespace
