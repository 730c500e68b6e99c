// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A checkpoint with a changed bit is not used.
#include "runtime/base/Hash.h"
#include "runtime/training/checkpoint/Checkpoint.h"
#include "runtime/training/checkpoint/CheckpointFolder.h"
#include "runtime/training/checkpoint/Resume.h"
#include "runtime/training/checkpoint/VerifyCheckpoints.h"
#include "test/runtime/training/TemporaryFolder.h"
#include "test/runtime/training/ToyModel.h"
#include "test/runtime/training/checkpoint/OldTrainerState.h"
#include <algorithm>
#include <gtest/gtest.h>

namespace windlass {
namespace {

namespace fs = std::filesystem;

class CheckpointHashes : public testing::TestWithParam<CheckpointFormat> {
protected:
  std::string commit(int64_t step) {
    ToyOptions options;
    options.ranks = 2;
    options.mixed = true;
    options.vocabulary = 600;
    const plan::Plan plan = toyPlan(options);
    FakeExecutor executor(plan);
    StateStream states(plan, executor);
    EXPECT_TRUE(states.writeAll(initialValues(static_cast<uint64_t>(step))).isOk());
    TrainerState state;
    state.step = step;
    const Status status = checkpoints.commit(step, /*keep=*/0, [&](const std::string &path) {
      return writeCheckpoint(path, plan, states, state, GetParam());
    });
    EXPECT_TRUE(status.isOk()) << status.message();
    return checkpoints.pathOf(step);
  }

  static std::vector<std::string> filesOf(const std::string &checkpoint) {
    std::vector<std::string> files;
    for (const auto &entry : fs::directory_iterator(checkpoint))
      files.push_back(entry.path().string());
    std::sort(files.begin(), files.end());
    return files;
  }

  static void overwrite(const std::string &path, const std::string &text) {
    std::ofstream(path, std::ios::binary) << text;
  }

  TemporaryFolder folder;
  CheckpointFolder checkpoints{folder / "out/checkpoints"};
};

INSTANTIATE_TEST_SUITE_P(Formats, CheckpointHashes,
                         testing::Values(CheckpointFormat::Full, CheckpointFormat::Sharded),
                         [](const auto &info) {
                           return info.param == CheckpointFormat::Full ? "full" : "sharded";
                         });

TEST_P(CheckpointHashes, areThoseOfTheFilesAsTheyLieThere) {
  const std::string path = commit(1);
  const Result<TrainerState> trainer = readTrainerState(path + "/trainer_state.json");
  ASSERT_TRUE(trainer.isOk()) << trainer.status().message();
  EXPECT_EQ(std::ssize(trainer->files) + 1, std::ssize(filesOf(path)));
  EXPECT_EQ(trainer->files.size(), GetParam() == CheckpointFormat::Full ? 3u : 5u);
  for (const auto &[name, hash] : trainer->files)
    EXPECT_EQ(hash, *hashOfFile(path + "/" + name)) << name;
}

TEST_P(CheckpointHashes, aDamagedFileLetsTheCheckpointBeforeBeTaken) {
  const std::string before = commit(1), newest = commit(2);
  for (const std::string &file : filesOf(newest)) {
    SCOPED_TRACE(file);
    const std::string sound = readText(file);
    std::string flipped = sound, page = sound;
    flipped[sound.size() - 7] ^= 4; // the last element of a tensor
    for (size_t at = sound.size() > 4096 ? sound.size() - 4096 : 0; at < sound.size(); ++at)
      page[at] = static_cast<char>(page[at] == '\0' ? 'x' : '\0');
    for (const std::string &damaged : {flipped, page}) {
      ASSERT_TRUE(damaged != sound);
      overwrite(file, damaged);
      EXPECT_EQ(checkCheckpoint(newest).status().code(), ExitCode::BadInput);
      const Result<Start> start = chooseStart({}, checkpoints);
      ASSERT_TRUE(start.isOk()) << start.status().message();
      EXPECT_EQ(start->checkpoint, before);
      ASSERT_EQ(start->notes.size(), 1u);
      EXPECT_NE(start->notes[0].find("passing over a damaged checkpoint: " + file), std::string::npos)
          << start->notes[0];
    }
    overwrite(file, sound);
  }
  EXPECT_EQ(chooseStart({}, checkpoints)->checkpoint, newest);
}

/// The trainer state is checked, too, with the layout of its file.
TEST_P(CheckpointHashes, noBitOfTheTrainerStateCanChange) {
  const std::string path = commit(1), file = path + "/trainer_state.json", sound = readText(file);
  for (size_t at = 0; at < sound.size(); ++at) {
    std::string damaged = sound;
    damaged[at] = static_cast<char>(damaged[at] ^ (1 << at % 8));
    overwrite(file, damaged);
    ASSERT_EQ(readTrainerState(file).status().code(), ExitCode::BadInput) << damaged;
  }
  overwrite(file, sound);
  EXPECT_TRUE(checkCheckpoint(path).isOk());
}

/// JSON takes blanks before, behind and in a document.
TEST_P(CheckpointHashes, aByteBesideTheTrainerStateIsFound) {
  const std::string path = commit(1), file = path + "/trainer_state.json", sound = readText(file);
  const std::string bytes = std::to_string(sound.size());
  for (const std::string &damaged :
       {sound + "\n", sound + " ", " " + sound, sound.substr(0, sound.size() - 1),
        nlohmann::json::parse(sound).dump()}) {
    overwrite(file, damaged);
    const Status found = verifyCheckpoints(path, [](const std::string &) {});
    EXPECT_EQ(found.code(), ExitCode::BadInput) << damaged;
  }
  overwrite(file, sound + "\n");
  EXPECT_EQ(checkCheckpoint(path).status().message(),
            file + ": is not as it was written: it has " + std::to_string(sound.size() + 1) +
                " bytes, of which the first " + bytes + " are those of the " + bytes + " that were written");
}

TEST_P(CheckpointHashes, aFileThatWasNotWrittenWithItIsNotRead) {
  const std::string path = commit(1), other = commit(2);
  const bool full = GetParam() == CheckpointFormat::Full;
  const std::string stray = full ? "shard-00009-model-00001-of-00001.safetensors" : "model.safetensors";
  fs::copy_file(full ? other + "/model.safetensors" : filesOf(other)[1], path + "/" + stray);
  const Result<TrainerState> checked = checkCheckpoint(path);
  EXPECT_EQ(checked.isOk(), full); // shards beside a whole file are never read
  EXPECT_TRUE(full || checked.status().message().find("is none of the files") != std::string::npos)
      << checked.status().message();
}

TEST_P(CheckpointHashes, anOlderCheckpointGoesOnWithAWord) {
  const std::string path = commit(1), file = path + "/trainer_state.json";
  overwrite(file, test::asOldTrainerState(readText(file)));
  const Result<Start> start = chooseStart({}, checkpoints);
  ASSERT_TRUE(start.isOk()) << start.status().message();
  EXPECT_EQ(start->checkpoint, path);
  EXPECT_EQ(start->notes,
            std::vector<std::string>{path + ": an older version wrote it, without hashes: whether "
                                            "its files are as they were written cannot be seen"});
  // A newer file with a key removed is not accepted as an older one.
  commit(1);
  nlohmann::json document = nlohmann::json::parse(readText(file));
  document.erase("hash");
  overwrite(file, document.dump());
  EXPECT_EQ(readTrainerState(file).status().code(), ExitCode::BadInput);
}

TEST_P(CheckpointHashes, verifyingLooksAtAllAndChangesNothing) {
  const std::string first = commit(1), second = commit(2), third = commit(3);
  overwrite(first + "/trainer_state.json", test::asOldTrainerState(readText(first + "/trainer_state.json")));
  std::vector<std::string> lines;
  auto verify = [&](const std::string &place) {
    lines.clear();
    return verifyCheckpoints(place, [&](const std::string &line) { lines.push_back(line); });
  };
  EXPECT_TRUE(verify(folder / "out").isOk());
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_EQ(lines[0], first + ": of step 1: whole, but of an older version, without hashes");
  EXPECT_EQ(lines[1], second + ": of step 2: as it was written, " +
                          (GetParam() == CheckpointFormat::Full ? "4" : "6") + " files");
  const std::string file = filesOf(second)[1], sound = readText(file);
  std::string damaged = sound;
  damaged[sound.size() / 2] ^= 1;
  overwrite(file, damaged);
  const Status bad = verify(folder / "out/checkpoints");
  EXPECT_EQ(bad.code(), ExitCode::BadInput);
  EXPECT_EQ(bad.message(), folder / "out/checkpoints" + ": 1 of 3 checkpoints are damaged");
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_EQ(lines[1].find("damaged: " + file), 0u) << lines[1];
  EXPECT_EQ(readText(file), damaged);
  EXPECT_EQ(verify(second).code(), ExitCode::BadInput);
  EXPECT_TRUE(verify(third).isOk());
  EXPECT_EQ(verify(folder.path).code(), ExitCode::BadInput);
  EXPECT_EQ(verify(folder / "nowhere").code(), ExitCode::BadInput);
}

} // namespace
} // namespace windlass
