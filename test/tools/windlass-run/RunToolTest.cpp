// windlass-run on a compiled plan, as a shell sees it: wrong data, damaged plans, full disks, signals.
#include "runtime/plan/PlanHash.h"
#include "runtime/training/CheckpointFolder.h"
#include "test/runtime/training/TemporaryFolder.h"
#include "test/support/ToolRun.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <memory>
#include <nlohmann/json.hpp>
#include <unistd.h>

namespace windlass::test {
namespace {

using nlohmann::json;

/// A GPT-2 of one layer on two ranks, its moments on NVMe.
class RunTool : public testing::Test {
protected:
  static void SetUpTestSuite() {
    const std::string example = WINDLASS_SOURCE_DIR "/examples/gpt2-bytes/";
    json config = json::parse(readText(example + "config.json"));
    json training = json::parse(readText(example + "training.json"));
    json machine = json::parse(readText(example + "machine.json"));
    config.update({{"n_layer", 1}, {"n_embd", 64}, {"n_head", 2}, {"n_positions", 32}});
    training.merge_patch({{"sequence", 32},
                          {"global_batch", 4},
                          {"parallel", {{"data", 2}}},
                          {"steps", 6},
                          {"schedule", {{"warmup", 1}}},
                          {"placement", {{"moments", "nvme"}}},
                          {"checkpoint", {{"every", 2}, {"keep", 2}}}});
    machine["ranks"] = 2;
    shared = std::make_unique<TemporaryFolder>();
    std::filesystem::create_directory(*shared / "source");
    shared->write("source/config.json", config.dump());
    shared->write("source/training.json", training.dump());
    shared->write("source/machine.json", machine.dump());
    training["optimizer"]["learning_rate"] = 1e3;
    training["clip"] = 0;
    training["schedule"] = {{"type", "constant"}};
    shared->write("source/wild.json", training.dump());
    for (const char *names : {"training.json -o ../the.plan", "wild.json -o ../wild.plan"}) {
      const ToolRun run = runTool(
          *shared / "source",
          std::string(WINDLASS_COMPILE " config.json -q --hardware machine.json --training ") + names);
      ASSERT_EQ(run.code, 0) << run.error;
    }
  }
  static void TearDownTestSuite() { shared.reset(); }

  RunTool() {
    std::filesystem::create_directory(folder / "job");
    std::filesystem::copy(*shared / "the.plan", job() + "/the.plan");
  }

  std::string job() const { return folder / "job"; }
  ToolRun run(const std::string &flags) { return runTool(job(), WINDLASS_RUN " " + flags); }
  std::vector<int64_t> checkpoints() { return CheckpointFolder(job() + "/out/checkpoints").steps(); }

  void expectRefusal(const ToolRun &run, int code, const std::string &part) {
    EXPECT_EQ(run.code, code) << run.error;
    EXPECT_NE(run.error.find("error: "), std::string::npos) << run.error;
    EXPECT_NE(run.error.find(part), std::string::npos) << "lacks " << part << ": " << run.error;
  }

  /// Edits the.plan/plan.json.
  void replaceInPlan(const std::string &what, const std::string &with) {
    std::string text = readText(job() + "/the.plan/plan.json");
    const size_t at = text.find(what);
    ASSERT_NE(at, std::string::npos) << what;
    folder.write("job/the.plan/plan.json", plan::rehashed(text.replace(at, what.size(), with)));
  }

  static std::unique_ptr<TemporaryFolder> shared;
  TemporaryFolder folder;
};

std::unique_ptr<TemporaryFolder> RunTool::shared;

//===----------------------------------------------------------------------===//
// What it is given
//===----------------------------------------------------------------------===//

TEST_F(RunTool, refusesDataThatCannotFeedTheModel) {
  folder.write("job/short.txt", "too few bytes");
  folder.write("job/empty.txt", "");
  folder.write("job/tensors.safetensors", "not one");
  std::filesystem::create_directory(job() + "/empty");
  runTool(job(), "mkfifo pipe pipe.safetensors");
  struct Case {
    const char *data, *part;
  };
  for (const Case &bad :
       {Case{"nowhere.txt", "nowhere.txt: no such file"}, Case{"short.txt", "short.txt: too short"},
        Case{"empty.txt", "empty.txt: too short"}, Case{"empty", "empty: the folder holds no files"},
        Case{"pipe", "pipe: not a regular file"}, Case{"/dev/zero", "/dev/zero: not a regular file"},
        Case{"pipe.safetensors", "too few for a safetensors file"},
        Case{"tensors.safetensors", "too few for a safetensors file"}, Case{"synthetic:x", "synthetic:x"}}) {
    SCOPED_TRACE(bad.data);
    expectRefusal(run(std::string("the.plan --data ") + bad.data), 1, bad.part);
  }
  EXPECT_FALSE(std::filesystem::exists(job() + "/out"));
}

TEST_F(RunTool, refusesDamagedPlansBeforeItTouchesTheOutput) {
  const std::string sound = job() + "/sound";
  std::filesystem::copy(job() + "/the.plan", sound);
  auto expect = [&](int code, const std::string &part) {
    SCOPED_TRACE(part);
    expectRefusal(run("the.plan --data synthetic"), code, part);
    EXPECT_FALSE(std::filesystem::exists(job() + "/out"));
    std::filesystem::remove_all(job() + "/the.plan");
    std::filesystem::copy(sound, job() + "/the.plan");
  };
  replaceInPlan("\"version\":1", "\"version\":9");
  expect(1, "the.plan/plan.json: plan version 9, this windlass reads 1");
  replaceInPlan("\"target_cpu\":\"x86-64-v", "\"target_cpu\":\"x86-64-v9");
  expect(3, "this cpu does not run the plan's kernels");
  std::filesystem::remove(job() + "/the.plan/kernels.so");
  expect(1, "kernels.so: cannot open");
  std::string kernels = readText(sound + "/kernels.so");
  kernels[kernels.size() / 2] ^= 1;
  folder.write("job/the.plan/kernels.so", kernels);
  expect(1, "the plan asks for");
  std::filesystem::remove(job() + "/the.plan/plan.json");
  runTool(job(), "mkfifo the.plan/plan.json");
  expect(1, "the.plan/plan.json: not a regular file");
}

TEST_F(RunTool, refusesNumbersNobodyCanMean) {
  EXPECT_EQ(run("the.plan --data synthetic --dry-run --steps 2147483648").code, 0);
  EXPECT_EQ(run("the.plan --data synthetic --dry-run --steps 9223372036854775807").code, 2);
  expectRefusal(run("the.plan --data synthetic --pace nc_in=0"), 1, "no rate of at least 1 byte a second");
  expectRefusal(run("the.plan --data synthetic --pace nc_in=1GB/s+1e300s"), 1, "latency above");
  EXPECT_EQ(run("the.plan --data synthetic --steps -1").code, 2);
  EXPECT_EQ(run("the.plan --data synthetic --steps 99999999999999999999").code, 2);
}

//===----------------------------------------------------------------------===//
// Disks
//===----------------------------------------------------------------------===//

TEST_F(RunTool, refusesFoldersItCannotWriteTo) {
  folder.write("job/file", "in the way");
  expectRefusal(run("the.plan --data synthetic --out /proc/out"), 1, "/proc/out: cannot create the folder");
  expectRefusal(run("the.plan --data synthetic --out file/out"), 1, "file/out: cannot create the folder");
  expectRefusal(run("the.plan --data synthetic --metrics no/such/file"), 1, "no/such/file");
  expectRefusal(run("the.plan --data synthetic --nvme-folder nowhere --out other"), 1,
                "scratch folder 'nowhere'");
  EXPECT_FALSE(std::filesystem::exists(job() + "/other"));
}

/// A file that may not grow is a full disk for whoever writes it. The scratch file is smaller than the
/// checkpoint's largest, so the run gets to its first checkpoint and fails there.
TEST_F(RunTool, aFullDiskEndsTheRunAndKeepsTheLastCheckpoint) {
  ASSERT_EQ(run("the.plan --data synthetic --quiet --steps 2").code, 0);
  const ToolRun full = runTool(job(), "trap '' XFSZ; ulimit -f 1040; " WINDLASS_RUN
                                      " the.plan --data synthetic --quiet --steps 4");
  expectRefusal(full, 4, "checkpoint of step 4: out/checkpoints/.unfinished-step-00000004/");
  EXPECT_EQ(namesIn(job() + "/out/checkpoints"), "latest step-00000002");
  EXPECT_EQ(run("the.plan --data synthetic --quiet --steps 4").code, 0);
}

TEST_F(RunTool, aScratchFolderWithoutRoomIsFoundBeforeTheFirstStep) {
  const ToolRun full =
      runTool(job(), "trap '' XFSZ; ulimit -f 64; " WINDLASS_RUN " the.plan --data synthetic");
  expectRefusal(full, 4, "bytes cannot be reserved: File too large");
  EXPECT_FALSE(std::filesystem::exists(job() + "/out/checkpoints"));
}

/// Whoever may lock no memory, is nobody, or brings a disk without O_DIRECT: the run says so and does the
/// same.
TEST_F(RunTool, lesserMachinesGiveTheSameBitsAndSayWhy) {
  const std::string train = WINDLASS_RUN " the.plan --data synthetic --steps 2 --out ";
  ASSERT_EQ(run("the.plan --data synthetic --steps 2 --out usual").code, 0);
  const ToolRun unlocked = runTool(job(), "ulimit -l 0; " + train + "unlocked");
  ASSERT_EQ(unlocked.code, 0) << unlocked.error;
  EXPECT_NE(unlocked.out.find("NVMe transfers use memory that is not registered"), std::string::npos)
      << unlocked.out;
  std::vector<std::string> outs = {"unlocked"};
  if (getuid() == 0 &&
      runTool(job(), "chmod a+rx .. && chmod a+rwx . && runuser -u nobody -- true").code == 0) {
    const ToolRun nobody = runTool(job(), "runuser -u nobody -- " + train + "nobody");
    ASSERT_EQ(nobody.code, 0) << nobody.error;
    outs.push_back("nobody");
  }
  for (const std::string &out : outs)
    for (const char *file : {"model", "optimizer"}) {
      const std::string path = "/checkpoints/step-00000002/" + std::string(file) + ".safetensors";
      EXPECT_TRUE(readText(job() + "/" + out + path) == readText(job() + "/usual" + path)) << out << path;
    }
}

//===----------------------------------------------------------------------===//
// Ends
//===----------------------------------------------------------------------===//

TEST_F(RunTool, aLossThatIsNotFiniteEndsTheRunAndNamesTheStep) {
  const ToolRun wild = run("../../" + std::filesystem::path(shared->path).filename().string() +
                           "/wild.plan --data synthetic --steps 200 --checkpoint-every 1 --quiet");
  expectRefusal(wild, 4, "not a finite number; the newest checkpoint is out/checkpoints/step-");
  const size_t at = wild.error.find("error: step ");
  ASSERT_NE(at, std::string::npos) << wild.error;
  const int64_t step = std::stoll(wild.error.substr(at + 12));
  EXPECT_EQ(checkpoints().back(), step - 1);
}

/// Starts a long run, waits for its metrics, sends `signal`, and gives what wait says.
std::string stopWith(const std::string &signal) {
  return "( exec " WINDLASS_RUN
         " the.plan --data synthetic --steps 100000000 --checkpoint-every 1 --quiet ) & "
         "for i in $(seq 600); do sleep 0.1; [ -e out/checkpoints/latest ] && break; done; kill -" +
         signal + " $!; wait $!";
}

TEST_F(RunTool, signalsLeaveACheckpointAndNothingElse) {
  for (const char *signal : {"INT", "TERM"}) {
    const ToolRun stopped = runTool(job(), stopWith(signal));
    EXPECT_EQ(stopped.code, 0) << signal << ": " << stopped.error;
    EXPECT_EQ(namesIn(job() + "/out"), "checkpoints metrics.jsonl");
    const int64_t step = checkpoints().back();
    const ToolRun resumed = run("the.plan --data synthetic --steps " + std::to_string(step + 1));
    EXPECT_EQ(resumed.code, 0) << resumed.error;
    EXPECT_EQ(checkpoints().back(), step + 1);
    std::filesystem::remove_all(job() + "/out");
  }
}

TEST_F(RunTool, aKilledRunLeavesNoScratchAndItsLastCheckpoint) {
  std::filesystem::create_directory(job() + "/scratch");
  const ToolRun killed = runTool(
      job(),
      "( exec " WINDLASS_RUN " the.plan --data synthetic --steps 100000000 --checkpoint-every 1 --quiet "
      "--nvme-folder scratch ) & for i in $(seq 600); do sleep 0.1; [ -e out/checkpoints/latest ] && break; "
      "done; kill -KILL $!; wait $!");
  EXPECT_EQ(killed.code, 128 + 9);
  EXPECT_EQ(namesIn(job() + "/scratch"), "");
  const int64_t step = checkpoints().back();
  const ToolRun resumed =
      run("the.plan --data synthetic --nvme-folder scratch --steps " + std::to_string(step + 1));
  EXPECT_EQ(resumed.code, 0) << resumed.error;
  EXPECT_NE(resumed.out.find("after step " + std::to_string(step)), std::string::npos) << resumed.out;
  EXPECT_EQ(namesIn(job() + "/out/checkpoints").find(".unfinished"), std::string::npos);
}

TEST_F(RunTool, oneFolderServesOneJobAndOneScratchFolderServesMany) {
  std::filesystem::create_directory(job() + "/scratch");
  const std::string start =
      "( exec " WINDLASS_RUN " the.plan --data synthetic --quiet --nvme-folder scratch ";
  const ToolRun both = runTool(job(), start + "--out a --steps 4 ) & A=$!; " + start +
                                          "--out b --steps 4 ) & B=$!; wait $A && wait $B");
  EXPECT_EQ(both.code, 0) << both.error;
  for (const char *file :
       {"/checkpoints/step-00000004/model.safetensors", "/checkpoints/step-00000004/optimizer.safetensors"})
    EXPECT_TRUE(readText(job() + "/a" + file) == readText(job() + "/b" + file)) << file;
  EXPECT_EQ(namesIn(job() + "/scratch"), "");
  const ToolRun second = runTool(
      job(), "( exec " WINDLASS_RUN " the.plan --data synthetic --steps 100000000 --quiet ) & "
             "for i in $(seq 600); do sleep 0.1; [ -s out/metrics.jsonl ] && break; done; " WINDLASS_RUN
             " the.plan --data synthetic; CODE=$?; kill $!; wait $!; exit $CODE");
  expectRefusal(second, 1, "out: another run is writing to this folder");
}

} // namespace
} // namespace windlass::test
