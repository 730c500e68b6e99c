// A checkpoint of one plan continues under another: bit for bit on an equal record whatever was decided, and
// with equal states, step and data position on another number of ranks.
#include "runtime/training/Checkpoint.h"
#include "runtime/training/Run.h"
#include "test/support/EndToEnd.h"
#include <gtest/gtest.h>

using namespace windlass;
using namespace windlass::test;

namespace {

constexpr const char *kFiles[] = {"/model.safetensors", "/optimizer.safetensors"};

ExecutorFactory realExecutors() {
  return
      [](const plan::Plan &plan, const ExecutorOptions &options) { return Executor::create(plan, options); };
}

/// Trains up to `steps` in `out`, from the newest checkpoint there; the checkpoint it leaves.
std::string runTo(const Compiled &compiled, int64_t steps, const std::string &out) {
  RunOptions options;
  options.planFolder = compiled.planFolder();
  options.data = "synthetic:5";
  options.steps = steps;
  options.outFolder = out;
  options.quiet = true;
  Status status = runPlan(compiled.plan, options, realExecutors());
  EXPECT_TRUE(status) << status.message();
  char name[32];
  std::snprintf(name, sizeof name, "step-%08d", static_cast<int>(steps));
  return out + "/checkpoints/" + name;
}

void copyCheckpoints(const std::string &from, const std::string &to) {
  std::filesystem::create_directories(to);
  std::filesystem::copy(from + "/checkpoints", to + "/checkpoints", std::filesystem::copy_options::recursive);
}

/// Four samples a step on any number of ranks; what is dropped in a step must not depend on where a run
/// began.
Job jobOn(int64_t ranks) {
  Job job = tinyGpt2(ranks, 2, 2 / ranks);
  job.model.update({{"embd_pdrop", 0.1}, {"attn_pdrop", 0.1}, {"resid_pdrop", 0.1}});
  return job;
}

TEST(ResumeTest, goesOnBitForBitUnderEveryDecision) {
  std::unique_ptr<Compiled> base = compileJob(jobOn(2));
  ASSERT_TRUE(base);
  TemporaryFolder folder;
  const std::string straight = runTo(*base, 4, folder / "straight");
  runTo(*base, 2, folder / "first");
  const json nvme = {{"param", "host"}, {"grad", "nvme"}, {"moments", "nvme"}};
  const std::vector<json> patches = {
      json::object(), {{"zero_stage", 0}}, {{"placement", nvme}}, {{"recompute", "full"}, {"zero_stage", 2}}};
  int number = 0;
  for (const json &patch : patches) {
    SCOPED_TRACE(patch.dump());
    std::unique_ptr<Compiled> other = compileJob(jobOn(2).with(patch));
    ASSERT_TRUE(other);
    const std::string out = folder / ("then" + std::to_string(number++));
    copyCheckpoints(folder / "first", out);
    const std::string resumed = runTo(*other, 4, out);
    for (const char *file : kFiles)
      EXPECT_EQ(readText(resumed + file), readText(straight + file)) << file;
    EXPECT_EQ(readText(resumed + "/trainer_state.json"), readText(straight + "/trainer_state.json"));
  }
}

TEST(ResumeTest, onOtherRanksStatesStepAndPositionAreEqual) {
  std::unique_ptr<Compiled> two = compileJob(jobOn(2)), one = compileJob(jobOn(1).with({{"zero_stage", 0}}));
  ASSERT_TRUE(two && one);
  TemporaryFolder folder;
  const std::string saved = runTo(*two, 2, folder / "two");
  std::unique_ptr<Executor> executor = openExecutor(*one, one->plan);
  ASSERT_TRUE(executor);
  StateStream states(one->plan, *executor);
  ASSERT_TRUE(loadCheckpoint(saved, one->plan, states));
  Result<TrainerState> trainer = readTrainerState(saved + "/trainer_state.json");
  ASSERT_TRUE(trainer);
  EXPECT_EQ(trainer->step, 2);
  EXPECT_EQ(trainer->dataPosition, 8);
  std::filesystem::create_directories(folder / "again");
  ASSERT_TRUE(writeCheckpoint(folder / "again", one->plan, states, *trainer));
  for (const char *file : kFiles)
    EXPECT_EQ(readText(folder / "again" + file), readText(saved + file)) << file;
  copyCheckpoints(folder / "two", folder / "one");
  Result<TrainerState> after = readTrainerState(runTo(*one, 3, folder / "one") + "/trainer_state.json");
  ASSERT_TRUE(after);
  EXPECT_EQ(after->step, 3);
  EXPECT_EQ(after->dataPosition, 12);
}

/// What --sample prints, from a checkpoint: "auto" or a folder.
std::string sampleOf(const Compiled &compiled, const std::string &out, const std::string &checkpoint) {
  RunOptions options;
  options.planFolder = compiled.planFolder();
  options.outFolder = out;
  options.resume = checkpoint;
  options.quiet = true;
  options.sample = {"The windlass", 24, 1.0};
  testing::internal::CaptureStdout();
  Status status = runPlan(compiled.plan, options, realExecutors());
  const std::string text = testing::internal::GetCapturedStdout();
  EXPECT_TRUE(status) << status.message();
  EXPECT_EQ(text.size(), std::string("The windlass").size() + 24 + 1); // and the end of the line
  return text;
}

TEST(ResumeTest, samplesTheSameTextUnderEveryPlan) {
  // A sample is one text, whatever the rows of a micro-batch.
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
