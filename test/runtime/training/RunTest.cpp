// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/training/Run.h"

#include "runtime/training/checkpoint/CheckpointFolder.h"
#include "test/runtime/training/TemporaryFolder.h"
#include "test/runtime/training/ToyModel.h"
#include <gtest/gtest.h>
#include <unistd.h>

namespace windlass {
namespace {

class RunTest : public testing::Test {
protected:
  RunOptions options() {
    RunOptions options;
    options.data = "synthetic";
    options.outFolder = folder / "out";
    options.quiet = true;
    options.version = "test";
    return options;
  }
  Status run(const RunOptions &options) {
    return runPlan(plan, options, [&](const plan::Plan &p, const ExecutorOptions &given) {
      asked = given;
      return Result<std::unique_ptr<Executor>>(std::make_unique<FakeExecutor>(p));
    });
  }
  /// What a run that succeeds says on stderr.
  std::string notesOf(const RunOptions &options) {
    testing::internal::CaptureStderr();
    const Status status = run(options);
    EXPECT_TRUE(status.isOk()) << status.message();
    return testing::internal::GetCapturedStderr();
  }
  std::vector<int64_t> steps() { return CheckpointFolder(folder / "out/checkpoints").steps(); }

  TemporaryFolder folder;
  plan::Plan plan = toyPlan();
  ExecutorOptions asked;
};

TEST_F(RunTest, trainsTheStepsOfThePlanAndLeavesItsFiles) {
  RunOptions wanted = options();
  wanted.traceFile = folder / "trace.json";
  wanted.planFolder = "the.plan";
  wanted.executor.scratchFolder.clear();
  ASSERT_TRUE(run(wanted).isOk());
  EXPECT_EQ(steps(), (std::vector<int64_t>{10, 12}));
  EXPECT_TRUE(std::filesystem::exists(folder / "out/metrics.jsonl"));
  EXPECT_TRUE(std::filesystem::exists(folder / "trace.json"));
  EXPECT_EQ(asked.scratchFolder, wanted.outFolder);
  EXPECT_EQ(asked.kernelsFolder, "the.plan");
}

TEST_F(RunTest, goesOnWhereItStoppedAndCanStartAfresh) {
  RunOptions wanted = options();
  wanted.steps = 7;
  ASSERT_TRUE(run(wanted).isOk());
  wanted.steps = 9;
  ASSERT_TRUE(run(wanted).isOk());
  EXPECT_EQ(steps(), (std::vector<int64_t>{7, 9}));
  wanted.resume = "off";
  wanted.steps = 2;
  ASSERT_TRUE(run(wanted).isOk());
  EXPECT_EQ(steps(), std::vector<int64_t>{2});
  EXPECT_EQ(CheckpointFolder(folder / "out/checkpoints.1").steps(), (std::vector<int64_t>{7, 9}));
}

/// Two runs in one folder would be one curve of metrics, and checkpoints of the one would follow those of the
/// other.
TEST_F(RunTest, goingOnFromAnotherRunSetsTheEarlierOneAside) {
  RunOptions another = options();
  another.outFolder = folder / "another";
  another.seed = 7;
  another.steps = 5;
  ASSERT_TRUE(run(another).isOk());
  RunOptions wanted = options();
  wanted.steps = 4;
  ASSERT_TRUE(run(wanted).isOk());
  const std::string earlier = readText(folder / "out/metrics.jsonl"),
                    anothers = readText(folder / "another/metrics.jsonl");
  wanted.steps = 6;
  wanted.resume = folder / "another/checkpoints/step-00000005";
  const std::string notes = notesOf(wanted), source = std::filesystem::canonical(folder / "another");
  for (const std::string &part :
       {"note: the checkpoints of an earlier run were moved to " + folder / "out/checkpoints.1\n",
        "note: the metrics of an earlier run were moved to " + folder / "out/metrics.jsonl.1\n",
        "note: the metrics up to step 5 are those of " + source + "/metrics.jsonl\n"})
    EXPECT_NE(notes.find(part), std::string::npos) << part << " in " << notes;
  EXPECT_EQ(steps(), std::vector<int64_t>{6});
  EXPECT_EQ(CheckpointFolder(folder / "out/checkpoints.1").steps(), std::vector<int64_t>{4});
  EXPECT_EQ(readText(folder / "out/metrics.jsonl.1"), earlier);
  const std::string metrics = readText(folder / "out/metrics.jsonl");
  EXPECT_EQ(metrics.substr(0, anothers.size()), anothers);
  EXPECT_EQ(metrics.find("{\"step\":6,"), anothers.size());
  EXPECT_EQ(std::ranges::count(metrics, '\n'), 6);
  EXPECT_EQ(readText(folder / "another/metrics.jsonl"), anothers);
}

TEST_F(RunTest, aCheckpointWithoutMetricsBesideItBeginsThem) {
  RunOptions wanted = options();
  wanted.steps = 4;
  ASSERT_TRUE(run(wanted).isOk());
  std::filesystem::copy(folder / "out/checkpoints/step-00000004", folder / "alone");
  wanted.steps = 5;
  wanted.resume = folder / "alone";
  wanted.outFolder = folder / "new";
  EXPECT_EQ(notesOf(wanted),
            "note: the metrics begin after step 4: those up to it are not beside " + wanted.resume + "\n");
  EXPECT_EQ(readText(folder / "new/metrics.jsonl").find("{\"step\":5,"), 0u);
  std::filesystem::create_directory(folder / "checkpoints"); // beside metrics that another run has left
  std::filesystem::rename(folder / "alone", folder / "checkpoints/step-00000004");
  wanted.resume = folder / "checkpoints/step-00000004";
  folder.write("metrics.jsonl", "{\"step\":3,\"data_position\":12}\n");
  wanted.outFolder = folder / "newer";
  EXPECT_NE(notesOf(wanted).find("those up to it are not beside " + wanted.resume), std::string::npos);
  EXPECT_EQ(readText(folder / "newer/metrics.jsonl").find("{\"step\":5,"), 0u);
  wanted.outFolder = folder / "out";
  wanted.metricsFile = folder.write("named.jsonl", "{\"step\":4}\n{\"step\":5}\n"); // goes on as it was
  EXPECT_EQ(notesOf(wanted),
            "note: the checkpoints of an earlier run were moved to " + folder / "out/checkpoints.1\n");
  EXPECT_EQ(readText(wanted.metricsFile).find("{\"step\":4}\n{\"step\":5,\"loss\""), 0u);
}

TEST_F(RunTest, goingBackInOneRunKeepsItsMetrics) {
  RunOptions wanted = options();
  wanted.steps = 6;
  ASSERT_TRUE(run(wanted).isOk());
  wanted.resume = folder / "out/checkpoints/step-00000005/"; // as a shell completes it
  EXPECT_EQ(notesOf(wanted),
            "note: checkpoints of later steps were moved to " + folder / "out/checkpoints.1\n");
  EXPECT_EQ(steps(), (std::vector<int64_t>{5, 6}));
  const std::string metrics = readText(folder / "out/metrics.jsonl");
  EXPECT_EQ(std::ranges::count(metrics, '\n'), 6);
  EXPECT_FALSE(std::filesystem::exists(folder / "out/metrics.jsonl.1"));
}

TEST_F(RunTest, saysThatStepsBehindTheScheduleLearnNothing) {
  const std::string ended = "note: the schedule ends at step 12: later steps have the learning rate 0 and "
                            "change no parameter; for more steps compile with a larger \"steps\"\n";
  RunOptions wanted = options();
  EXPECT_EQ(notesOf(wanted), "");
  wanted.steps = 14; // the rate stays at a tenth
  EXPECT_EQ(notesOf(wanted), "");
  EXPECT_EQ(notesOf(wanted),
            "note: all 14 steps are done; go on with a larger --steps, or start afresh with --resume off\n");

  plan.training.minLearningRateRatio = 0;
  wanted.outFolder = folder / "falls";
  wanted.steps = 5;
  EXPECT_EQ(notesOf(wanted), "");
  EXPECT_EQ(notesOf(wanted),
            "note: all 5 steps are done; go on with a larger --steps, or start afresh with --resume off\n");
  wanted.steps = 12;
  EXPECT_EQ(notesOf(wanted), "");
  EXPECT_EQ(notesOf(wanted), "note: all 12 steps are done; the learning rate is 0 from here on: compile with "
                             "a larger \"steps\", or start afresh with --resume off\n");
  wanted.steps = 14;
  EXPECT_EQ(notesOf(wanted), ended);
}

TEST_F(RunTest, aDryRunWritesNothing) {
  RunOptions wanted = options();
  wanted.dryRun = true;
  wanted.outFolder = folder / "new/nested/out";
  wanted.executor.scratchFolder.clear();
  ASSERT_TRUE(run(wanted).isOk());
  EXPECT_EQ(asked.scratchFolder, wanted.outFolder) << "no executor was made";
  EXPECT_FALSE(std::filesystem::exists(folder / "new"));
  wanted.data.clear(); // checks only the plan and this machine
  EXPECT_TRUE(run(wanted).isOk());
  wanted = options();
  wanted.dryRun = true;
  wanted.traceFile = folder / "no/such/folder/trace.json";
  EXPECT_EQ(run(wanted).code(), ExitCode::BadInput);
  EXPECT_FALSE(std::filesystem::exists(folder / "out"));
}

/// The run checks the room on the disk first. Otherwise a user would wait minutes for gigabytes to be pinned
/// before the error.
TEST_F(RunTest, roomForACheckpointIsAskedForBeforeMemoryIsTaken) {
  std::vector<int64_t> &shape = plan.programs.front().states.front().shape;
  shape.assign(shape.size(), 1);
  shape.front() = int64_t{1} << 50;
  RunOptions wanted = options();
  wanted.planFolder = "the.plan";
  const Status status = run(wanted);
  EXPECT_EQ(status.code(), ExitCode::RunFailed);
  EXPECT_NE(status.message().find(" are free: make room"), std::string::npos) << status.message();
  EXPECT_EQ(asked.kernelsFolder, "") << "an executor was made";
}

TEST_F(RunTest, aDryRunLeavesAnEarlierRunAsItIs) {
  ASSERT_TRUE(run(options()).isOk());
  const std::string metrics = readText(folder / "out/metrics.jsonl");
  RunOptions wanted = options();
  wanted.dryRun = true;
  wanted.resume = "off";
  ASSERT_TRUE(run(wanted).isOk());
  EXPECT_EQ(readText(folder / "out/metrics.jsonl"), metrics);
  EXPECT_EQ(steps(), (std::vector<int64_t>{10, 12}));
  std::filesystem::resize_file(folder / "out/checkpoints/step-00000012/model.safetensors", 100);
  wanted.resume = folder / "out/checkpoints/step-00000012";
  EXPECT_EQ(run(wanted).code(), ExitCode::BadInput);
}

TEST_F(RunTest, wrongInputIsFoundBeforeAnythingIsWritten) {
  RunOptions wanted = options();
  wanted.data = folder / "nowhere";
  EXPECT_EQ(run(wanted).code(), ExitCode::BadInput);
  wanted = options();
  wanted.data.clear();
  EXPECT_EQ(run(wanted).code(), ExitCode::Usage);
  wanted = options();
  wanted.pace = "moon=1";
  EXPECT_EQ(run(wanted).code(), ExitCode::Usage);
  wanted = options();
  wanted.resume = folder / "nowhere";
  EXPECT_EQ(run(wanted).code(), ExitCode::BadInput);
  EXPECT_FALSE(std::filesystem::exists(folder / "out"));
}

TEST_F(RunTest, anUnwritableOutputIsWrongInput) {
  RunOptions wanted = options();
  wanted.outFolder = folder.write("file", "in the way") + "/out";
  EXPECT_EQ(run(wanted).code(), ExitCode::BadInput);
  wanted = options();
  wanted.traceFile = folder / "no/such/folder/trace.json";
  EXPECT_EQ(run(wanted).code(), ExitCode::BadInput);
}

/// A run is told even if it is to print nothing.
TEST_F(RunTest, gradientsThatNoStepHadAreAWarning) {
  plan = toyPlan({.gradients = true, .lossScale = {64, 100, 16}});
  RunOptions wanted = options();
  wanted.gradientsFile = folder / "gradients.safetensors";
  wanted.steps = 2;
  const auto warnings = [&](double largestScale) {
    testing::internal::CaptureStderr();
    EXPECT_TRUE(runPlan(plan, wanted, [&](const plan::Plan &p, const ExecutorOptions &) {
      auto executor = std::make_unique<FakeExecutor>(p);
      executor->largestScale = largestScale;
      return Result<std::unique_ptr<Executor>>(std::move(executor));
    }));
    return testing::internal::GetCapturedStderr();
  };
  EXPECT_EQ(warnings(8), "warning: --dump-gradients: every step was skipped, so " + wanted.gradientsFile +
                             " was not written\n");
  EXPECT_FALSE(std::filesystem::exists(wanted.gradientsFile));
  wanted.resume = "off";
  EXPECT_EQ(warnings(64).find("warning"), std::string::npos);
  EXPECT_TRUE(std::filesystem::exists(wanted.gradientsFile));
}

TEST_F(RunTest, samplesFromTheNewestCheckpoint) {
  ASSERT_TRUE(run(options()).isOk());
  RunOptions wanted = options();
  wanted.data.clear();
  wanted.sample = {"abc", 5, 0, 1};
  testing::internal::CaptureStdout();
  ASSERT_TRUE(run(wanted).isOk());
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "abcdefgh\n");
}

TEST_F(RunTest, aPaceReachesTheExecutor) {
  RunOptions wanted = options();
  wanted.pace = "nc_in=3GB/s";
  ASSERT_TRUE(run(wanted).isOk());
  EXPECT_NE(asked.pace, nullptr);
  wanted = options();
  wanted.resume = "off";
  ASSERT_TRUE(run(wanted).isOk());
  EXPECT_EQ(asked.pace, nullptr);
}

TEST_F(RunTest, oneFolderServesOneRunAtATime) {
  RunOptions wanted = options();
  const Status inner = runPlan(plan, wanted, [&](const plan::Plan &p, const ExecutorOptions &) {
    const std::string taken = wanted.outFolder + ": another run is writing to this folder; say another --out";
    EXPECT_EQ(run(wanted).message().find(taken), 0u);
    RunOptions elsewhere = wanted; // the error comes before the run looks for its start
    elsewhere.resume = folder / "nowhere";
    EXPECT_EQ(run(elsewhere).message().find(taken), 0u);
    return Result<std::unique_ptr<Executor>>(std::make_unique<FakeExecutor>(p));
  });
  EXPECT_TRUE(inner.isOk()) << inner.message();
}

/// While a run trains, another run can sample and export from its saved checkpoints, and changes none of its
/// files.
TEST_F(RunTest, samplesAndExportsBesideARunThatTrains) {
  RunOptions training = options();
  training.steps = 5;
  ASSERT_TRUE(run(training).isOk());
  std::filesystem::create_directory(folder / "out/checkpoints/.unfinished-step-00000006");
  training.steps = 6;
  const Status inner = runPlan(plan, training, [&](const plan::Plan &p, const ExecutorOptions &) {
    std::filesystem::create_directory(folder / "out/checkpoints/.unfinished-step-00000006");
    RunOptions reading = options();
    reading.data.clear();
    reading.sample = {"abc", 5, 0, 1};
    reading.exportFile = folder / "w.safetensors";
    testing::internal::CaptureStdout();
    testing::internal::CaptureStderr();
    EXPECT_TRUE(run(reading).isOk());
    EXPECT_EQ(testing::internal::GetCapturedStdout(), "abcdefgh\n");
    EXPECT_EQ(testing::internal::GetCapturedStderr(),
              "note: another run is writing to " + reading.outFolder + ": its newest checkpoint is read\n");
    EXPECT_TRUE(std::filesystem::exists(folder / "out/checkpoints/.unfinished-step-00000006"));
    return Result<std::unique_ptr<Executor>>(std::make_unique<FakeExecutor>(p));
  });
  EXPECT_TRUE(inner.isOk()) << inner.message();
  EXPECT_TRUE(std::filesystem::exists(folder / "w.safetensors"));
  EXPECT_EQ(steps(), (std::vector<int64_t>{5, 6}));
}

/// The next start removes what a kill in the last commit left, even if there is nothing left to train.
TEST_F(RunTest, mendsWhatAKillInTheLastCommitLeft) {
  ASSERT_TRUE(run(options()).isOk());
  const std::string root = folder / "out/checkpoints";
  auto debris = [&] {
    std::filesystem::create_directories(root + "/.retired-step-00000005");
    std::filesystem::create_directories(root + "/.unfinished-step-00000012");
    std::ofstream(root + "/.unfinished-latest") << "step-000000";
    std::ofstream(root + "/latest") << "step-00000010\n";
  };
  auto names = [&] { return std::distance(std::filesystem::directory_iterator(root), {}); };
  debris();
  RunOptions dry = options();
  dry.dryRun = true;
  ASSERT_TRUE(run(dry).isOk());
  EXPECT_EQ(names(), 6) << "a dry run changes nothing";
  ASSERT_TRUE(run(options()).isOk());
  EXPECT_EQ(names(), 3);
  EXPECT_EQ(readText(root + "/latest"), "step-00000012\n");
  debris();
  RunOptions reading = options();
  reading.data.clear();
  reading.exportFile = folder / "w.safetensors";
  ASSERT_TRUE(run(reading).isOk());
  EXPECT_EQ(names(), 3);
}

/// A symbolic link that someone put at a name that a run writes does not lead the run to another file.
TEST_F(RunTest, followsNoLinkThatWasPlanted) {
  const std::string victim = folder.write("victim", "precious");
  const std::string beside = ".new-" + std::to_string(getpid());
  std::filesystem::create_symlink(victim, folder / ("w.safetensors" + beside));
  std::filesystem::create_symlink(victim, folder / ("trace.json" + beside));
  RunOptions wanted = options();
  wanted.exportFile = folder / "w.safetensors";
  wanted.traceFile = folder / "trace.json";
  ASSERT_TRUE(run(wanted).isOk());
  EXPECT_EQ(readText(victim), "precious");
  EXPECT_FALSE(std::filesystem::is_symlink(folder / "w.safetensors"));
  EXPECT_FALSE(std::filesystem::is_symlink(folder / "trace.json"));

  std::filesystem::create_directory(folder / "other");
  std::filesystem::create_symlink(victim, folder / "other/metrics.jsonl");
  wanted = options();
  wanted.outFolder = folder / "other";
  const Status refused = run(wanted);
  EXPECT_EQ(refused.code(), ExitCode::BadInput);
  EXPECT_NE(refused.message().find("other/metrics.jsonl: is a link"), std::string::npos) << refused.message();
  EXPECT_EQ(readText(victim), "precious");
  wanted.metricsFile = folder / "other/metrics.jsonl"; // a link in a path that the user names is followed
  EXPECT_TRUE(run(wanted).isOk());
}

} // namespace
} // namespace windlass
