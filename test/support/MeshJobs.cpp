// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/support/MeshJobs.h"

#include "runtime/plan/Groups.h"
#include "runtime/plan/InstructionTable.h"
#include "runtime/plan/Meetings.h"
#include "runtime/plan/check/Checker.h"
#include "runtime/training/Run.h"
#include "runtime/training/checkpoint/Checkpoint.h"
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <gtest/gtest.h>

namespace windlass::test {

Job onMesh(const Job &job, const MeshShape &mesh) {
  Job placed =
      job.with({{"parallel", {{"data", mesh.data}, {"tensor", mesh.tensor}, {"pipeline", mesh.stages}}}});
  if (mesh.stages > 1 && !placed.training["pipeline"].contains("schedule"))
    placed.training["pipeline"]["schedule"] = "1f1b";
  placed.hardware = roomyMachine(mesh.data * mesh.tensor * mesh.stages);
  return placed;
}

Job onStages(const Job &job, int64_t stages, const json &decisions) {
  return onMesh(job.with(decisions), {job.training["parallel"]["data"].get<int64_t>(), 1, stages});
}

Job deepGpt2(int64_t dataRanks) {
  Job job = tinyGpt2(dataRanks, 5);
  job.model.update({{"n_layer", 4}, {"n_embd", 32}, {"n_positions", 16}, {"vocab_size", 251}});
  job.model.update({{"embd_pdrop", 0.1}, {"attn_pdrop", 0.1}, {"resid_pdrop", 0.1}});
  return job;
}

Job deepLlama() {
  Job job = tinyLlama(1, 3);
  job.model.update({{"num_hidden_layers", 4}, {"hidden_size", 32}, {"max_position_embeddings", 16}});
  return job;
}

static RunOptions quietRun(const Compiled &compiled, const std::string &out) {
  RunOptions options;
  options.planFolder = compiled.planFolder();
  options.outFolder = out;
  options.quiet = true;
  return options;
}

static void run(const Compiled &compiled, const RunOptions &options) {
  Status status = runPlan(compiled.plan, options, [](const plan::Plan &plan, const ExecutorOptions &chosen) {
    return Executor::create(plan, chosen);
  });
  EXPECT_TRUE(status) << status.message();
}

std::string runTo(const Compiled &compiled, int64_t steps, const std::string &out) {
  RunOptions options = quietRun(compiled, out);
  options.data = "synthetic:5";
  options.steps = steps;
  run(compiled, options);
  char name[64];
  std::snprintf(name, sizeof name, "/checkpoints/step-%08d", static_cast<int>(steps));
  return out + name;
}

std::string sampleOf(const Compiled &compiled, const std::string &out, const std::string &checkpoint) {
  RunOptions options = quietRun(compiled, out);
  options.resume = checkpoint;
  options.sample = {"The windlass", 24, 1.0};
  ::testing::internal::CaptureStdout();
  run(compiled, options);
  const std::string text = ::testing::internal::GetCapturedStdout();
  EXPECT_EQ(text.size(), std::string("The windlass").size() + 24 + 1); // and the end of the line
  return text;
}

void expectSameBitsOfAll(const std::vector<Job> &jobs, int64_t steps) {
  std::string record;
  Outcome expected;
  for (const Job &job : jobs) {
    SCOPED_TRACE(job.training.dump());
    std::unique_ptr<Compiled> compiled = compileJob(job);
    ASSERT_TRUE(compiled);
    EXPECT_EQ(std::ssize(compiled->plan.programs), job.training["parallel"].value("pipeline", 1));
    RunSettings settings;
    settings.steps = steps;
    const Outcome outcome = train(*compiled, settings);
    settings.executor.reference = true;
    expectSameBits(outcome, train(*compiled, settings));
    if (record.empty()) {
      record = compiled->plan.numerics;
      expected = outcome;
      continue;
    }
    EXPECT_EQ(compiled->plan.numerics, record);
    expectSameBits(expected, outcome);
    EXPECT_EQ(outcome.skipped, expected.skipped);
  }
}

/// The norms that the first rank reports, by step.
static std::vector<float> normsOf(const Outcome &outcome) {
  const std::vector<uint32_t> &all = outcome.reports.at("grad_norm");
  std::vector<float> norms;
  for (size_t i = 0; i < all.size(); i += all.size() / outcome.losses.size())
    norms.push_back(std::bit_cast<float>(all[i]));
  return norms;
}

/// The f32 elements of a run's running statistics, in the order of their names.
static std::vector<float> statisticsOf(const Compiled &compiled, const Outcome &outcome) {
  std::map<std::string, std::vector<float>> found;
  for (const plan::State &state : compiled.plan.programs[0].states)
    if (state.group == "statistics") {
      const std::vector<std::byte> &bytes = outcome.states.at("parameter/" + state.name);
      found[state.name].resize(bytes.size() / sizeof(float));
      std::memcpy(found[state.name].data(), bytes.data(), bytes.size());
    }
  std::vector<float> all;
  for (const auto &[name, values] : found)
    all.insert(all.end(), values.begin(), values.end());
  return all;
}

/// The largest magnitude of f32 elements.
static float largestOf(const std::vector<std::byte> &bytes) {
  float largest = 0;
  for (size_t at = 0; at < bytes.size(); at += sizeof(float)) {
    float value = 0;
    std::memcpy(&value, bytes.data() + at, sizeof value);
    largest = std::max(largest, std::fabs(value));
  }
  return largest;
}

/// Compares the first moments after the first step, which are a tenth of its gradients, by parameter. No
/// element may be off by more than a share of the largest element of its parameter. Elements below a
/// hundred-thousandth of the largest of all are zero up to rounding, such as the gradient of a bias of keys.
static void expectGradientsNear(const Compiled &one, const Compiled &shared, double share) {
  RunSettings first;
  first.steps = 1;
  const auto theirs = train(one, first).states, found = train(shared, first).states;
  float ofAll = 0;
  for (const auto &[name, bytes] : theirs)
    if (name.starts_with("momentum/"))
      ofAll = std::max(ofAll, largestOf(bytes));
  int compared = 0;
  for (const auto &[name, bytes] : theirs) {
    if (!name.starts_with("momentum/"))
      continue;
    std::vector<float> expected(bytes.size() / sizeof(float)), values(expected.size());
    ASSERT_EQ(found.at(name).size(), bytes.size()) << name;
    std::memcpy(expected.data(), bytes.data(), bytes.size());
    std::memcpy(values.data(), found.at(name).data(), bytes.size());
    const float largest = std::max(largestOf(bytes), 1e-5f * ofAll);
    float furthest = 0;
    for (size_t i = 0; i < expected.size(); ++i)
      furthest = std::max(furthest, std::fabs(values[i] - expected[i]));
    EXPECT_LE(furthest, share * largest) << name;
    ++compared;
  }
  EXPECT_GT(compared, 1);
}

static void expectNear(const Outcome &expected, const Outcome &found, double tolerance) {
  ASSERT_EQ(found.losses.size(), expected.losses.size());
  const std::vector<float> norms = normsOf(found), theirs = normsOf(expected);
  for (size_t i = 0; i < expected.losses.size(); ++i) {
    EXPECT_NEAR(found.losses[i], expected.losses[i], tolerance * expected.losses[i]) << "step " << i;
    EXPECT_NEAR(norms[i], theirs[i], 10 * tolerance * theirs[i]) << "step " << i;
  }
}

void expectAgreesWithOneRank(const Job &fast, const std::vector<int64_t> &counts, double tolerance) {
  const Job job = fast.with({{"optimizer", {{"learning_rate", 1e-3}}}});
  RunSettings settings;
  settings.steps = 20;
  std::unique_ptr<Compiled> one = compileJob(onMesh(job, {1, 1}));
  ASSERT_TRUE(one);
  const Outcome expected = train(*one, settings);
  for (int64_t ranks : counts) {
    SCOPED_TRACE(job.model.value("model_type", "mlp") + " on " + std::to_string(ranks) + " ranks");
    std::unique_ptr<Compiled> shared = compileJob(onMesh(job, {1, ranks}));
    ASSERT_TRUE(shared);
    EXPECT_NE(shared->plan.numerics, one->plan.numerics);
    expectGradientsNear(*one, *shared, 10 * tolerance);
    const Outcome found = train(*shared, settings);
    expectNear(expected, found, tolerance);
    const std::vector<float> statistics = statisticsOf(*shared, found), theirs = statisticsOf(*one, expected);
    ASSERT_EQ(statistics.size(), theirs.size());
    for (size_t i = 0; i < theirs.size(); ++i)
      EXPECT_NEAR(statistics[i], theirs[i], tolerance * std::max(1.0f, std::fabs(theirs[i]))) << i;
  }
}

void expectBitsOfOneStage(const Job &job, const std::vector<Stages> &cuts, int64_t steps) {
  std::vector<Job> jobs = {onStages(job, 1)};
  for (const Stages &stages : cuts)
    jobs.push_back(onStages(job, stages.count, stages.decisions));
  expectSameBitsOfAll(jobs, steps);
}

std::unique_ptr<Compiled> expectRecordGivesPlanAgain(Job job) {
  std::unique_ptr<Compiled> first = compileJob(job);
  if (!first)
    return nullptr;
  TemporaryFolder folder;
  job.strategy = folder.write("strategy.json", first->plan.strategy);
  if (std::unique_ptr<Compiled> again = compileJob(job)) {
    EXPECT_EQ(again->plan.strategy, first->plan.strategy);
    EXPECT_EQ(programText(again->plan), programText(first->plan));
  }
  return first;
}

int64_t mostSlots(const plan::Program &program, bool ofMessages) {
  const std::set<size_t> messages = plan::buffersOfMessages(program);
  int64_t slots = 0;
  for (size_t i = 0; i < program.buffers.size(); ++i)
    if (messages.contains(i) == ofMessages)
      slots = std::max(slots, program.buffers[i].slots);
  return slots;
}

void expectWrongGroupsAreFound(const plan::Plan &plan, int moreThan) {
  const int64_t data = plan.mesh[0].kind == plan::AxisKind::Pipeline ? 1 : 0, tensor = data + 1;
  int wrong = 0;
  for (size_t p = 0; p < plan.programs.size(); ++p)
    for (size_t s = 0; s < plan.programs[p].sections.size(); ++s)
      for (size_t i = 0; i < plan.programs[p].sections[s].instructions.size(); ++i) {
        if (!plan::isCollective(plan.programs[p].sections[s].instructions[i].op))
          continue;
        plan::Plan broken = plan;
        plan::Instruction &instruction = broken.programs[p].sections[s].instructions[i];
        ASSERT_EQ(instruction.axes.size(), 1u);
        instruction.axes = {data + tensor - instruction.axes.front()};
        EXPECT_NE(plan::findFaults(broken), std::vector<std::string>())
            << instruction.origin.what << " over " << nameOfAxes(broken, instruction.axes);
        ++wrong;
      }
  EXPECT_GT(wrong, moreThan);
}

std::string refusalOf(const Job &job) {
  TemporaryFolder folder;
  Result<plan::Plan> compiled = tryCompile(job, folder);
  return compiled ? "" : compiled.status().message();
}

/// The files of tensors of a whole checkpoint, by name.
static std::map<std::string, std::string> tensorFiles(const std::string &checkpoint) {
  std::map<std::string, std::string> files;
  for (const auto &entry : std::filesystem::directory_iterator(checkpoint))
    if (entry.path().extension() == ".safetensors")
      files[entry.path().filename()] = readText(entry.path());
  return files;
}

void expectCheckpointsGoRound(const std::vector<Job> &jobs) {
  std::vector<std::unique_ptr<Compiled>> plans;
  for (const Job &job : jobs) {
    plans.push_back(compileJob(job));
    ASSERT_TRUE(plans.back());
  }
  std::unique_ptr<Executor> saving = openExecutor(*plans[0], plans[0]->plan);
  ASSERT_TRUE(saving);
  trainOn(plans[0]->plan, *saving);
  const auto trained = readStates(plans[0]->plan, *saving);
  TemporaryFolder folder;
  std::map<std::string, std::string> exported;
  for (size_t i = 0; i < plans.size(); ++i) {
    const Compiled &from = *plans[i], &to = *plans[(i + 1) % plans.size()];
    SCOPED_TRACE("from " + jobs[i].training["parallel"].dump() + " on");
    std::unique_ptr<Executor> loading = openExecutor(to, to.plan);
    ASSERT_TRUE(loading);
    StateStream saved(from.plan, *saving), loaded(to.plan, *loading);
    const std::string checkpoint = folder / ("checkpoint" + std::to_string(i));
    std::filesystem::create_directories(checkpoint);
    ASSERT_TRUE(writeCheckpoint(checkpoint, from.plan, saved, {}, CheckpointFormat::Sharded));
    ASSERT_TRUE(loadCheckpoint(checkpoint, to.plan, loaded));
    EXPECT_EQ(readStates(to.plan, *loading), trained);
    const std::string whole = folder / ("whole" + std::to_string(i));
    std::filesystem::create_directories(whole);
    ASSERT_TRUE(writeCheckpoint(whole, from.plan, saved, {}, CheckpointFormat::Full));
    if (exported.empty())
      exported = tensorFiles(whole);
    EXPECT_GT(exported.size(), 1u);
    EXPECT_TRUE(tensorFiles(whole) == exported) << "other bytes of another mesh";
    saving = std::move(loading);
  }
}

} // namespace windlass::test
