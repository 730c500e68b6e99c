// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/training/Trainer.h"

#include "runtime/base/Safetensors.h"
#include "runtime/training/checkpoint/Resume.h"
#include "runtime/training/step/Schedule.h"
#include "test/runtime/training/TemporaryFolder.h"
#include "test/runtime/training/ToyModel.h"
#include <atomic>
#include <cmath>
#include <filesystem>
#include <gtest/gtest.h>
#include <new>
#include <nlohmann/json.hpp>

std::atomic<int64_t> allocations{0};

// Not inlined, as the compiler would report malloc and delete as a mismatched pair.
__attribute__((noinline)) void *operator new(std::size_t size) {
  ++allocations;
  if (void *memory = std::malloc(size))
    return memory;
  throw std::bad_alloc();
}
__attribute__((noinline)) void operator delete(void *memory) noexcept { std::free(memory); }
__attribute__((noinline)) void operator delete(void *memory, std::size_t) noexcept { std::free(memory); }

namespace windlass {
namespace {

/// A run within one process: from the state of the folder to a number of steps.
struct Session {
  explicit Session(const TemporaryFolder &folder, const ToyOptions &toy = {}, const std::string &text = "")
      : plan(toyPlan(toy)), executor(plan), states(plan, executor), checkpoints(folder / "checkpoints"),
        data(openData(text.empty() ? "synthetic:3" : text, plan).take()),
        metricsPath(folder / "metrics.jsonl") {
    ResumeRequest request;
    request.fresh.numerics = plan.numerics;
    request.fresh.trainingExamples = data->training();
    start = chooseStart(request, checkpoints).take();
    const Status filled = start.checkpoint.empty() ? states.writeAll(initialValues(start.state.seed))
                                                   : loadCheckpoint(start.checkpoint, plan, states);
    EXPECT_TRUE(filled.isOk()) << filled.message();
  }

  Status run(int64_t steps) {
    Batches batches = Batches::create(plan, *data, start.state.seed, start.state.shuffle).take();
    MetricsFile metrics = MetricsFile::open(metricsPath, start.state.step).take();
    Trainer trainer({plan, executor, batches, states, checkpoints, metrics, job}, start.state,
                    {steps,
                     plan.training.validationEvery,
                     plan.training.checkpointEvery,
                     2,
                     {true, 1},
                     CheckpointFormat::Full,
                     gradientsFile});
    const Status status = trainer.run();
    summary = trainer.summary();
    return status;
  }

  JobProcess job;
  plan::Plan plan;
  FakeExecutor executor;
  StateStream states;
  CheckpointFolder checkpoints;
  std::unique_ptr<DataSource> data;
  std::string metricsPath, gradientsFile;
  Start start;
  RunSummary summary;
};

std::vector<nlohmann::json> metricsOf(const std::string &path) {
  std::vector<nlohmann::json> lines;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);)
    lines.push_back(nlohmann::json::parse(line));
  return lines;
}

TEST(TrainerTest, theLossFallsAndEveryStepIsLogged) {
  TemporaryFolder folder;
  Session session(folder, {}, folder.write("text", std::string(4000, 'a') + std::string(2000, 'b')));
  ASSERT_TRUE(session.run(12).isOk());
  const std::vector<nlohmann::json> lines = metricsOf(session.metricsPath);
  ASSERT_EQ(lines.size(), 12u);
  for (size_t i = 0; i < lines.size(); ++i) {
    EXPECT_EQ(lines[i]["step"], i + 1);
    EXPECT_EQ(lines[i]["data_position"], 4 * (i + 1));
    EXPECT_EQ(lines[i]["nvme_bytes_written"], 4096);
    EXPECT_EQ(lines[i].contains("val_loss"), (i + 1) % 4 == 0);
    for (const char *key :
         {"loss", "grad_norm", "lr", "step_time_s", "tokens_per_s", "examples_per_s", "wall_time"})
      EXPECT_TRUE(lines[i].contains(key)) << key;
  }
  EXPECT_NEAR(lines[0]["loss"].get<double>(), std::log(256), 0.1);
  EXPECT_LT(lines[11]["loss"].get<double>(), lines[0]["loss"].get<double>() - 0.2);
  EXPECT_EQ(session.summary.nvmeBytesWritten, 12 * 4096);
  EXPECT_EQ(session.summary.checkpoint, session.checkpoints.pathOf(12));
}

TEST(TrainerTest, aResumedRunIsTheSameRunToTheBit) {
  for (bool mixed : {false, true}) {
    ToyOptions toy;
    toy.ranks = 2;
    toy.mixed = mixed;
    TemporaryFolder straight, broken;
    Session whole(straight, toy);
    ASSERT_TRUE(whole.run(12).isOk());
    for (int64_t until : {5, 6, 11, 12}) { // at steps with and without a checkpoint
      Session part(broken, toy);
      ASSERT_TRUE(part.run(until).isOk());
    }
    Session last(broken, toy);
    EXPECT_EQ(last.start.state.step, 12);
    EXPECT_EQ(last.executor.everything(), whole.executor.everything());
    const auto first = metricsOf(whole.metricsPath), second = metricsOf(last.metricsPath);
    ASSERT_EQ(second.size(), 12u);
    for (size_t i = 0; i < 12; ++i)
      EXPECT_EQ(first[i]["loss"], second[i]["loss"]) << "step " << i + 1;
  }
}

TEST(TrainerTest, stepsDoneAfterTheLastCheckpointAreDoneAgainAndLoggedOnce) {
  TemporaryFolder folder;
  {
    Session killed(folder);
    killed.executor.failStep = 9; // the last checkpoint is of step 5
    EXPECT_EQ(killed.run(12).message(), "step 9: rank 0: the disk said no");
  }
  Session again(folder);
  EXPECT_EQ(again.start.state.step, 5);
  ASSERT_TRUE(again.run(12).isOk());
  const auto lines = metricsOf(again.metricsPath);
  ASSERT_EQ(lines.size(), 12u);
  for (size_t i = 0; i < lines.size(); ++i)
    EXPECT_EQ(lines[i]["step"], i + 1);
}

TEST(TrainerTest, aLossThatIsNoNumberEndsTheRunAndNamesStepAndCheckpoint) {
  TemporaryFolder folder;
  Session session(folder);
  session.executor.poisonStep = 7;
  const Status status = session.run(12);
  EXPECT_EQ(status.code(), ExitCode::RunFailed);
  EXPECT_EQ(status.message(), "step 7: the loss is nan, not a finite number; the newest checkpoint is " +
                                  session.checkpoints.pathOf(5));
  EXPECT_EQ(session.checkpoints.steps(), std::vector<int64_t>{5});
  EXPECT_TRUE(metricsOf(session.metricsPath).back()["loss"].is_null());
}

/// Every run would end there, so that what was learned until then is kept.
TEST(TrainerTest, aBatchWithoutLabelsEndsTheRunWithACheckpoint) {
  TemporaryFolder folder;
  Session session(folder, {}, folder.write("text", std::string(72, 'a') + std::string(2000, 'b')));
  session.start.state.shuffle = false;
  session.plan.inputs[1].ignored = 'b';
  EXPECT_EQ(session.run(12).message(),
            "step 3: every label of the batch is ignored, so it has no loss; the run "
            "ends after step 2, with a checkpoint");
  EXPECT_EQ(session.checkpoints.steps(), std::vector<int64_t>{2});
  Session again(folder, {}, folder / "text");
  again.plan.inputs[1].ignored = 'b';
  EXPECT_EQ(again.run(12).message(), "step 3: every label of the batch is ignored, so it has no loss");
}

TEST(TrainerTest, aStepWhoseGradientsOverflowIsSkippedAndChangesNoState) {
  ToyOptions toy;
  toy.mixed = true;
  toy.lossScale = {1024, 4, 1};
  TemporaryFolder folder;
  Session session(folder, toy);
  session.executor.largestScale = 256;
  std::vector<std::vector<std::byte>> before;
  session.executor.atStep = [&] { before.push_back(session.executor.everything()); };
  ASSERT_TRUE(session.run(12).isOk());
  // Four finite steps in a row double the scale, and the doubled scale overflows.
  const std::vector<double> scales = {1024, 512, 256, 256, 256, 256, 512, 256, 256, 256, 256, 512};
  const std::vector<nlohmann::json> lines = metricsOf(session.metricsPath);
  ASSERT_EQ(lines.size(), 12u);
  before.push_back(session.executor.everything());
  int64_t updates = 0;
  for (size_t i = 0; i < 12; ++i) {
    const bool skipped = scales[i] > 256;
    EXPECT_EQ(lines[i]["loss_scale"], scales[i]) << i;
    EXPECT_EQ(lines[i]["skipped"], skipped) << i;
    EXPECT_EQ(lines[i]["grad_norm"].is_null(), skipped) << i;
    EXPECT_EQ(lines[i]["data_position"], 4 * (i + 1)) << i;
    EXPECT_EQ(before[i] == before[i + 1], skipped) << i;
    EXPECT_NEAR(lines[i]["lr"].get<double>(), learningRate(session.plan.training, updates + 1), 1e-9) << i;
    updates += !skipped;
  }
  EXPECT_EQ(session.summary.skippedSteps, 4);
}

TEST(TrainerTest, gradientsAreThoseOfTheFirstStepThatIsNotSkipped) {
  TemporaryFolder folder;
  Session session(folder, {.gradients = true, .lossScale = {1024, 4, 1}});
  session.gradientsFile = folder / "gradients.safetensors";
  session.executor.largestScale = 256;
  std::vector<bool> written;
  std::vector<float> expected; // the toy's gradients rest where its parameters do
  session.executor.atStep = [&] {
    written.push_back(std::filesystem::exists(session.gradientsFile));
    if (written.size() == 4)
      expected = session.executor.logical(plan::StateClass::Parameter, "w");
  };
  ASSERT_TRUE(session.run(5).isOk());
  EXPECT_EQ(written, (std::vector<bool>{false, false, false, true, true}));
  EXPECT_EQ(session.summary.gradientsStep, 3);
  Result<SafetensorsReader> file = SafetensorsReader::open(session.gradientsFile);
  ASSERT_TRUE(file.isOk()) << file.status().message();
  std::vector<float> found(expected.size());
  ASSERT_TRUE(file->read(*file->find("w"), 0, std::as_writable_bytes(std::span(found))));
  for (float &value : found)
    value *= 256;
  EXPECT_EQ(found, expected);
}

TEST(TrainerTest, aRunWhoseStepsAreAllSkippedHasNoGradients) {
  TemporaryFolder folder;
  Session session(folder, {.gradients = true, .lossScale = {64, 100, 16}});
  session.gradientsFile = folder / "gradients.safetensors";
  session.executor.largestScale = 8;
  ASSERT_TRUE(session.run(2).isOk());
  EXPECT_EQ(session.summary.skippedSteps, 2);
  EXPECT_EQ(session.summary.gradientsStep, 0);
  EXPECT_FALSE(std::filesystem::exists(session.gradientsFile));
}

TEST(TrainerTest, aRunResumedInTheMiddleOfBackoffAndGrowthIsTheSameRun) {
  ToyOptions toy;
  toy.ranks = 2;
  toy.lossScale = {1024, 4, 1};
  TemporaryFolder straight, broken;
  Session whole(straight, toy);
  whole.executor.largestScale = 256;
  ASSERT_TRUE(whole.run(12).isOk());
  for (int64_t until : {1, 2, 5, 7, 9, 12}) {
    Session part(broken, toy);
    part.executor.largestScale = 256;
    ASSERT_TRUE(part.run(until).isOk());
  }
  Session last(broken, toy);
  EXPECT_EQ(last.start.state.lossScale, (LossScaleState{256, 0, 4}));
  EXPECT_EQ(last.executor.everything(), whole.executor.everything());
  const auto first = metricsOf(whole.metricsPath), second = metricsOf(last.metricsPath);
  ASSERT_EQ(second.size(), 12u);
  for (size_t i = 0; i < 12; ++i)
    for (const char *key : {"loss", "loss_scale", "skipped", "lr"})
      EXPECT_EQ(first[i][key], second[i][key]) << key << " of step " << i + 1;
}

TEST(TrainerTest, anOverflowAtTheSmallestScaleEndsTheRun) {
  for (const auto &[rule, message] : std::vector<std::pair<plan::LossScale, std::string>>{
           {{64, 100, 16},
            "step 3: the gradient norm is inf, not a finite number, at loss scale 16, which is the smallest"},
           {{64, 0, 64},
            "step 1: the gradient norm is inf, not a finite number, at loss scale 64, which is fixed"},
           {{64, 0, 1},
            "step 1: the gradient norm is inf, not a finite number, at loss scale 64, which is fixed"}}) {
    ToyOptions toy;
    toy.lossScale = rule;
    TemporaryFolder folder;
    Session session(folder, toy);
    session.executor.largestScale = 8;
    const Status status = session.run(12);
    EXPECT_EQ(status.code(), ExitCode::RunFailed);
    EXPECT_EQ(status.message(), message + "; no checkpoint was written before it");
  }
}

TEST(TrainerTest, aSignalEndsTheStepAndWritesACheckpoint) {
  class Interrupting final : public Executor {
  public:
    Interrupting(Executor &inner, int64_t atStep) : inner(inner), atStep(atStep) {}
    Status run(plan::Purpose purpose, StepHost &host) override {
      if (purpose == plan::Purpose::Train && ++steps == atStep)
        std::raise(SIGTERM);
      return inner.run(purpose, host);
    }
    Status readBytes(int64_t r, const plan::Operand &o, int64_t at, std::span<std::byte> out) override {
      return inner.readBytes(r, o, at, out);
    }
    Status writeBytes(int64_t r, const plan::Operand &o, int64_t at, std::span<const std::byte> in) override {
      return inner.writeBytes(r, o, at, in);
    }
    plan::RankSet ranks() const override { return inner.ranks(); }
    const ExecutorCounters &counters() const override { return inner.counters(); }
    std::span<const TraceEvent> trace() const override { return {}; }
    std::span<const std::byte> arena(int64_t, plan::Tier) const override { return {}; }
    std::span<const std::string> notices() const override { return {}; }

  private:
    Executor &inner;
    int64_t atStep, steps = 0;
  };
  TemporaryFolder folder;
  Session session(folder);
  Interrupting executor(session.executor, 3);
  Batches batches = Batches::create(session.plan, *session.data, 1, true).take();
  MetricsFile metrics = MetricsFile::open(session.metricsPath, 0).take();
  Trainer trainer(
      {session.plan, executor, batches, session.states, session.checkpoints, metrics, session.job},
      session.start.state, {12, 0, 0, 2, {true, 1}});
  ASSERT_TRUE(trainer.run().isOk());
  EXPECT_EQ(trainer.summary().stoppedBy, SIGTERM);
  EXPECT_EQ(trainer.summary().lastStep, 3);
  EXPECT_EQ(session.checkpoints.steps(), std::vector<int64_t>{3});
}

TEST(TrainerTest, metricsSayThatLinksWerePaced) {
  for (bool paced : {false, true}) {
    TemporaryFolder folder;
    MetricsFile metrics = MetricsFile::open(folder / "metrics.jsonl", 0, paced).take();
    ASSERT_TRUE(metrics.append(StepRecord{}, 1).isOk());
    const nlohmann::json line = nlohmann::json::parse(readText(folder / "metrics.jsonl"));
    EXPECT_EQ(line.value("paced", false), paced);
  }
}

TEST(TrainerTest, aSteadyStepAllocatesNothing) {
  TemporaryFolder folder;
  Session session(folder, {}, folder.write("text", std::string(5000, 'x')));
  session.plan.training.validationEvery = session.plan.training.checkpointEvery = 0;
  std::vector<int64_t> counts;
  counts.reserve(16);
  session.executor.atStep = [&] { counts.push_back(allocations); };
  ASSERT_TRUE(session.run(12).isOk());
  ASSERT_EQ(counts.size(), 12u);
  for (size_t i = 2; i < counts.size(); ++i)
    EXPECT_EQ(counts[i], counts[i - 1]) << "between steps " << i << " and " << i + 1;
}

TEST(TrainerTest, validationOfEveryZeroStepsIsOfTheLastStepAlone) {
  TemporaryFolder folder;
  Session session(folder);
  session.plan.training.validationEvery = 0;
  ASSERT_TRUE(session.run(6).isOk());
  const std::vector<nlohmann::json> lines = metricsOf(session.metricsPath);
  ASSERT_EQ(lines.size(), 6u);
  for (size_t i = 0; i < lines.size(); ++i)
    EXPECT_EQ(lines[i].contains("val_loss"), i == 5) << "step " << i + 1;
}

/// A loss that is no number is not a step that was not evaluated.
TEST(TrainerTest, aValidationLossThatIsNoNumberIsNull) {
  TemporaryFolder folder;
  Session session(folder);
  session.executor.poisonStep = 5; // after step 4, which is the last one
  ASSERT_TRUE(session.run(4).isOk());
  const std::vector<nlohmann::json> lines = metricsOf(session.metricsPath);
  ASSERT_EQ(lines.size(), 4u);
  EXPECT_FALSE(lines[2].contains("val_loss"));
  ASSERT_TRUE(lines[3].contains("val_loss"));
  EXPECT_TRUE(lines[3]["val_loss"].is_null());
  ASSERT_TRUE(session.summary.validation);
  EXPECT_TRUE(session.summary.validation->hasLabels);
  EXPECT_TRUE(std::isnan(session.summary.validation->loss));
}

/// A loss of 0 would be that of a perfect model.
TEST(TrainerTest, validationWithoutALabelHasNoLossAndOneNote) {
  TemporaryFolder folder;
  Session session(folder, {}, folder.write("text", std::string(1800, 'a') + std::string(270, 'b')));
  session.start.state.shuffle = false;
  session.plan.inputs[1].ignored = 'b'; // of 230 examples the last 30, of which 23 are held out
  testing::internal::CaptureStderr();
  const Status status = session.run(12);
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "note: every label of the examples that are held out is ignored, so they have no loss: "
            "\"val_loss\" is null\n");
  ASSERT_TRUE(status.isOk()) << status.message();
  const std::vector<nlohmann::json> lines = metricsOf(session.metricsPath);
  ASSERT_EQ(lines.size(), 12u);
  for (size_t i = 0; i < lines.size(); ++i) {
    ASSERT_EQ(lines[i].contains("val_loss"), (i + 1) % 4 == 0) << "step " << i + 1;
    EXPECT_TRUE(lines[i].value("val_loss", nlohmann::json()).is_null()) << "step " << i + 1;
  }
  ASSERT_TRUE(session.summary.validation);
  EXPECT_FALSE(session.summary.validation->hasLabels);
}

TEST(TrainerTest, validationDoesNotDependOnRanks) {
  double losses[2];
  int64_t runs[2];
  for (int i : {0, 1}) {
    TemporaryFolder folder;
    ToyOptions toy;
    toy.ranks = i == 0 ? 1 : 4;
    std::string text;
    for (int j = 0; j < 3000; ++j)
      text += static_cast<char>(j * j % 97);
    Session session(folder, toy, folder.write("text", text));
    ASSERT_TRUE(session.run(4).isOk());
    losses[i] = session.summary.validation->loss;
    runs[i] = session.executor.forwardsRun;
  }
  EXPECT_NEAR(losses[0], losses[1], 1e-6 * losses[0]); // the toy reports sums of micro-batches in f32
  EXPECT_EQ(runs[0], runs[1]);
}

} // namespace
} // namespace windlass
