// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// No process of a job loads another checkpoint than the first one does.
#include "runtime/training/checkpoint/FetchedCheckpoint.h"

#include "test/runtime/training/TemporaryFolder.h"
#include "test/runtime/training/TrainedToy.h"
#include "test/runtime/training/checkpoint/OldTrainerState.h"
#include "test/support/JobOfThreads.h"
#include <filesystem>
#include <gtest/gtest.h>

namespace windlass {
namespace {

namespace fs = std::filesystem;

class FetchedCheckpointTest : public testing::Test {
protected:
  FetchedCheckpointTest() {
    Trained trained({});
    CheckpointFolder checkpoints(folder / "first");
    first = commit(checkpoints, trained, 1);
    fs::create_directory(folder / "own");
  }

  /// A copy on another disk.
  std::string copy() {
    fs::copy(first, folder / "second");
    return folder / "second";
  }

  static void flipBit(const std::string &file) {
    std::string bytes = readText(file);
    bytes[bytes.size() / 2] ^= 1;
    std::ofstream(file, std::ios::binary) << bytes;
  }

  /// Where the second process of a job reads the checkpoint if it sees `second` under its name. What it is
  /// given must be the first process's checkpoint.
  std::string read(const std::string &second) {
    std::string from;
    test::asJob(2, [&](size_t process, JobProcess &job) {
      const std::string &seen = process == 0 ? first : second;
      Result<FetchedCheckpoint> fetched = FetchedCheckpoint::fetch(job, seen, folder / "own");
      ASSERT_TRUE(fetched.isOk()) << fetched.status().message();
      if (process == 0)
        EXPECT_EQ(fetched->path(), first);
      else
        from = fetched->path();
      for (const auto &file : fs::directory_iterator(first))
        EXPECT_EQ(readText(fetched->path() + "/" + file.path().filename().string()),
                  readText(file.path().string()))
            << file;
      EXPECT_TRUE(job.meet());
    });
    EXPECT_TRUE(fs::is_empty(folder / "own")) << "a copy was left";
    return from;
  }

  bool isReceived(const std::string &path) const { return path.starts_with(folder / "own" + "/.received-"); }

  TemporaryFolder folder;
  std::string first;
};

TEST_F(FetchedCheckpointTest, sharedFilesAndEqualCopiesAreReadWhereTheyAre) {
  EXPECT_EQ(read(first), first);
  const std::string second = copy();
  EXPECT_EQ(read(second), second);
}

TEST_F(FetchedCheckpointTest, whatIsNotThereComesFromTheFirstProcess) {
  EXPECT_TRUE(isReceived(read(folder / "nowhere")));
  const std::string second = copy();
  fs::remove(second + "/optimizer.safetensors");
  EXPECT_TRUE(isReceived(read(second)));
}

/// Names, sizes and what trainer_state.json says of them are the same.
TEST_F(FetchedCheckpointTest, aCopyWithAnotherBitIsNotRead) {
  const std::string second = copy();
  for (const char *name : {"model.safetensors", "optimizer.safetensors", "trainer_state.json"}) {
    SCOPED_TRACE(name);
    const std::string file = second + "/" + name;
    flipBit(file);
    EXPECT_TRUE(isReceived(read(second)));
    flipBit(file);
    EXPECT_EQ(read(second), second);
  }
}

/// Also where no hash was written.
TEST_F(FetchedCheckpointTest, aCopyOfAnOlderCheckpointIsComparedToo) {
  const std::string state = first + "/trainer_state.json", old = test::asOldTrainerState(readText(state));
  std::ofstream(state, std::ios::binary) << old;
  const std::string second = copy();
  EXPECT_EQ(read(second), second);
  flipBit(second + "/model.safetensors");
  EXPECT_TRUE(isReceived(read(second)));
}

/// What the first process reads may be damaged between its check and now.
TEST_F(FetchedCheckpointTest, whatIsReceivedIsCheckedAgain) {
  flipBit(first + "/model.safetensors");
  test::asJob(2, [&](size_t process, JobProcess &job) {
    const Result<FetchedCheckpoint> fetched =
        FetchedCheckpoint::fetch(job, process == 0 ? first : folder / "nowhere", folder / "own");
    EXPECT_EQ(fetched.isOk(), process == 0);
    if (fetched)
      return;
    EXPECT_NE(fetched.status().message().find("model.safetensors: is not as it was written"),
              std::string::npos)
        << fetched.status().message();
    EXPECT_TRUE(job.meet()); // the first process waits for it
  });
  EXPECT_TRUE(fs::is_empty(folder / "own"));
}

} // namespace
} // namespace windlass
