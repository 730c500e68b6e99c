// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The ends of a run of windlass-run: a loss that is NaN, signals, kills, a second run.
#include "test/tools/windlass-run/RunTool.h"
#include <nlohmann/json.hpp>
#include <random>
#include <sstream>

namespace windlass::test {
namespace {

TEST_F(RunTool, aLossThatIsNotFiniteEndsTheRunAndNamesTheStep) {
  const ToolRun wild = run("../../" + std::filesystem::path(shared->path).filename().string() +
                           "/wild.plan --data synthetic --steps 200 --checkpoint-every 1 --quiet");
  expectRefusal(wild, 4, "not a finite number; the newest checkpoint is out/checkpoints/step-");
  EXPECT_EQ(wild.error.find("-nan"), std::string::npos) << wild.error;
  const size_t at = wild.error.find("error: step ");
  ASSERT_NE(at, std::string::npos) << wild.error;
  const int64_t step = std::stoll(wild.error.substr(at + 12));
  EXPECT_EQ(checkpoints().back(), step - 1);
}

/// The steps are kept. The error says that the output was lost.
TEST_F(RunTool, aFullDiskBehindItsOutputLosesNoStep) {
  const ToolRun full = run("the.plan --data synthetic --steps 2 >/dev/full");
  expectRefusal(full, 1, "standard output: ");
  EXPECT_EQ(checkpoints().back(), 2);
  EXPECT_EQ(run("the.plan --data synthetic --steps 3 --quiet >/dev/full").code, 0) << "nothing was lost";
}

/// Starts a long run, waits for its checkpoint, sends `signal`, and returns the status of wait.
std::string stopWith(const std::string &signal) {
  return "( exec " WINDLASS_RUN
         " the.plan --data synthetic --steps 100000000 --checkpoint-every 1 --quiet ) & "
         "for i in $(seq 600); do sleep 0.1; [ -e out/checkpoints/latest ] && break; done; kill -" +
         signal + " $!; wait $!";
}

TEST_F(RunTool, signalsLeaveACheckpointAndNothingElse) {
  for (const char *signal : {"INT", "TERM", "HUP"}) {
    const ToolRun stopped = runTool(job(), stopWith(signal));
    EXPECT_EQ(stopped.code, 0) << signal << ": " << stopped.error;
    EXPECT_EQ(stopped.error.find("note: finishing the step, then a checkpoint; again to leave at once\n") !=
                  std::string::npos,
              std::string(signal) != "HUP")
        << signal << ": " << stopped.error;
    EXPECT_EQ(namesIn(job() + "/out"), "checkpoints metrics.jsonl");
    const int64_t step = checkpoints().back();
    const ToolRun resumed = run("the.plan --data synthetic --steps " + std::to_string(step + 1));
    EXPECT_EQ(resumed.code, 0) << resumed.error;
    EXPECT_EQ(checkpoints().back(), step + 1);
    std::filesystem::remove_all(job() + "/out");
  }
}

/// nohup asks for a run that outlives its session.
TEST_F(RunTool, anIgnoredHangupStaysIgnored) {
  const ToolRun ended = runTool(job(), "trap '' HUP; " + stopWith("HUP $!; sleep 1; kill -KILL"));
  EXPECT_EQ(ended.code, 128 + 9) << "the hangup ended it: " << ended.error;
}

/// The steps of metrics.jsonl, in its order.
std::vector<int64_t> loggedSteps(const std::string &path) {
  std::vector<int64_t> steps;
  std::istringstream lines(readText(path));
  for (std::string line; std::getline(lines, line);)
    steps.push_back(nlohmann::json::parse(line)["step"]);
  return steps;
}

TEST_F(RunTool, aRunWithoutCheckpointsLeavesNone) {
  const ToolRun ended =
      run("the.plan --data synthetic --quiet --steps 3 --no-checkpoint --export weights.safetensors");
  EXPECT_EQ(ended.code, 0) << ended.error;
  EXPECT_EQ(namesIn(job() + "/out"), "metrics.jsonl");
  EXPECT_EQ(loggedSteps(job() + "/out/metrics.jsonl"), (std::vector<int64_t>{1, 2, 3}));
  ASSERT_EQ(run("the.plan --data synthetic --quiet --steps 3 --out saved --export saved.safetensors").code,
            0);
  EXPECT_EQ(readText(job() + "/weights.safetensors"), readText(job() + "/saved.safetensors"));
  const ToolRun both = run("the.plan --data synthetic --no-checkpoint --checkpoint-every 2");
  EXPECT_EQ(both.code, 2);
  EXPECT_NE(both.error.find("--checkpoint-every excludes --no-checkpoint"), std::string::npos) << both.error;
}

TEST_F(RunTool, aSignalWithoutCheckpointsSaysSo) {
  const ToolRun stopped =
      runTool(job(), "( exec " WINDLASS_RUN
                     " the.plan --data synthetic --steps 100000000 --no-checkpoint --quiet ) & "
                     "for i in $(seq 600); do sleep 0.1; [ -s out/metrics.jsonl ] && break; done; "
                     "kill -INT $!; wait $!");
  EXPECT_EQ(stopped.code, 0) << stopped.error;
  EXPECT_NE(stopped.error.find("note: finishing the step; again to leave at once\n"), std::string::npos)
      << stopped.error;
  EXPECT_EQ(namesIn(job() + "/out"), "metrics.jsonl");
}

/// A run that is killed many times, in steps and in checkpoints, and started again gives the same bits.
/// CheckpointFolderTest tests every instant of a checkpoint; here the instants are random.
TEST_F(RunTool, aKillAtAnyInstantLeavesTheLastCheckpointAndNoScratch) {
  constexpr int kKills = 8;
  const std::string train = WINDLASS_RUN " the.plan --data synthetic --quiet --checkpoint-every 1 "
                                         "--nvme-folder scratch --out ";
  std::filesystem::create_directory(job() + "/scratch");
  std::mt19937 random(20251121);
  int64_t newest = 0;
  for (int round = 0; round < kKills; ++round) {
    // After it has written a checkpoint, the process lives some hundredths of a second, and never ends by
    // itself.
    const std::string life = "0.0" + std::to_string(100 + random() % 900);
    // A changed `latest` would not show this, as the start mends it if the kill fell before it.
    const ToolRun killed = runTool(
        job(), "BEFORE=$(ls out/checkpoints 2>/dev/null | grep step- | tail -1); ( exec " + train +
                   "out --steps 100000000 ) & for i in $(seq 6000); do [ \"$(cat out/checkpoints/latest "
                   "2>/dev/null)\" \\> \"$BEFORE\" ] && break; sleep 0.01; done; sleep " +
                   life + "; kill -KILL $!; wait $!");
    ASSERT_EQ(killed.code, 128 + 9) << killed.error;
    EXPECT_EQ(killed.error.find("damaged"), std::string::npos) << killed.error;
    EXPECT_EQ(namesIn(job() + "/scratch"), "");
    const std::vector<int64_t> left = checkpoints();
    ASSERT_FALSE(left.empty());
    EXPECT_LE(left.size(), 3u); // two to keep, and one while the oldest is removed
    EXPECT_GT(left.back(), newest) << "it did not go on";
    newest = left.back();
  }
  const std::string steps = " --steps " + std::to_string(newest + 2);
  const ToolRun last = runTool(job(), train + "out" + steps);
  EXPECT_EQ(last.code, 0) << last.error;
  EXPECT_EQ(last.error.find("damaged"), std::string::npos) << last.error;
  ASSERT_EQ(runTool(job(), train + "whole" + steps).code, 0);
  expectSameCheckpoints("out", "whole", newest + 2);
  EXPECT_EQ(namesIn(job() + "/out/checkpoints"), namesIn(job() + "/whole/checkpoints"));
  EXPECT_EQ(checkpoints(), (std::vector<int64_t>{newest + 1, newest + 2}));
  EXPECT_EQ(namesIn(job() + "/out"), "checkpoints metrics.jsonl");
  EXPECT_EQ(loggedSteps(job() + "/out/metrics.jsonl"), loggedSteps(job() + "/whole/metrics.jsonl"));
}

TEST_F(RunTool, jobsInOneScratchFolderDoNotTouchEachOther) {
  std::filesystem::create_directory(job() + "/scratch");
  const std::string start =
      "( exec " WINDLASS_RUN " the.plan --data synthetic --quiet --checkpoint-every 1 --nvme-folder scratch ";
  const ToolRun alone = runTool(job(), start + "--out alone --steps 6 ) & wait $!");
  ASSERT_EQ(alone.code, 0) << alone.error;
  const ToolRun three =
      runTool(job(), start + "--out a --steps 6 ) & A=$!; " + start + "--out b --steps 6 ) & B=$!; " + start +
                         "--out victim --steps 1000000 ) & VICTIM=$!; for i in $(seq 6000); do "
                         "[ -e victim/checkpoints/latest ] && break; sleep 0.01; done; kill -KILL $VICTIM; "
                         "wait $A && wait $B");
  EXPECT_EQ(three.code, 0) << three.error;
  expectSameCheckpoints("a", "alone", 6);
  expectSameCheckpoints("b", "alone", 6);
  EXPECT_EQ(namesIn(job() + "/scratch"), "");
}

/// A reader that leaves, as `head` does, ends the run as Ctrl-C does.
TEST_F(RunTool, aReaderThatLeavesEndsTheRunWithACheckpoint) {
  const ToolRun left = runTool(job(), "{ " WINDLASS_RUN " the.plan --data synthetic --steps 100000000; "
                                      "echo $? >code; } | head -1");
  EXPECT_EQ(readText(job() + "/code"), "4\n") << left.error;
  const std::string step = std::to_string(checkpoints().back());
  EXPECT_EQ(left.error, "error: standard output: its reader has left; the run ends after step " + step +
                            ", with a checkpoint\n");
  const ToolRun whole = runTool(job(), "{ " WINDLASS_RUN " --help; echo $? >code; } | true");
  EXPECT_EQ(readText(job() + "/code"), "0\n") << whole.error;
  EXPECT_EQ(whole.error, "");
}

TEST_F(RunTool, metricsThatCannotBeWrittenEndTheRunWithACheckpoint) {
  expectRefusal(
      run("the.plan --data synthetic --metrics /dev/full"), 4,
      "/dev/full: cannot write: No space left on device; the run ends after step 1, with a checkpoint");
  EXPECT_EQ(checkpoints(), std::vector<int64_t>{1});
}

/// A limit on the size of files is an error of the call that reaches it.
TEST_F(RunTool, aFileThatMayNotGrowIsAnError) {
  const ToolRun limited = runTool(job(), "ulimit -f 8; " WINDLASS_RUN " the.plan --data synthetic");
  expectRefusal(limited, 4, "File too large");
}

TEST_F(RunTool, verifiesWithoutAPlanAndNothingElse) {
  ASSERT_EQ(run("the.plan --data synthetic --steps 2 --quiet").code, 0);
  const ToolRun sound = run("--verify out");
  EXPECT_EQ(sound.code, 0) << sound.error;
  EXPECT_EQ(sound.out, "out/checkpoints/step-00000002: of step 2: as it was written, 4 files\n");
  const std::string file = job() + "/out/checkpoints/step-00000002/model.safetensors";
  std::string bytes = readText(file);
  bytes[bytes.size() / 2] ^= 1;
  std::ofstream(file, std::ios::binary) << bytes;
  expectRefusal(run("--verify out"), 1, "error: out: 1 of 1 checkpoints are damaged");
  expectRefusal(run("the.plan --data synthetic --quiet"), 1, "model.safetensors: is not as it was written");
  expectRefusal(run("--verify out --quiet").code == 2 ? run("--verify nowhere") : ToolRun(), 1,
                "nowhere: holds no checkpoint");
}

TEST_F(RunTool, oneOutputFolderServesOneRun) {
  const ToolRun second = runTool(
      job(), "( exec " WINDLASS_RUN " the.plan --data synthetic --steps 100000000 --quiet ) & "
             "for i in $(seq 600); do sleep 0.1; [ -s out/metrics.jsonl ] && break; done; for FLAGS in '' "
             "'--resume off' --dry-run; do " WINDLASS_RUN " the.plan --data synthetic $FLAGS; echo $?; done; "
             "kill -INT $!; wait $!");
  EXPECT_EQ(second.code, 0) << second.error;
  EXPECT_NE(second.out.find("1\n"), std::string::npos);
  size_t refusals = 0;
  for (size_t at = 0; (at = second.error.find(
                           "error: out: another run is writing to this folder; say another --out (--sample "
                           "and --export without --data read what it has saved)\n",
                           at)) != std::string::npos;
       ++at)
    ++refusals;
  EXPECT_EQ(refusals, 3u) << second.error;
  const std::vector<int64_t> logged = loggedSteps(job() + "/out/metrics.jsonl");
  EXPECT_EQ(checkpoints().back(), logged.back());
}

} // namespace
} // namespace windlass::test
