// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/training/checkpoint/Checkpoint.h"

#include "runtime/base/Safetensors.h"
#include "runtime/training/checkpoint/CheckpointFolder.h"
#include "runtime/training/checkpoint/Resume.h"
#include "test/runtime/training/TemporaryFolder.h"
#include "test/runtime/training/TrainedToy.h"
#include "test/runtime/training/checkpoint/KillAtCall.h"
#include <algorithm>
#include <array>
#include <csignal>
#include <filesystem>
#include <functional>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sys/wait.h>
#include <unistd.h>

namespace windlass {
namespace {

using plan::StateClass;

std::vector<ToyOptions> layouts() {
  std::vector<ToyOptions> all;
  for (int64_t ranks : {1, 2, 4})
    for (bool sharded : {true, false})
      for (bool mixed : {true, false}) {
        ToyOptions options;
        options.ranks = ranks;
        options.sharded = sharded;
        options.mixed = mixed;
        options.vocabulary = 600;
        options.moments = sharded ? plan::Tier::Nvme : plan::Tier::Device;
        all.push_back(options);
      }
  return all;
}

class EveryFormat : public testing::TestWithParam<CheckpointFormat> {};

TEST_P(EveryFormat, statesAreBitEqualOnEveryOtherLayout) {
  for (const ToyOptions &from : layouts()) {
    TemporaryFolder folder;
    CheckpointFolder checkpoints(folder / "checkpoints");
    Trained source(from);
    const std::string path = commit(checkpoints, source, 7, GetParam());
    for (const ToyOptions &to : layouts()) {
      Trained target(to, /*seed=*/99);
      const Status loaded = loadCheckpoint(path, target.plan, target.states);
      ASSERT_TRUE(loaded.isOk()) << loaded.message();
      const auto weights = [](const ToyOptions &o) {
        return o.mixed ? StateClass::Master : StateClass::Parameter;
      };
      for (const char *name : {"w", "b", "c"}) {
        EXPECT_EQ(target.executor.logical(weights(to), name), source.executor.logical(weights(from), name));
        for (StateClass cls : {StateClass::Momentum, StateClass::Variance})
          EXPECT_EQ(target.executor.logical(cls, name), source.executor.logical(cls, name));
        if (from.mixed && to.mixed) {
          EXPECT_EQ(target.executor.logical(StateClass::Parameter, name),
                    source.executor.logical(StateClass::Parameter, name));
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(CheckpointTest, EveryFormat,
                         testing::Values(CheckpointFormat::Full, CheckpointFormat::Sharded));

/// Without clipping nothing else looks at the gradients.
TEST(CheckpointTest, momentsThatAreNotFiniteAreRefused) {
  for (plan::StateClass poisoned : {StateClass::Parameter, StateClass::Momentum, StateClass::Variance}) {
    TemporaryFolder folder;
    Trained trained({});
    ASSERT_TRUE(trained.states.writeAll([&](const plan::State &state, int64_t, std::span<std::byte> out) {
      std::ranges::fill(out, state.cls == poisoned ? std::byte{0xff} : std::byte{0}); // not a number
      return Status::ok();
    }));
    CheckpointFolder checkpoints(folder / "c");
    const Status written = checkpoints.commit(1, 2, [&](const std::string &path) {
      return writeCheckpoint(path, trained.plan, trained.states, {});
    });
    const bool isKept = poisoned == StateClass::Parameter; // a frozen one may hold a mask
    EXPECT_EQ(written.isOk(), isKept) << written.message();
    EXPECT_EQ(written.message().ends_with("\" has numbers that are not finite"), !isKept)
        << written.message();
    EXPECT_EQ(checkpoints.steps().size(), isKept ? 1u : 0u);
  }
}

TEST(CheckpointTest, shardsSayWhereTheirRowsStandAsTorchReadsIt) {
  TemporaryFolder folder;
  CheckpointFolder checkpoints(folder / "checkpoints");
  ToyOptions options;
  options.ranks = 4; // w has 128 rows, b has 3, c has 5
  Trained trained(options);
  const std::string path = commit(checkpoints, trained, 1, CheckpointFormat::Sharded);
  std::map<std::string, int64_t> rows;
  for (int64_t shard = 0; shard < 4; ++shard) {
    const std::string file =
        path + "/shard-0000" + std::to_string(shard + 1) + "-model-00001-of-00001.safetensors";
    Result<SafetensorsReader> reader = SafetensorsReader::open(file);
    ASSERT_TRUE(reader.isOk()) << reader.status().message();
    EXPECT_EQ(reader->metadata().at("format"), "pt");
    EXPECT_EQ(reader->metadata().at("DCP_VERSION"), "1.0");
    const nlohmann::json sharding = nlohmann::json::parse(reader->metadata().at("DCP_SHARDING_INFO"));
    EXPECT_EQ(sharding.size(), reader->tensors().size());
    for (const auto &[name, entry] : reader->tensors()) {
      std::vector<int64_t> offsets(entry.shape.size());
      offsets[0] = rows[name];
      EXPECT_EQ(sharding.at(name).at("saved_offsets"), nlohmann::json(offsets)) << file << " " << name;
      rows[name] += entry.shape[0];
    }
    EXPECT_EQ(reader->find("w")->shape, (std::vector<int64_t>{32, 2}));
    EXPECT_EQ(reader->find("b") != nullptr, shard < 3); // a row each
    EXPECT_EQ(reader->find("c") != nullptr, shard < 3); // two rows each, and then one
  }
  EXPECT_EQ(rows, (std::map<std::string, int64_t>{{"w", 128}, {"b", 3}, {"c", 5}}));
  EXPECT_FALSE(std::filesystem::exists(path + "/model.safetensors"));
}

TEST(CheckpointTest, aMissingOrForeignShardIsRefused) {
  TemporaryFolder folder;
  CheckpointFolder checkpoints(folder / "checkpoints");
  ToyOptions options;
  options.ranks = 4;
  Trained trained(options);
  const std::string path = commit(checkpoints, trained, 1, CheckpointFormat::Sharded);
  auto shard = [&](int number) {
    return path + "/shard-0000" + std::to_string(number) + "-model-00001-of-00001.safetensors";
  };
  std::filesystem::rename(shard(2), folder / "aside");
  Status loaded = loadCheckpoint(path, trained.plan, trained.states);
  EXPECT_EQ(loaded.code(), ExitCode::BadInput);
  EXPECT_NE(loaded.message().find("does not go on where"), std::string::npos) << loaded.message();

  std::filesystem::rename(folder / "aside", shard(2));
  std::filesystem::rename(shard(4), folder / "aside");
  loaded = loadCheckpoint(path, trained.plan, trained.states);
  EXPECT_NE(loaded.message().find("\"w\" has shape [96, 2], the plan wants [128, 2]"), std::string::npos)
      << loaded.message();

  auto refused = [&](const std::map<std::string, std::string> &metadata) {
    Result<SafetensorsWriter> writer = SafetensorsWriter::create(shard(4), {{"w", "F32", {32, 2}}}, metadata);
    EXPECT_TRUE(writer && writer->finish());
    const Status status = loadCheckpoint(path, trained.plan, trained.states);
    EXPECT_EQ(status.code(), ExitCode::BadInput);
    return status.message();
  };
  EXPECT_NE(refused({{"DCP_SHARDING_INFO", "{}"}}).find("without DCP_VERSION 1.0"), std::string::npos);
  for (const char *sharding : {"{}", R"({"w":{"saved_offsets":[96]}})", R"({"w":{"saved_offsets":[96,1]}})",
                               R"({"w":{"saved_offsets":[-1,0]}})", R"({"w":{"saved_offsets":"96"}})",
                               R"({"w":[]})", R"({"w":{"saved_offsets":[1e300,0]}})", "[]", "nonsense"})
    EXPECT_NE(refused({{"DCP_VERSION", "1.0"}, {"DCP_SHARDING_INFO", sharding}}).find(shard(4)),
              std::string::npos)
        << sharding;
  EXPECT_NE(refused({}).find("does not go on where"), std::string::npos); // a whole tensor among shards
}

TEST(CheckpointTest, anExportAppearsWholeOrNotAtAll) {
  TemporaryFolder folder;
  Trained trained({});
  ASSERT_TRUE(exportWeights(folder / "w.safetensors", trained.plan, trained.states));
  Result<SafetensorsReader> file = SafetensorsReader::open(folder / "w.safetensors");
  ASSERT_TRUE(file.isOk()) << file.status().message();
  EXPECT_EQ(file->tensors().size(), 3u);
  EXPECT_EQ(exportWeights(folder / "no/such/folder", trained.plan, trained.states).code(),
            ExitCode::RunFailed);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path), {}), 1);
}

TEST(CheckpointTest, gradientsOfAScaledLossAreWrittenInF32) {
  TemporaryFolder folder;
  Trained trained({.mixed = true, .gradients = true});
  for (const auto &[scale, type] : {std::pair{std::optional<double>(), "BF16"}, {1.0, "F32"}, {8.0, "F32"}}) {
    ASSERT_TRUE(exportGradients(folder / "g.safetensors", trained.plan, trained.states, scale));
    Result<SafetensorsReader> file = SafetensorsReader::open(folder / "g.safetensors");
    ASSERT_TRUE(file.isOk()) << file.status().message();
    EXPECT_EQ(file->find("w")->type, type) << scale.value_or(0);
  }
}

TEST(CheckpointTest, filesHoldLogicalTensorsUnderOriginalNames) {
  TemporaryFolder folder;
  CheckpointFolder checkpoints(folder / "checkpoints");
  ToyOptions options;
  options.ranks = 4;
  options.mixed = true;
  Trained trained(options);
  const std::string path = commit(checkpoints, trained, 600);
  EXPECT_EQ(path, folder / "checkpoints/step-00000600");
  EXPECT_EQ(readText(folder / "checkpoints/latest"), "step-00000600\n");
  EXPECT_EQ(readText(path + "/config.json"), trained.plan.modelConfig);

  Result<SafetensorsReader> model = SafetensorsReader::open(path + "/model.safetensors");
  ASSERT_TRUE(model.isOk());
  EXPECT_EQ(model->tensors().size(), 3u);
  EXPECT_EQ(model->find("w")->shape, (std::vector<int64_t>{128, 2}));
  EXPECT_EQ(model->find("w")->type, "F32"); // the master, not its bf16 rounding
  Result<SafetensorsReader> optimizer = SafetensorsReader::open(path + "/optimizer.safetensors");
  EXPECT_EQ(optimizer->tensors().size(), 6u);
  EXPECT_NE(optimizer->find("exp_avg/w"), nullptr);
  EXPECT_NE(optimizer->find("exp_avg_sq/c"), nullptr);
  int64_t bytes = 0;
  for (const SafetensorsReader *file : {&*model, &*optimizer})
    for (const auto &[name, tensor] : file->tensors())
      bytes += tensor.bytes;
  EXPECT_EQ(checkpointBytes(trained.plan), bytes);
}

TEST(CheckpointTest, aGraphJsonIsNotCalledAConfig) {
  TemporaryFolder folder;
  CheckpointFolder checkpoints(folder / "checkpoints");
  Trained trained(ToyOptions{});
  trained.plan.modelConfig = R"({"format": "windlass.model/1"})";
  const std::string path = commit(checkpoints, trained, 1);
  EXPECT_EQ(readText(path + "/model.json"), trained.plan.modelConfig);
  EXPECT_FALSE(std::filesystem::exists(path + "/config.json"));
}

TEST(CheckpointTest, allMismatchesAreListedAtOnce) {
  TemporaryFolder folder;
  CheckpointFolder checkpoints(folder / "checkpoints");
  Trained source({});
  const std::string path = commit(checkpoints, source, 1);
  plan::Plan other = toyPlan();
  for (plan::State &state : other.programs[0].states) {
    if (state.name == "w")
      state.shape = {2, 128};
    if (state.name == "b")
      state.name = "bias";
  }
  const Status loaded = loadCheckpoint(path, other, source.states);
  EXPECT_EQ(loaded.code(), ExitCode::BadInput);
  for (const char *part : {"\"w\" has shape [128, 2], the plan wants [2, 128]", "\"bias\" is missing",
                           "\"b\" is not in the plan", "\"exp_avg/w\" has shape",
                           "\"exp_avg_sq/bias\" is missing", "\"exp_avg/b\" is not in the plan"})
    EXPECT_NE(loaded.message().find(part), std::string::npos) << part << " in " << loaded.message();
}

TEST(CheckpointFolderTest, keepsTheNewestAndReplacesAnEqualStep) {
  TemporaryFolder folder;
  CheckpointFolder checkpoints(folder / "c");
  auto put = [&](int64_t step, const std::string &text) {
    return checkpoints.commit(step, 2, [&](const std::string &path) {
      std::ofstream(path + "/t") << text;
      return Status::ok();
    });
  };
  for (int64_t step : {10, 20, 30})
    ASSERT_TRUE(put(step, "x").isOk());
  EXPECT_EQ(checkpoints.steps(), (std::vector<int64_t>{20, 30}));
  ASSERT_TRUE(put(30, "again").isOk());
  EXPECT_EQ(readText(checkpoints.pathOf(30) + "/t"), "again");
  EXPECT_EQ(checkpoints.steps(), (std::vector<int64_t>{20, 30}));
  EXPECT_EQ(*checkpoints.setAside(-1), folder / "c.1");
  EXPECT_TRUE(checkpoints.steps().empty());
  EXPECT_EQ(*checkpoints.setAside(-1), "");
}

TEST(CheckpointFolderTest, whatLiesBehindTheStartIsSetAsideAndNeverCountsAsNewer) {
  TemporaryFolder folder;
  CheckpointFolder checkpoints(folder / "c");
  auto put = [&](int64_t step, int64_t keep) {
    return checkpoints.commit(step, keep, [](const std::string &) { return Status::ok(); });
  };
  for (int64_t step : {10, 20, 30})
    ASSERT_TRUE(put(step, 3).isOk());
  ASSERT_TRUE(put(15, 1).isOk()); // an earlier step is the last that was written
  EXPECT_EQ(checkpoints.steps(), (std::vector<int64_t>{15, 20, 30}));
  EXPECT_EQ(*checkpoints.setAside(30), "");
  EXPECT_EQ(*checkpoints.setAside(15), folder / "c.1");
  EXPECT_EQ(checkpoints.steps(), std::vector<int64_t>{15});
  EXPECT_EQ(readText(folder / "c/latest"), "step-00000015\n");
  EXPECT_EQ(CheckpointFolder(folder / "c.1").steps(), (std::vector<int64_t>{20, 30}));
  EXPECT_EQ(readText(folder / "c.1/latest"), "step-00000030\n");
}

TEST(CheckpointFolderTest, aFailedWriteLeavesTheOldOnesAndNothingElse) {
  TemporaryFolder folder;
  CheckpointFolder checkpoints(folder / "c");
  ASSERT_TRUE(checkpoints.commit(1, 2, [](const std::string &) { return Status::ok(); }).isOk());
  const Status failed = checkpoints.commit(2, 2, [](const std::string &path) {
    std::ofstream(path + "/half") << "half";
    return Status::runFailed("no space left");
  });
  EXPECT_EQ(failed.message(), "no space left");
  EXPECT_EQ(checkpoints.steps(), std::vector<int64_t>{1});
  // Step-00000001 and latest.
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder / "c"), {}), 2);
}

TEST(CheckpointFolderTest, whatAKillLeftBehindIsNoCheckpointAndIsRemoved) {
  TemporaryFolder folder;
  CheckpointFolder checkpoints(folder / "c");
  ASSERT_TRUE(checkpoints.commit(1, 2, [](const std::string &) { return Status::ok(); }).isOk());
  std::filesystem::create_directories(folder / "c/.unfinished-step-00000002");
  std::filesystem::create_directories(folder / "c/.retired-step-00000000");
  EXPECT_EQ(checkpoints.steps(), std::vector<int64_t>{1});
  ASSERT_TRUE(checkpoints.commit(3, 2, [](const std::string &) { return Status::ok(); }).isOk());
  EXPECT_FALSE(std::filesystem::exists(folder / "c/.unfinished-step-00000002"));
  EXPECT_FALSE(std::filesystem::exists(folder / "c/.retired-step-00000000"));
}

/// The commits of the run that is killed. Step s is seeded with s, the oldest checkpoint is removed when
/// there are three, and step 2 is written again at the end.
constexpr std::array<int64_t, 4> kCommits = {1, 2, 3, 2};

/// Calls `committed` after each commit.
void commitAll(const std::string &path, const ToyOptions &options, const std::function<void()> &committed) {
  CheckpointFolder checkpoints(path);
  for (int64_t step : kCommits) {
    Trained trained(options, static_cast<uint64_t>(step));
    TrainerState state;
    state.step = step;
    state.seed = static_cast<uint64_t>(step);
    EXPECT_TRUE(checkpoints
                    .commit(step, 2,
                            [&](const std::string &folder) {
                              return writeCheckpoint(folder, trained.plan, trained.states, state);
                            })
                    .isOk());
    committed();
  }
}

/// The exit status of a process that does `work` and is killed at a call.
int statusOfKilled(int64_t instant, const std::function<void()> &work) {
  const pid_t child = fork();
  if (child == 0) {
    test::killAtCall(instant);
    work();
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return status;
}

/// Mends the folder as the next start does, killed at its first call, then at its second, and so on, until it
/// ends.
void mendAmongKills(const std::string &path) {
  const auto mend = [&] { EXPECT_TRUE(CheckpointFolder(path).mend().isOk()); };
  for (int64_t instant = 1; WIFSIGNALED(statusOfKilled(instant, mend)); ++instant)
    ASSERT_LT(instant, 1000);
}

/// Expects checkpoints and the name of the latest in a folder, and nothing else.
void expectMended(const std::string &path) {
  const std::vector<int64_t> steps = CheckpointFolder(path).steps();
  for (const auto &entry : std::filesystem::directory_iterator(path))
    EXPECT_NE(entry.path().filename().string()[0], '.') << entry.path();
  ASSERT_FALSE(steps.empty());
  EXPECT_EQ(path + "/" + readText(path + "/latest"), CheckpointFolder(path).pathOf(steps.back()) + "\n");
}

TEST(CheckpointFolderTest, aKillAtAnyInstantLeavesACompleteCheckpoint) {
  TemporaryFolder folder;
  ToyOptions options;
  options.ranks = 2;
  std::vector<int64_t> callsOfCommits; // calls from the start to the end of each commit
  test::killAtCall(0);
  commitAll(folder / "whole", options, [&] { callsOfCommits.push_back(test::callsSoFar()); });
  std::map<std::string, int64_t> kinds = test::stopCounting();
  for (const char *kind : {"open", "pwrite", "fsync", "rename", "mkdir", "unlinkat"})
    EXPECT_GE(kinds[kind], std::ssize(kCommits)) << kind << " is not seen";

  for (int64_t instant = 1; instant <= callsOfCommits.back(); ++instant) {
    SCOPED_TRACE("killed at call " + std::to_string(instant));
    const std::string path = folder / ("run" + std::to_string(instant));
    const int status = statusOfKilled(instant, [&] { commitAll(path, options, [] {}); });
    ASSERT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);

    ResumeRequest request;
    Result<Start> start = chooseStart(request, CheckpointFolder(path));
    ASSERT_TRUE(start.isOk()) << start.status().message();
    ASSERT_TRUE(start->notes.empty()) << start->notes[0]; // no damage under a visible name
    const bool isCommitted = instant > callsOfCommits.front();
    ASSERT_TRUE(!isCommitted || !start->checkpoint.empty());
    if (start->checkpoint.empty())
      continue;
    Trained loaded(options, 12345), expected(options, start->state.seed);
    ASSERT_TRUE(loadCheckpoint(start->checkpoint, loaded.plan, loaded.states).isOk());
    ASSERT_EQ(loaded.executor.everything(), expected.executor.everything());

    const std::vector<int64_t> before = CheckpointFolder(path).steps();
    mendAmongKills(path);
    expectMended(path);
    const std::vector<int64_t> after = CheckpointFolder(path).steps();
    EXPECT_TRUE(std::ranges::includes(after, before));
    // Step 2 exists from the second commit on, also while it is replaced by itself.
    EXPECT_EQ(std::ranges::count(after, 2), instant > callsOfCommits[1] ? 1 : std::ranges::count(before, 2));
    EXPECT_EQ(chooseStart(request, CheckpointFolder(path))->checkpoint, start->checkpoint);
  }
}

TEST(CheckpointFolderTest, aKillWhileCheckpointsAreSetAsideLosesNone) {
  const std::vector<int64_t> all = {10, 20, 30, 40};
  for (int64_t after : {-1, 20})
    for (int64_t instant = 1, over = 0; over == 0; ++instant) {
      SCOPED_TRACE("after " + std::to_string(after) + ", killed at call " + std::to_string(instant));
      TemporaryFolder folder;
      CheckpointFolder checkpoints(folder / "c");
      for (int64_t step : all)
        ASSERT_TRUE(checkpoints.commit(step, 0, [](const std::string &) { return Status::ok(); }).isOk());
      over = WIFEXITED(statusOfKilled(instant, [&] { EXPECT_TRUE(checkpoints.setAside(after).isOk()); }));
      ASSERT_TRUE(checkpoints.mend().isOk());
      ASSERT_TRUE(checkpoints.setAside(after).isOk());
      std::vector<int64_t> found = checkpoints.steps();
      EXPECT_EQ(found, after < 0 ? std::vector<int64_t>() : std::vector<int64_t>({10, 20}));
      for (const char *aside : {"c.1", "c.2"})
        for (int64_t step : CheckpointFolder(folder / aside).steps())
          found.push_back(step);
      std::ranges::sort(found);
      EXPECT_EQ(found, all);
      if (after >= 0)
        expectMended(folder / "c");
    }
}

} // namespace
} // namespace windlass
