// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Wrong inputs of windlass-run: one clear line, the right exit code, nothing lost and nothing left behind.
#include "runtime/base/Hash.h"
#include "runtime/base/Safetensors.h"
#include "runtime/plan/file/PlanHash.h"
#include "runtime/plan/file/PlanReader.h"
#include "test/tools/windlass-run/RunTool.h"
#include <cstring>
#include <functional>

namespace windlass::test {
namespace {

struct BadCase {
  const char *flags;
  int code;
  const char *part; ///< a part of the message
};

//===----------------------------------------------------------------------===//
// The command line
//===----------------------------------------------------------------------===//

TEST_F(RunTool, refusesCommandLinesNobodyCanMean) {
  const BadCase cases[] = {
      {"", 2, "PLAN is required"},
      {"the.plan", 2, "nothing to do: give --data to train, --sample"},
      {"the.plan other.plan --data synthetic", 2, "other.plan"},
      {"the.plan --data synthetic --stepz 3", 2, "--stepz: unknown option, did you mean \"--steps\"?"},
      {"the.plan --data", 2, "--data"},
      {"the.plan --data ''", 2, "--data: must not be empty"},
      {"the.plan --data= --dry-run", 2, "--data: must not be empty"},
      {"the.plan --sample '' --data synthetic", 2, "--sample: must not be empty"},
      {"''", 2, "PLAN: must not be empty"},
      {"the.plan --data synthetic --steps", 2, "--steps"},
      {"the.plan --data synthetic --steps x", 2, "--steps"},
      {"the.plan --data synthetic --steps -1", 2, "--steps"},
      {"the.plan --data synthetic --steps 1e3", 2, "--steps"},
      {"the.plan --data synthetic --steps 9223372036854775807", 2, "--steps"},
      {"the.plan --data synthetic --steps 99999999999999999999", 2, "--steps"},
      {"the.plan --data synthetic --seed -1", 2, "--seed"},
      {"the.plan --data synthetic --seed 18446744073709551616", 2,
       "--seed: must be a whole number from 0 to 18446744073709551615, is 18446744073709551616"},
      {"the.plan --data synthetic --keep 99999999999999999999", 2,
       "--checkpoint-keep: must be a whole number"},
      {"the.plan --data synthetic --shuffle maybe", 2, "--shuffle"},
      {"the.plan --data synthetic --executor gpu", 2,
       "--executor: must be \"concurrent\" or \"reference\", is \"gpu\""},
      {"the.plan --data synthetic --executor 1", 2, "--executor: must be"},
      {"the.plan --data synthetic --nvme-engine tape", 2,
       "--nvme-engine: must be \"auto\", \"io_uring\" or \"threads\", is \"tape\""},
      {"the.plan --data synthetic --network pigeon", 2,
       "--network: must be \"auto\", \"mpi\" or \"tcp\", is \"pigeon\""},
      {"the.plan --data synthetic --checkpoint-format zip", 2,
       "--checkpoint-format: must be \"full\" or \"sharded\", is \"zip\""},
      {"the.plan --data synthetic --canary 256", 2, "--canary"},
      {"the.plan --data synthetic --checkpoint-every -1", 2, "--checkpoint-every"},
      {"the.plan --data synthetic --log-every 0", 2, "--log-every"},
      {"the.plan --sample x --sample-tokens 0", 2, "--sample-tokens"},
      {"the.plan --sample x --temperature -1", 2, "--temperature: must be a number from 0 to 100, is -1"},
      {"the.plan --sample x --temperature nan", 2, "--temperature: must be a number from 0 to 100, is nan"},
      {"the.plan --data synthetic --pace nonsense", 2, "neither a file nor a link's rate"},
      {"the.plan --data synthetic --pace nc_in", 2, "neither a file nor a link's rate"},
      {"the.plan --data synthetic --pace compute=1GB/s", 2, "neither a file nor a link's"},
      {"the.plan --data synthetic --pace nc_in=fast", 2, "--pace: "},
      {"the.plan --data synthetic --pace nc_in=0", 2, "no rate of at least 1 byte a second"},
      {"the.plan --data synthetic --pace nc_in=-1GB/s", 2, "--pace: "},
      {"the.plan --data synthetic --pace nc_in=nan", 2, "--pace: "},
      {"the.plan --data synthetic --pace nc_in=1GB/s+1e300s", 2, "latency above"},
      {"the.plan --data synthetic --pace ,", 2, "neither a file nor a link's rate"},
      {"the.plan --data synthetic --pace the.plan/plan.json", 1, "windlass.hardware/1"}};
  for (const BadCase &bad : cases) {
    SCOPED_TRACE(bad.flags);
    const ToolRun refused = run(bad.flags);
    EXPECT_EQ(refused.code, bad.code) << refused.error;
    EXPECT_NE(refused.error.find(bad.part), std::string::npos) << refused.error;
    EXPECT_EQ(refused.out.find("step "), std::string::npos) << refused.out;
  }
  EXPECT_EQ(namesIn(job()), "the.plan");
}

TEST_F(RunTool, writesNoFileTwiceAndNoneThatItReads) {
  const std::string text(4096, 'x');
  folder.write("job/data.txt", text);
  std::filesystem::create_symlink("data.txt", job() + "/link.txt");
  std::filesystem::create_hard_link(job() + "/data.txt", job() + "/hard.txt");
  const std::string plan = readText(job() + "/the.plan/plan.json");
  for (const auto &[flags, part] :
       {std::pair("--metrics data.txt", "--metrics: data.txt is the file of --data, too"),
        {"--export link.txt", "--export: link.txt is the file of --data, too"},
        {"--trace hard.txt", "--trace: hard.txt is the file of --data, too"},
        {"--export the.plan/plan.json", "--export: the.plan/plan.json is the file of the plan, too"},
        {"--trace the.plan/../the.plan/kernels.so", "kernels.so is the file of the plan, too"},
        {"--trace new --metrics ./new", "--trace: new is the file of --metrics, too"},
        {"--dump-gradients new --export new", "--export: new is the file of --dump-gradients, too"},
        {"--export out/metrics.jsonl", "--export: out/metrics.jsonl is the file of the metrics, too"},
        {"--trace out/checkpoints/step-00000001/model.safetensors",
         "lies among the checkpoints of the run; name another file"}}) {
    SCOPED_TRACE(flags);
    const ToolRun refused = run("the.plan --data data.txt --steps 1 " + std::string(flags));
    EXPECT_EQ(refused.code, 2);
    EXPECT_NE(refused.error.find(part), std::string::npos) << refused.error;
    EXPECT_EQ(readText(job() + "/data.txt"), text);
    EXPECT_EQ(readText(job() + "/the.plan/plan.json"), plan);
    EXPECT_FALSE(std::filesystem::exists(job() + "/out"));
  }
  EXPECT_EQ(run("the.plan --data data.txt --steps 1 --metrics /dev/null --trace /dev/null").code, 0);
}

TEST_F(RunTool, takesNoOtherParametersThanThoseOfTheFolder) {
  for (const char *flags : {"--export w.safetensors", "--sample x"}) {
    const ToolRun refused = run("the.plan --out elsewhere " + std::string(flags));
    EXPECT_EQ(refused.code, 1) << refused.error;
    EXPECT_NE(refused.error.find("--out: no checkpoint in elsewhere/checkpoints; with --resume off untrained "
                                 "parameters are taken"),
              std::string::npos)
        << refused.error;
    EXPECT_EQ(namesIn(job()), "the.plan");
  }
  EXPECT_EQ(run("the.plan --out elsewhere --resume off --export w.safetensors --quiet").code, 0);
}

TEST_F(RunTool, saysWhichOptionsNothingReads) {
  ASSERT_EQ(run("the.plan --data synthetic --steps 1 --quiet").code, 0);
  for (const auto &[flags, error] :
       {std::pair("--sample x --steps 9", "warning: --steps has no effect without --data\n"),
        {"--export w.safetensors --temperature 0 --keep 3",
         "warning: --checkpoint-keep has no effect without --data\n"
         "warning: --temperature has no effect without --sample\n"},
        {"--sample x --weights job",
         "note: --weights has no effect: the run goes on from out/checkpoints/step-00000001\n"},
        {"--sample x --temperature 0 --sample-tokens 3", ""},
        {"--dry-run --steps 3 --trace trace.json", ""}}) {
    const ToolRun warned = run("the.plan --quiet " + std::string(flags));
    EXPECT_EQ(warned.code, 0) << flags;
    EXPECT_EQ(warned.error, error) << flags;
  }
  for (const char *file : {"--trace", "--metrics"}) {
    const ToolRun refused = run("the.plan --sample x " + std::string(file) + " file.json");
    EXPECT_EQ(refused.code, 2);
    EXPECT_NE(refused.error.find(std::string(file) + " requires --data"), std::string::npos) << refused.error;
  }
}

TEST_F(RunTool, aDryRunMayAskForAnyNumberOfSteps) {
  EXPECT_EQ(run("the.plan --data synthetic --dry-run --steps 2147483648").code, 0);
  EXPECT_EQ(run("the.plan --dry-run").code, 0);
  EXPECT_EQ(namesIn(job()), "the.plan");
}

//===----------------------------------------------------------------------===//
// The plan
//===----------------------------------------------------------------------===//

/// A fault of a plan, the function that makes it, and the error.
struct BadPlan {
  const char *what;
  std::function<void()> damage;
  int code;
  const char *part;
};

TEST_F(RunTool, refusesDamagedPlansBeforeItTouchesTheOutput) {
  const std::string sound = job() + "/sound", text = readText(job() + "/the.plan/plan.json"),
                    kernels = readText(job() + "/the.plan/kernels.so");
  std::filesystem::rename(job() + "/the.plan", sound);
  auto plan = [&](const std::string &with) { folder.write("job/the.plan/plan.json", with); };
  auto code = [&](const std::string &with) { folder.write("job/the.plan/kernels.so", with); };
  auto drop = [&](const char *file) { std::filesystem::remove_all(job() + "/the.plan" + file); };
  auto flipped = [](std::string bytes) {
    bytes[bytes.size() / 2] ^= 1;
    return bytes;
  };
  const auto ofVersion = [&](const char *version) {
    replaceInPlan("\"version\":" + std::to_string(plan::kPlanVersion), std::string("\"version\":") + version);
  };
  const BadPlan cases[] = {
      {"no folder", [&] { drop(""); }, 1, "the.plan/plan.json: cannot open: No such file"},
      {"a file", [&] { drop(""), folder.write("job/the.plan", ""); }, 1, "cannot open: Not a directory"},
      {"no plan.json", [&] { drop("/plan.json"); }, 1, "the.plan/plan.json: cannot open"},
      {"a pipe", [&] { drop("/plan.json"), runTool(job(), "mkfifo the.plan/plan.json"); }, 1,
       "the.plan/plan.json: not a regular file"},
      {"empty", [&] { plan(""); }, 1, "the.plan/plan.json: not valid JSON"},
      {"cut", [&] { plan(text.substr(0, text.size() / 2)); }, 1, "the.plan/plan.json: not valid JSON"},
      {"an older version", [&] { ofVersion("4"); }, 1, "; compile the plan again"},
      {"another version", [&] { ofVersion("77"); }, 1,
       "the.plan/plan.json: plan version 77, this windlass reads "},
      {"edited",
       [&] {
         plan(text.substr(0, text.find("\"seed\":")) +
              "\"seed\": " + text.substr(text.find("\"seed\":") + 7));
       },
       1, "the.plan/plan.json: the content does not have the hash"},
      {"an unknown key", [&] { replaceInPlan("\"persistent\"", "\"persistant\""); }, 1,
       "did you mean \"persistent\"?"},
      {"unsound", [&] { replaceInPlan("\"wait\":[[", "\"wait\":[[\"gg\",99999],["); }, 1,
       "the plan is not sound: "},
      {"of another cpu", [&] { replaceInPlan("\"cpu\":\"x86-64-v", "\"cpu\":\"x86-64-v9"); }, 3,
       "this cpu does not run the plan's kernels"},
      {"of another backend", [&] { replaceInPlan("\"backend\":\"cpu\"", "\"backend\":\"abacus\""); }, 3,
       "the plan is for the backend 'abacus'; built in here: 'cpu', 'cuda'"},
      {"no kernels", [&] { drop("/kernels.so"); }, 1, "kernels.so: cannot open"},
      {"damaged kernels", [&] { code(flipped(kernels)); }, 1, "the plan asks for"},
      {"cut kernels", [&] { code(kernels.substr(0, kernels.size() / 2)); }, 1, "the plan asks for"},
      {"kernels that are no code",
       [&] {
         code("no code");
         replaceInPlan(hashOfBytes(kernels), hashOfBytes("no code"));
       },
       1, "kernels.so' cannot be loaded"},
      {"kernels elsewhere", [&] { replaceInPlan("\"kernels.so\"", "\"../kernels.so\""); }, 1,
       "is no file in the plan's folder"},
  };
  for (const BadPlan &bad : cases)
    for (const char *flags : {"the.plan --data synthetic", "the.plan --data synthetic --dry-run"}) {
      SCOPED_TRACE(std::string(bad.what) + ", " + flags);
      drop("");
      std::filesystem::copy(sound, job() + "/the.plan");
      bad.damage();
      expectRefusal(run(flags), bad.code, bad.part);
      EXPECT_FALSE(std::filesystem::exists(job() + "/out"));
    }
}

TEST_F(RunTool, namesThePlanThatWasMeant) {
  expectRefusal(run("the.plan/plan.json --dry-run"), 1, "did you mean \"the.plan\"?");
  expectRefusal(run(". --dry-run"), 1, "did you mean \"./the.plan\"?");
  const ToolRun inside = runTool(job() + "/the.plan", WINDLASS_RUN " plan.json --dry-run");
  expectRefusal(inside, 1, "did you mean \".\"?");
}

//===----------------------------------------------------------------------===//
// Data
//===----------------------------------------------------------------------===//

TEST_F(RunTool, refusesDataThatCannotFeedTheModel) {
  folder.write("job/short.txt", "too few bytes");
  folder.write("job/empty.txt", "");
  folder.write("job/tensors.safetensors", "not one");
  std::filesystem::create_directory(job() + "/empty");
  runTool(job(), "mkfifo pipe pipe.safetensors");
  const BadCase cases[] = {{"nowhere.txt", 1, "nowhere.txt: no such file"},
                           {"short.txt", 1, "short.txt: too short"},
                           {"empty.txt", 1, "empty.txt: too short"},
                           {"empty", 1, "empty: the folder holds no files"},
                           {"pipe", 1, "pipe: not a regular file"},
                           {"/dev/zero", 1, "/dev/zero: not a regular file"},
                           {"pipe.safetensors", 1, "too few for a safetensors file"},
                           {"tensors.safetensors", 1, "too few for a safetensors file"},
                           {"synthetic:x", 2, "synthetic:x: the seed"}};
  for (const BadCase &bad : cases) {
    SCOPED_TRACE(bad.flags);
    expectRefusal(run(std::string("the.plan --data ") + bad.flags), bad.code, bad.part);
  }
  EXPECT_FALSE(std::filesystem::exists(job() + "/out"));
}

/// A file with one tensor for each input of a plan. `change` may spoil it before it is written.
struct Tensors {
  std::vector<TensorEntry> entries;
  std::vector<int32_t> values; ///< of every tensor
};

void writeTensors(const std::string &path, const plan::Plan &plan,
                  const std::function<void(Tensors &)> &change) {
  Tensors tensors;
  for (const plan::Input &input : plan.inputs)
    tensors.entries.push_back({input.name, "I32", {16, input.shape[1]}});
  tensors.values.assign(static_cast<size_t>(16 * plan.inputs[0].shape[1]), 65);
  change(tensors);
  Result<SafetensorsWriter> writer = SafetensorsWriter::create(path, tensors.entries);
  ASSERT_TRUE(writer) << writer.status().message();
  for (const TensorEntry &entry : writer->tensors())
    ASSERT_TRUE(writer->write(
        entry, 0, std::as_bytes(std::span(tensors.values)).first(static_cast<size_t>(entry.bytes))));
  ASSERT_TRUE(writer->finish());
}

TEST_F(RunTool, refusesTensorsThatDoNotFitTheInputs) {
  Result<plan::Plan> plan = plan::readPlan(job() + "/the.plan");
  ASSERT_TRUE(plan) << plan.status().message();
  const std::string file = job() + "/t.safetensors";
  writeTensors(file, *plan, [](Tensors &) {});
  const ToolRun fine = run("the.plan --data t.safetensors --steps 1 --out fine");
  ASSERT_EQ(fine.code, 0) << fine.error;

  struct Case {
    std::function<void(Tensors &)> change;
    std::string part;
  };
  const Case cases[] = {
      {[](Tensors &t) { t.values[7] = 256; }, "element 7 has value 256, outside [0, 256)"},
      {[](Tensors &t) { t.values[7] = -1; }, "element 7 has value -1, outside [0, 256)"},
      {[](Tensors &t) { t.entries.pop_back(); }, "missing; the file must hold one tensor for each input"},
      {[](Tensors &t) { t.entries[0].type = "F32"; }, "type F32 cannot feed an input of whole numbers"},
      {[](Tensors &t) { t.entries[0].shape[1] -= 1; }, "does not fit the input's"},
      {[](Tensors &t) { t.entries[0].shape[0] -= 1; }, "holds 15"},
      {[](Tensors &t) { t.entries[0].shape[0] = t.entries[1].shape[0] = 0; }, "too short"},
  };
  for (const Case &bad : cases) {
    SCOPED_TRACE(bad.part);
    writeTensors(file, *plan, bad.change);
    expectRefusal(run("the.plan --data t.safetensors"), 1, bad.part);
  }
  writeTensors(file, *plan, [](Tensors &) {});
  std::filesystem::resize_file(file, std::filesystem::file_size(file) - 1);
  expectRefusal(run("the.plan --data t.safetensors"), 1, "t.safetensors: ");
  EXPECT_FALSE(std::filesystem::exists(job() + "/out"));
}

//===----------------------------------------------------------------------===//
// Outputs
//===----------------------------------------------------------------------===//

TEST_F(RunTool, refusesPlacesItCannotWriteTo) {
  folder.write("job/file", "in the way");
  std::filesystem::create_directories(job() + "/folder");
  runTool(job(), "mkfifo pipe; mkdir locked; chmod 555 locked");
  const BadCase cases[] = {
      {"--out /proc/out", 1, "/proc/out: cannot create the folder"},
      {"--out file/out", 1, "file/out: cannot create the folder"},
      {"--out file", 1, "file: cannot"},
      {"--out new/out --metrics no/such/file", 1, "no/such/file: cannot write: No such file"},
      {"--out new/out --metrics folder", 1, "folder: cannot write: Is a directory"},
      {"--out new/out --metrics pipe", 1, "pipe: cannot write"},
      {"--out new/out --trace no/such/file", 1, "no/such/file: cannot write: No such file"},
      {"--out new/out --trace folder", 1, "folder: cannot write: Is a directory"},
      {"--out new/out --nvme-folder nowhere", 1, "scratch folder 'nowhere'"},
      {"--out new/out --nvme-folder file", 1, "scratch folder 'file'"},
      {"--out locked/out", 1, "locked/out: cannot create the folder: Permission denied"},
      {"--out new/out --nvme-folder locked", 1, "scratch folder 'locked'"},
      {"--out new/out --metrics locked/file", 1, "locked/file: cannot write: Permission denied"},
  };
  for (const BadCase &bad : cases) {
    SCOPED_TRACE(bad.flags);
    expectRefusal(runLesser("nobody", std::string("the.plan --data synthetic ") + bad.flags), bad.code,
                  bad.part);
    EXPECT_FALSE(std::filesystem::exists(job() + "/new"));
  }
}

/// --metrics and --trace may name a link, a device or a pipe, and it stays one.
TEST_F(RunTool, leavesDevicesAndLinksWhatTheyAre) {
  folder.write("job/target.json", "old");
  runTool(job(), "ln -s /dev/null null; ln -s target.json link; mkfifo pipe");
  const ToolRun done = run("the.plan --data synthetic --steps 1 --quiet --metrics null --trace link");
  EXPECT_EQ(done.code, 0) << done.error;
  EXPECT_TRUE(std::filesystem::is_symlink(job() + "/null"));
  EXPECT_TRUE(std::filesystem::is_symlink(job() + "/link"));
  EXPECT_EQ(readText(job() + "/target.json").substr(0, 1), "{");
  // The shell holds both ends, so that no process opens a pipe without its other end.
  const ToolRun piped =
      runTool(job(), "exec 3<>pipe; cat pipe 3>&- & " WINDLASS_RUN
                     " the.plan --data synthetic --steps 2 --quiet --trace pipe 3>&-; CODE=$?; "
                     "exec 3>&-; wait; exit $CODE");
  EXPECT_EQ(piped.code, 0) << piped.error;
  EXPECT_NE(piped.out.find("traceEvents"), std::string::npos);
}

//===----------------------------------------------------------------------===//
// Checkpoints
//===----------------------------------------------------------------------===//

TEST_F(RunTool, passesOverDamagedCheckpointsAndNeverDropsAll) {
  ASSERT_EQ(run("the.plan --data synthetic --quiet --steps 2 --checkpoint-every 1").code, 0);
  const std::string newest = "out/checkpoints/step-00000002", older = "out/checkpoints/step-00000001";
  const std::string kept = job() + "/kept";
  std::filesystem::copy(job() + "/out", kept, std::filesystem::copy_options::recursive);
  auto restore = [&] {
    std::filesystem::remove_all(job() + "/out");
    std::filesystem::copy(kept, job() + "/out", std::filesystem::copy_options::recursive);
  };
  auto cut = [&](const std::string &path) {
    std::filesystem::resize_file(job() + "/" + path, std::filesystem::file_size(job() + "/" + path) / 2);
  };
  for (const char *file : {"/trainer_state.json", "/model.safetensors", "/optimizer.safetensors"}) {
    SCOPED_TRACE(file);
    restore();
    cut(newest + file);
    expectRefusal(run("the.plan --data synthetic --resume " + newest), 1, newest + file);
    const ToolRun resumed = run("the.plan --data synthetic --steps 3");
    EXPECT_EQ(resumed.code, 0) << resumed.error;
    EXPECT_NE(resumed.error.find("note: passing over a damaged checkpoint: " + newest + file),
              std::string::npos)
        << resumed.error;
    EXPECT_NE(resumed.out.find("after step 1, from " + older), std::string::npos) << resumed.out;

    restore();
    cut(newest + file);
    cut(older + file);
    const std::string metrics = readText(job() + "/out/metrics.jsonl");
    expectRefusal(run("the.plan --data synthetic"), 1, "no other is left: start afresh with --resume off");
    EXPECT_EQ(readText(job() + "/out/metrics.jsonl"), metrics);
    EXPECT_EQ(namesIn(job() + "/out/checkpoints"), "latest step-00000001 step-00000002");
  }
}

/// A checkpoint that the run has just written must not be removed before later ones of another run.
TEST_F(RunTool, goingBackSetsLaterCheckpointsAside) {
  const std::string common = "the.plan --data synthetic --quiet --checkpoint-every 1 --keep 2 ";
  ASSERT_EQ(run(common + "--steps 1 --out early").code, 0);
  ASSERT_EQ(run(common + "--steps 4").code, 0);
  const ToolRun back = run(common + "--steps 4 --resume out/checkpoints/step-00000003");
  EXPECT_EQ(back.code, 0) << back.error;
  EXPECT_NE(back.error.find("note: checkpoints of later steps were moved to out/checkpoints.1"),
            std::string::npos)
      << back.error;
  EXPECT_EQ(namesIn(job() + "/out/checkpoints"), "latest step-00000003 step-00000004");
  EXPECT_EQ(namesIn(job() + "/out/checkpoints.1"), "latest step-00000004");
  const ToolRun other = run(common + "--steps 2 --resume early/checkpoints/step-00000001");
  EXPECT_EQ(other.code, 0) << other.error;
  EXPECT_NE(other.error.find("note: the checkpoints of an earlier run were moved to out/checkpoints.2"),
            std::string::npos)
      << other.error;
  EXPECT_EQ(namesIn(job() + "/out"), "checkpoints checkpoints.1 checkpoints.2 metrics.jsonl metrics.jsonl.1");
  EXPECT_EQ(namesIn(job() + "/out/checkpoints"), "latest step-00000002");
  EXPECT_EQ(namesIn(job() + "/out/checkpoints.2"), "latest step-00000003 step-00000004");
  const std::string metrics = readText(job() + "/out/metrics.jsonl");
  EXPECT_EQ(run(common + "--steps 1 --resume early/checkpoints/step-00000001").code, 0);
  EXPECT_EQ(readText(job() + "/out/metrics.jsonl"), metrics) << "nothing was trained";
}

TEST_F(RunTool, refusesCheckpointsOfAnotherRun) {
  ASSERT_EQ(run("the.plan --data synthetic --quiet --steps 2").code, 0);
  expectRefusal(run("the.plan --data synthetic --seed 77"), 1, "but --seed asks for 77");
  expectRefusal(run("the.plan --data synthetic --shuffle off"), 1, "was trained with --shuffle on");
  expectRefusal(run("the.plan --data synthetic --resume nowhere"), 1,
                "nowhere/trainer_state.json: cannot open");
  expectRefusal(run("the.plan --data synthetic --resume out"), 1, "out/trainer_state.json: cannot open");
  replaceInPlan("\"name\":\"transformer.wte.weight\"", "\"name\":\"transformer.wte.other\"");
  const ToolRun other = run("the.plan --data synthetic --steps 4");
  EXPECT_EQ(other.code, 1) << other.error;
  EXPECT_NE(other.error.find("step-00000002: the checkpoint does not fit the plan:\n"), std::string::npos)
      << other.error;
  EXPECT_NE(other.error.find("\"transformer.wte.other\" is missing"), std::string::npos) << other.error;
  EXPECT_EQ(checkpoints(), std::vector<int64_t>{2});
}

} // namespace
} // namespace windlass::test
