// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The checkpoint from which a run starts, and the notes about it.
#include "runtime/training/checkpoint/Resume.h"

#include "runtime/training/checkpoint/TrainingRecord.h"
#include "test/runtime/training/TemporaryFolder.h"
#include "test/runtime/training/TrainedToy.h"
#include <filesystem>
#include <gtest/gtest.h>

namespace windlass {
namespace {

TEST(ResumeTest, settlesSeedDataAndRecord) {
  TemporaryFolder folder;
  CheckpointFolder checkpoints(folder / "c");
  TrainerState saved;
  Trained trained({});
  saved.step = 5;
  saved.seed = 18446744073709551615ull;
  saved.trainingExamples = 100;
  saved.numerics = R"({"dp":2,"isa":"a"})";
  ASSERT_TRUE(checkpoints
                  .commit(5, 2,
                          [&](const std::string &path) {
                            return writeCheckpoint(path, trained.plan, trained.states, saved);
                          })
                  .isOk());
  ResumeRequest request;
  request.fresh.numerics = R"({"dp":4,"isa":"a"})";
  request.fresh.trainingExamples = 90;
  Result<Start> start = chooseStart(request, checkpoints);
  ASSERT_TRUE(start.isOk()) << start.status().message();
  EXPECT_EQ(start->state.seed, saved.seed);
  EXPECT_EQ(start->state.step, 5);
  ASSERT_EQ(start->notes.size(), 3u);
  EXPECT_EQ(start->notes[1], "resuming with the checkpoint's seed: stays 18446744073709551615, the training "
                             "file says 1");
  EXPECT_NE(start->notes[2].find("dp: 2 -> 4"), std::string::npos);

  request.seed = saved.seed;
  EXPECT_EQ(chooseStart(request, checkpoints)->notes.size(), 2u) << "what was asked for";
  request.seed = 1;
  EXPECT_EQ(chooseStart(request, checkpoints).status().code(), ExitCode::BadInput);
  request.resume = "off";
  EXPECT_EQ(chooseStart(request, checkpoints)->state.step, 0);
  request.resume = folder / "nowhere";
  EXPECT_EQ(chooseStart(request, checkpoints).status().code(), ExitCode::BadInput);
}

/// There is one note for each change. An older checkpoint without a record of its training is used as it is.
/// A disk that is not mounted is no fresh start.
TEST(ResumeTest, aFolderThatCannotBeReadIsNotTakenForEmpty) {
  TemporaryFolder folder;
  EXPECT_TRUE(CheckpointFolder(folder / "none").check(true));
  std::filesystem::create_directory(folder / "empty");
  EXPECT_TRUE(CheckpointFolder(folder / "empty").check(true));
  std::filesystem::create_directory_symlink(folder / "gone", folder / "link");
  EXPECT_EQ(CheckpointFolder(folder / "link").check(false).message(),
            folder / "link" + ": is a link that leads nowhere");
  EXPECT_EQ(CheckpointFolder(folder.write("file", "x")).check(false).message(),
            folder / "file" + ": cannot be read: Not a directory");
}

TEST(ResumeTest, saysWhatIsNotAsItWas) {
  TemporaryFolder folder;
  CheckpointFolder checkpoints(folder / "c");
  Trained trained({});
  auto notes = [&](const TrainerState &saved, const TrainerState &fresh) {
    EXPECT_TRUE(checkpoints.commit(5, 1, [&](const std::string &path) {
      return writeCheckpoint(path, trained.plan, trained.states, saved);
    }));
    ResumeRequest request;
    request.fresh = fresh;
    Result<Start> start = chooseStart(request, checkpoints);
    EXPECT_TRUE(start) << start.status().message();
    EXPECT_TRUE(fresh.data.empty() || start->state.fingerprint == fresh.fingerprint);
    return start->notes;
  };
  TrainerState saved, fresh;
  saved.trainingExamples = fresh.trainingExamples = 100;
  EXPECT_EQ(notes(saved, fresh), std::vector<std::string>());
  fresh.data = "text, 10 bytes in 1 file";
  fresh.fingerprint = "89abcdef89abcdef89abcdef89abcdef";
  fresh.training = R"({"clip":1.0,"optimizer.learning_rate":0.003})";
  EXPECT_EQ(notes(saved, fresh), std::vector<std::string>()) << "of an older version";
  saved = fresh;
  EXPECT_EQ(notes(saved, fresh), std::vector<std::string>());
  saved.fingerprint = "0123456701234567012345670123456789";
  saved.training = R"({"clip":1.0,"optimizer.learning_rate":0.001})";
  EXPECT_EQ(notes(saved, fresh),
            (std::vector<std::string>{
                "resuming with other data: was text, 10 bytes in 1 file (01234567), is text, 10 bytes in 1 "
                "file (89abcdef)",
                "resuming with another optimizer.learning_rate: was 0.001, is 0.003"}));
  saved = fresh;
  fresh.seed = 6;
  fresh.shuffle = false;
  EXPECT_EQ(notes(saved, fresh),
            (std::vector<std::string>{
                "resuming with the checkpoint's seed: stays 1, the training file says 6",
                "resuming with the checkpoint's shuffle: stays on, the training file says off"}));
  fresh.data = fresh.fingerprint = ""; // nothing is trained
  fresh.trainingExamples = 0;
  EXPECT_EQ(notes(saved, fresh), std::vector<std::string>());
}

/// Another dropout and other frozen parameters change more than last bits.
TEST(ResumeTest, saysWhichDropoutAndParametersAreTrained) {
  TemporaryFolder folder;
  CheckpointFolder checkpoints(folder / "c");
  Trained trained({});
  TrainerState saved;
  saved.trainingExamples = 100;
  saved.numerics = R"({"dp":2,"dropout":"philox4x32-10","trainable":["b"]})";
  ASSERT_TRUE(checkpoints.commit(5, 1, [&](const std::string &path) {
    return writeCheckpoint(path, trained.plan, trained.states, saved);
  }));
  ResumeRequest request;
  request.fresh.trainingExamples = 100;
  request.fresh.numerics = R"({"dp":2,"dropout":null,"freeze":["a"]})";
  EXPECT_EQ(chooseStart(request, checkpoints)->notes,
            (std::vector<std::string>{R"(resuming with another dropout: was "philox4x32-10", is none)",
                                      R"(resuming with another freeze: was none, is ["a"])",
                                      R"(resuming with another trainable: was ["b"], is none)"}));
  request.fresh.numerics = R"({"dp":4,"dropout":null,"trainable":["b"]})";
  const std::vector<std::string> both = chooseStart(request, checkpoints)->notes;
  ASSERT_EQ(both.size(), 2u);
  EXPECT_NE(both[1].find("(dp: 2 -> 4)"), std::string::npos) << both[1];
  request.fresh.trainingExamples = 0; // nothing is trained
  EXPECT_EQ(chooseStart(request, checkpoints)->notes, (std::vector<std::string>{both[1]}));
}

/// An older plan's record may lack keys that the record of a plan has today.
TEST(ResumeTest, goesOnFromARecordThatLacksAKeyWithANote) {
  TemporaryFolder folder;
  CheckpointFolder checkpoints(folder / "c");
  Trained trained({});
  TrainerState saved;
  saved.numerics = R"({"dp":2})";
  ASSERT_TRUE(checkpoints.commit(5, 1, [&](const std::string &path) {
    return writeCheckpoint(path, trained.plan, trained.states, saved);
  }));
  ResumeRequest request;
  request.fresh.numerics = R"({"dp":2,"kernel_order":2,"norm_order":"segments"})";
  Result<Start> start = chooseStart(request, checkpoints);
  ASSERT_TRUE(start) << start.status().message();
  ASSERT_EQ(start->notes.size(), 1u);
  EXPECT_NE(start->notes[0].find("(kernel_order: null -> 2; norm_order: null -> \"segments\""),
            std::string::npos)
      << start->notes[0];
}

TEST(ResumeTest, passesOverDamagedCheckpointsButNotOverAll) {
  for (const char *file : {"/trainer_state.json", "/model.safetensors", "/optimizer.safetensors"}) {
    SCOPED_TRACE(file);
    TemporaryFolder folder;
    CheckpointFolder checkpoints(folder / "c");
    EXPECT_EQ(chooseStart({}, checkpoints)->checkpoint, "");
    Trained trained({});
    commit(checkpoints, trained, 1);
    std::filesystem::resize_file(commit(checkpoints, trained, 2) + file, 100);
    Result<Start> start = chooseStart({}, checkpoints);
    ASSERT_TRUE(start.isOk()) << start.status().message();
    EXPECT_EQ(start->checkpoint, checkpoints.pathOf(1));
    ASSERT_EQ(start->notes.size(), 1u);
    EXPECT_NE(start->notes[0].find(checkpoints.pathOf(2) + file), std::string::npos) << start->notes[0];

    std::filesystem::remove(checkpoints.pathOf(1) + file);
    const Status none = chooseStart({}, checkpoints).status();
    EXPECT_EQ(none.code(), ExitCode::BadInput);
    EXPECT_NE(none.message().find("no other is left: start afresh with --resume off"), std::string::npos)
        << none.message();
    ResumeRequest fresh;
    fresh.resume = "off";
    EXPECT_TRUE(chooseStart(fresh, checkpoints).isOk());
  }
}

/// The plan's record of the optimizer is compared as it is, also a decay by name.
TEST(ResumeTest, saysThatAnotherDecayOrEpsilonIsUsed) {
  plan::Training training;
  training.optimizer = R"({"epsilon":1e-08,"weight_decay":0.1})";
  const std::string before = trainingRecord(training);
  training.optimizer = R"({"epsilon":1e-06,"weight_decay":{"*":0.1,"bias":0.0}})";
  std::vector<std::string> keys;
  for (const RecordDifference &difference : differencesOfRecords(before, trainingRecord(training)))
    keys.push_back(difference.key + " " + difference.before + " " + difference.now);
  EXPECT_EQ(keys, (std::vector<std::string>{"optimizer.epsilon 1e-08 1e-06",
                                            R"(optimizer.weight_decay 0.1 {"*":0.1,"bias":0.0})"}));
  training.optimizer = "{}"; // of an older plan
  EXPECT_EQ(trainingRecord(training).find("epsilon"), std::string::npos);
}

} // namespace
} // namespace windlass
