// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// windlass-compile as a shell sees it: an error in a file gives one line and exit code 1, and no file is left
// behind.
#include "test/tools/windlass-compile/CompileTool.h"
#include <array>

namespace windlass::test {
namespace {

/// Keys that import ignores give a warning, even with --quiet.
TEST_F(CompileTool, warnsOfKeysThatMightMatter) {
  Files files = soundFiles();
  files.config["parallel_residual"] = true;
  const ToolRun run = compile(files);
  EXPECT_EQ(run.code, 0);
  EXPECT_EQ(run.error, "warning: config.json: parallel_residual: unknown key, left out of account\n");
  const ToolRun check = runTool(job(), WINDLASS_COMPILE " config.json --check");
  EXPECT_EQ(check.code, 0);
  EXPECT_EQ(check.error, "warning: config.json: parallel_residual: unknown key, left out of account\n");
}

TEST_F(CompileTool, warnsOfWhatHasNoEffect) {
  Files files = soundFiles();
  files.training["tile"] = {{"limit", "1MiB"}, {"activation", "1MiB"}, {"attention", "1MiB"}};
  EXPECT_EQ(compile(files).error, "") << "there are things to cut, though none so large";
  const std::string example = WINDLASS_SOURCE_DIR "/examples/mlp/";
  json training = json::parse(readText(example + "training.json"));
  training["tile"] = files.training["tile"];
  training["sequence"] = 32;
  folder.write("job/training.json", training.dump());
  const ToolRun mlp = runTool(job(), WINDLASS_COMPILE " " + example +
                                         "model.json --training training.json "
                                         "--hardware " +
                                         example + "machine.json --quiet");
  EXPECT_EQ(mlp.code, 0);
  EXPECT_NE(mlp.error.find("warning: training.json: tile.attention: has no effect: "), std::string::npos)
      << mlp.error;
  EXPECT_NE(mlp.error.find("warning: training.json: sequence: 32 has no effect: "), std::string::npos)
      << mlp.error;
  const ToolRun check =
      runTool(job(), WINDLASS_COMPILE " config.json --check --hardware nowhere.json --gather "
                                      "broadcast");
  EXPECT_EQ(check.code, 0);
  EXPECT_EQ(check.error, "warning: --gather has no effect with --check\n"
                         "warning: --hardware has no effect with --check\n");
  const ToolRun analysis = compile(soundFiles(), " --training training.json --hardware machine.json --quiet "
                                                 "--analyze --strategy zero-3");
  EXPECT_EQ(analysis.code, 0);
  EXPECT_EQ(analysis.error, "warning: --strategy has no effect with --analyze\n");
  EXPECT_EQ(compile(soundFiles(), " --check -o the.plan").code, 2);
}

//===----------------------------------------------------------------------===//
// Text that is no JSON, or far too much of it
//===----------------------------------------------------------------------===//

TEST_F(CompileTool, refusesHostileText) {
  const Files sound = soundFiles();
  const std::array<std::string, 3> texts = {sound.config.dump(), sound.training.dump(), sound.machine.dump()};
  const std::string deep(200'000, '['), deeper = [] {
    std::string text;
    for (int i = 0; i < 100'000; ++i)
      text += "{\"a\":";
    return text;
  }();
  struct Case {
    std::string text;
    const char *part;
  };
  for (size_t which = 0; which < 3; ++which) {
    const std::string &text = texts[which];
    const std::string name = std::array{"config", "training", "machine"}[which];
    for (const Case &bad :
         {Case{"", "unexpected end of input"}, Case{text.substr(0, text.size() / 2), "parse error"},
          Case{deep, "nested more than 64 deep"}, Case{deeper, "nested more than 64 deep"},
          Case{"null", "is null"}, Case{"[]", "is a list"}, Case{"{\"a\xff\":1}", "ill-formed UTF-8"},
          Case{"{\"format\":NaN}", "invalid literal"}, Case{"{\"format\":1e999}", "number overflow"},
          Case{text.substr(0, text.size() - 1) + ",\"steps\":3,\"steps\":3}", "\"steps\" stands twice"}}) {
      SCOPED_TRACE(name + " as " + bad.text.substr(0, 30));
      std::array<std::string, 3> given = texts;
      given[which] = bad.text;
      expectRefusal(compile(given[0], given[1], given[2]), 1, bad.part);
      expectRefusal(compile(given[0], given[1], given[2]), 1, name + ".json: ");
    }
  }
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

struct BadValue {
  const char *file; ///< "config", "training" or "machine"
  json patch;       ///< merged into the file
  int code;
  const char *part;
};

/// The cases are a table, so that a new key adds a line.
std::vector<BadValue> badValues() {
  const int64_t huge = INT64_C(1) << 62;
  return {
      {"config", {{"model_type", "t5"}}, 1, "config.json: model_type: must be \"gpt2\", \"llama\""},
      {"config",
       {{"model_type", "llama"}},
       1,
       "config.json: architectures[0]: must be \"LlamaForCausalLM\", is \"GPT2LMHeadModel\""},
      {"config", {{"n_layer", "two"}}, 1, "n_layer: must be a whole number from 1 to 16384, is \"two\""},
      {"config", {{"n_layer", 0}}, 1, "n_layer: must be a whole number"},
      {"config", {{"vocab_size", -1}}, 1, "vocab_size: must be a whole number"},
      {"config", {{"vocab_size", huge}}, 1, "vocab_size: must be a whole number"},
      {"config", {{"n_embd", 1 << 24}}, 1, "must have at most 2^42 elements"},
      {"config", {{"n_head", 3}}, 1, "n_head: must divide n_embd = 64, is 3"},
      {"config",
       {{"n_positions", 16}},
       1,
       "n_positions: must be at least the training file's \"sequence\" = 32"},
      {"config", {{"resid_pdrop", 1.0}}, 1, "resid_pdrop: must be a number from 0.0 to 0.9999, is 1.0"},
      {"config", {{"activation_function", "mish"}}, 1, "activation_function: must be \"gelu_new\""},
      {"config", {{"layer_norm_epsilon", 0}}, 1, "layer_norm_epsilon: must be a number from"},
      {"training", {{"format", "windlass.training/2"}}, 1, "format: must be \"windlass.training/1\""},
      {"training", {{"format", nullptr}}, 1, "format: is missing"},
      {"training", {{"setps", 3}}, 1, "setps: unknown key, did you mean \"steps\"?"},
      {"training",
       {{"optimizer", {{"bettas", 3}}}},
       1,
       "optimizer.bettas: unknown key, did you mean \"betas\"?"},
      {"training", {{"optimizer", {{"betas", {0.9, 1.0}}}}}, 1, "optimizer.betas[1]: must be a number"},
      {"training", {{"optimizer", "adamw"}}, 1, "optimizer: must be an object, is \"adamw\""},
      {"training", {{"optimizer", {{"type", "sgd"}}}}, 1, "optimizer.type: must be \"adamw\", is \"sgd\""},
      {"training", {{"steps", 0}}, 1, "steps: must be a whole number from 1"},
      {"training", {{"steps", 1.5}}, 1, "steps: must be a whole number from 1"},
      {"training", {{"micro_batch", -1}}, 1, "micro_batch: must be a whole number"},
      {"training", {{"micro_batch", nullptr}, {"global_batch", 5}}, 1, "global_batch: must be a multiple of"},
      {"training",
       {{"global_batch", 9}},
       1,
       "global_batch: must be parallel.data x micro_batches x micro_batch"},
      {"training",
       {{"global_batch", nullptr}, {"micro_batches", 1 << 28}},
       1,
       "micro_batches: must be a whole number"},
      {"training",
       {{"global_batch", 1 << 28}, {"micro_batches", nullptr}},
       1,
       "must make at most 65536 micro-batches"},
      {"training",
       {{"global_batch", nullptr}, {"micro_batch", huge}},
       1,
       "micro_batch: must be a whole number"},
      {"training",
       {{"global_batch", nullptr}, {"parallel", {{"data", 4}}}},
       1,
       "asks for 4 ranks, machine.json has 2: --parallel data=2 takes them all"},
      {"training", // a training that is impossible in any case is refused first
       {{"global_batch", nullptr}, {"parallel", {{"data", 4}}}, {"sequence", 64}},
       1,
       "n_positions: must be at least"},
      {"training", {{"sequence", 64}}, 1, "n_positions: must be at least"},
      {"training", {{"schedule", {{"warmup", 1000}}}}, 1, "schedule.warmup: must be at most steps = 600"},
      {"training", {{"zero_stage", 4}}, 1, "zero_stage: must be a whole number from 0 to 3, is 4"},
      {"training", {{"train_batch_size", 8}, {"format", nullptr}}, 1, "DeepSpeed"},
      {"machine", {{"devise", 1}}, 1, "devise: unknown key, did you mean \"device\"?"},
      {"machine", {{"backend", "rocm"}}, 1, "backend: must be 'cpu' or 'cuda', is \"rocm\""},
      {"machine",
       {{"backend", "cuda"}},
       1,
       "machine.json: shared_cores: its kernels run on the host's cores"},
      {"machine", {{"ranks", 0}}, 1, "ranks: must be a whole number"},
      {"machine", {{"ranks", huge}}, 1, "ranks: must be a whole number"},
      {"machine", {{"device", {{"capacity", 0}}}}, 1, "device.capacity: must be"},
      {"machine",
       {{"device", {{"capacity", "-3MiB"}}}},
       1,
       "device.capacity: must be a size such as \"12MiB\""},
      {"machine", {{"device", {{"capacity", "9999999999PiB"}}}}, 1, "device.capacity: must be a size"},
      {"machine", {{"device", {{"capacity", nullptr}}}}, 1, "device.capacity: is missing"},
      {"machine", {{"host", {{"bandwidth", "0GB/s"}}}}, 1, "host.bandwidth: must be at least 1"},
      {"machine", {{"host", {{"bandwidth", 1e-300}}}}, 1, "host.bandwidth: must be at least 1"},
      {"machine", {{"nvme", {{"read", "-1GB/s"}}}}, 1, "nvme.read: \"-1GB/s\" is not a rate"},
      {"machine", {{"nvme", {{"read", "nanGB/s"}}}}, 1, "nvme.read: \"nanGB/s\" is not a rate"},
      {"machine", {{"nvme", {{"depth", 0}}}}, 1, "nvme.depth: must be a whole number"},
      {"machine", {{"device", {{"capacity", 4096}}}}, 3, "no plan fits machine.json"},
  };
}

TEST_F(CompileTool, refusesWrongValues) {
  for (const BadValue &bad : badValues()) {
    SCOPED_TRACE(std::string(bad.file) + " with " + bad.patch.dump());
    Files files = soundFiles();
    json &file = bad.file == std::string("config")     ? files.config
                 : bad.file == std::string("training") ? files.training
                                                       : files.machine;
    file.merge_patch(bad.patch);
    expectRefusal(compile(files), bad.code, bad.part);
  }
}

/// The backend comes from the file, or from the flag, which takes precedence.
TEST_F(CompileTool, compilesForAGpuWithoutOne) {
  Files files = soundFiles();
  files.machine.erase("shared_cores");
  files.training["matmul_workspace"] = "1MiB";
  EXPECT_EQ(compile(files).code, 0);
  EXPECT_EQ(namesIn(job() + "/the.plan"), "kernels.so plan.json");
  const ToolRun run = compile(files, std::string(kFlags) + " --backend cuda");
  EXPECT_EQ(run.code, 0) << run.error;
  EXPECT_EQ(namesIn(job() + "/the.plan"), "kernels.ptx kernels.so plan.json");
  EXPECT_EQ(compile(files, std::string(kFlags) + " --backend rocm").code, 2);
}

/// Sums in the order of a device's library are possible only on this device, and its plans' records have
/// them.
TEST_F(CompileTool, sumsOfALibraryAreForItsDeviceAlone) {
  Files files = soundFiles();
  files.machine.erase("shared_cores");
  files.training["matmul_workspace"] = "1MiB";
  files.training["collectives"] = "nccl";
  expectRefusal(compile(files), 1, "training.json: collectives: \"nccl\" needs the backend cuda, not 'cpu'");
  const ToolRun run = compile(files, std::string(kFlags) + " --backend cuda");
  EXPECT_EQ(run.code, 0) << run.error;
  const json plan = json::parse(readText(job() + "/the.plan/plan.json"));
  EXPECT_EQ(plan["numerics"].dump().find("nccl") != std::string::npos, true) << plan["numerics"];
}

TEST_F(CompileTool, refusesAModelWhoseShapesDisagree) {
  const std::string example = WINDLASS_SOURCE_DIR "/examples/mlp/";
  json model = json::parse(readText(example + "model.json"));
  model["params"]["in.weight"]["shape"] = {"O", "H"};
  folder.write("mlp.json", model.dump());
  const ToolRun run = runTool(job(), WINDLASS_COMPILE " ../mlp.json --training " + example +
                                         "training.json --hardware " + example + "machine.json -o p");
  EXPECT_EQ(run.code, 1);
  EXPECT_NE(run.error.find("mlp.json: ops[0].in[1]: must have 64 rows, is 16x256"), std::string::npos)
      << run.error;
  EXPECT_EQ(namesIn(job()), "");
}

//===----------------------------------------------------------------------===//
// Files and folders
//===----------------------------------------------------------------------===//

TEST_F(CompileTool, refusesFilesThatAreNone) {
  const std::string rest = " --training training.json --hardware machine.json -o the.plan --quiet";
  const Files sound = soundFiles();
  for (const char *flags : {" --training no.json --hardware machine.json -o the.plan --quiet",
                            " --training training.json --hardware no.json -o the.plan --quiet",
                            " --training ../ --hardware machine.json -o the.plan --quiet",
                            " --training ../pipe --hardware machine.json -o the.plan --quiet",
                            " --training /dev/zero --hardware machine.json -o the.plan --quiet"}) {
    runTool(job(), "[ -p ../pipe ] || mkfifo ../pipe");
    SCOPED_TRACE(flags);
    expectRefusal(compile(sound, flags), 1, "error: ");
  }
  expectRefusal(runTool(job(), WINDLASS_COMPILE " ../nowhere" + rest), 1, "../nowhere: must be a model file");
}

TEST_F(CompileTool, anUnwritableFolderIsFoundBeforePlanning) {
  const Files sound = soundFiles();
  const std::string rest = " --training training.json --hardware machine.json --quiet -o ";
  for (const char *output : {"/proc/the.plan", "/dev/null/the.plan", "config.json", "config.json/the.plan"}) {
    SCOPED_TRACE(output);
    expectRefusal(compile(sound, rest + output), 1, std::string(output) + ": ");
  }
}

/// A file that may not grow acts as a full disk for its writer: for the kernels, or after them for the plan.
TEST_F(CompileTool, aFullDiskLeavesNothing) {
  for (const char *blocks : {"0", "4", "100"}) {
    SCOPED_TRACE(blocks);
    folder.write("job/config.json", soundFiles().config.dump());
    folder.write("job/training.json", soundFiles().training.dump());
    folder.write("job/machine.json", soundFiles().machine.dump());
    const ToolRun run = runTool(job(), std::string("trap '' XFSZ; ulimit -f ") + blocks + "; " +
                                           WINDLASS_COMPILE " config.json" + kFlags);
    EXPECT_TRUE(run.code == 1 || run.code == 4) << run.code << ": " << run.error;
    EXPECT_EQ(namesIn(job()), "config.json machine.json training.json") << run.error;
  }
}

/// The plan is complete, but the text about it is lost.
TEST_F(CompileTool, saysThatItsOutputWasLost) {
  compile(soundFiles());
  for (const char *flags :
       {"", "config.json --check", "--print-defaults training", "--print-schema model", "--help"}) {
    SCOPED_TRACE(flags);
    const ToolRun run =
        runTool(job(), std::string(WINDLASS_COMPILE " ") +
                           (*flags ? flags : "config.json" + std::string(kFlags)) + " >/dev/full");
    EXPECT_EQ(run.code, 1);
    EXPECT_TRUE(run.error.starts_with("error: standard output: ")) << run.error;
  }
}

TEST_F(CompileTool, namesTheSnapshotThatADiskHasNoRoomFor) {
  compile(soundFiles());
  std::filesystem::create_directory(job() + "/phases");
  std::filesystem::create_symlink("/dev/full", job() + "/phases/02-dist.mlir");
  const ToolRun run =
      runTool(job(), WINDLASS_COMPILE " config.json" + std::string(kFlags) + " --dump-phases phases");
  EXPECT_EQ(run.code, 1);
  EXPECT_EQ(run.error, "error: phases/02-dist.mlir: cannot be written: No space left on device\n");
}

TEST_F(CompileTool, aRefusalLeavesAnOlderPlanAsItWas) {
  ASSERT_EQ(compile(soundFiles()).code, 0);
  const std::string plan = readText(job() + "/the.plan/plan.json");
  Files tight = soundFiles();
  tight.machine["device"]["capacity"] = 4096;
  EXPECT_EQ(compile(tight).code, 3);
  EXPECT_EQ(readText(job() + "/the.plan/plan.json"), plan);
  EXPECT_EQ(namesIn(job() + "/the.plan"), "kernels.so plan.json");
}

/// Folders that were made for a plan are removed if there is no plan. Folders that existed before stay.
TEST_F(CompileTool, aRefusalLeavesNoFoldersAboveItsPlan) {
  const std::string rest = " --training training.json --hardware machine.json --quiet -o a/b/the.plan";
  Files tight = soundFiles(), wrong = soundFiles();
  tight.machine["device"]["capacity"] = 4096;
  wrong.config["n_head"] = 3;
  expectRefusal(compile(tight, rest), 3, "no plan fits");
  expectRefusal(compile(wrong, rest), 1, "n_head");
  expectRefusal(compile(wrong, rest + "/"), 1, "n_head");
  std::filesystem::create_directory(job() + "/a");
  EXPECT_EQ(compile(tight, rest).code, 3);
  EXPECT_EQ(namesIn(job() + "/a"), "");
  EXPECT_EQ(compile(soundFiles(), rest).code, 0);
  EXPECT_EQ(namesIn(job() + "/a/b"), "the.plan");
}

//===----------------------------------------------------------------------===//
// The command line, and equal plans from equal files
//===----------------------------------------------------------------------===//

TEST_F(CompileTool, wrongUseIsExitCodeTwo) {
  EXPECT_EQ(compile(soundFiles(), " --help").code, 0);
  EXPECT_EQ(compile(soundFiles(), " --version").out.rfind("windlass-compile ", 0), 0u);
  EXPECT_EQ(compile(soundFiles(), "").code, 2);
  EXPECT_EQ(compile(soundFiles(), std::string(kFlags) + " --speed 3").code, 2);
  const ToolRun cpu = compile(soundFiles(), std::string(kFlags) + " --target-cpu i486");
  EXPECT_EQ(cpu.code, 2) << cpu.error;
  EXPECT_NE(cpu.error.find("x86-64-v3"), std::string::npos) << cpu.error;
  struct Case {
    const char *flags, *part;
  };
  for (const Case &bad :
       {Case{" --strategy ''", "--strategy: must not be empty"},
        {" --hardware=", "--hardware: must not be empty"},
        {" -o ''", "--output: must not be empty"},
        {" --stratgy zero-3", "--stratgy: unknown option, did you mean \"--strategy\"?"},
        {" --prefetch 99999999999999999999", "--prefetch: must be a whole number from 1 to"},
        {" --dim N=99999999999999999999", "--dim N: must be a whole number from 1 to"},
        {" --dim N=", "--dim: must be NAME=SIZE, is N="},
        {" --analyze --checkpoint-every 0", "--checkpoint-every: must be a whole number"}}) {
    SCOPED_TRACE(bad.flags);
    const ToolRun refused =
        compile(soundFiles(), " --training training.json --quiet" + std::string(bad.flags));
    EXPECT_EQ(refused.code, 2);
    EXPECT_NE(refused.error.find(bad.part), std::string::npos) << refused.error;
  }
  const std::string files = " --training training.json --hardware machine.json --quiet ";
  for (const char *flags : {"--recompute ful", "--gather foo", "--strategy zero-33", "--freeze '('"})
    EXPECT_EQ(compile(soundFiles(), files + flags).code, 2) << flags;
  for (const char *flags : {"--strategy machine.json", "--freeze nothing", "--weights nowhere"})
    EXPECT_EQ(compile(soundFiles(), files + flags).code, 1) << flags;
  EXPECT_EQ(namesIn(job()), "config.json machine.json training.json");
}

/// Prints the time of every level and of the passes in it on stderr, as progress. The answer on stdout does
/// not change.
TEST_F(CompileTool, timesLevelsAndPasses) {
  const ToolRun plain = compile(soundFiles()),
                timed = compile(soundFiles(), std::string(kFlags) + " --timing");
  EXPECT_EQ(timed.code, 0) << timed.error;
  EXPECT_EQ(timed.out, plain.out);
  EXPECT_EQ(plain.error, "");
  for (const char *name : {"import", "graph", "dist", "flow", "memory", "planned", "plan", "emit", "kernels",
                           "check", "predict", "  Differentiate", "  ElideWaits", "Total"})
    EXPECT_NE(timed.error.find(std::string(")  ") + name + "\n"), std::string::npos)
        << name << ": " << timed.error;
}

TEST_F(CompileTool, theSameFilesGiveTheSameBytes) {
  const std::string rest = " --training training.json --hardware machine.json --quiet -o ";
  ASSERT_EQ(compile(soundFiles(), rest + "one.plan").code, 0);
  ASSERT_EQ(compile(soundFiles(), rest + "../elsewhere.plan").code, 0);
  for (const char *file : {"/plan.json", "/kernels.so"}) {
    const std::string first = readText(job() + "/one.plan" + file);
    EXPECT_GT(first.size(), 1000u);
    EXPECT_TRUE(first == readText(folder / ("elsewhere.plan" + std::string(file)))) << file;
  }
}

/// A plan for a CPU that is named is the same where the compiler has one processor, an empty environment, and
/// libraries without the newer instruction sets.
TEST_F(CompileTool, anEmptyEnvironmentAndOneProcessorGiveTheSameBytes) {
  const std::string rest = " config.json --training training.json --hardware machine.json --quiet "
                           "--target-cpu x86-64-v4 -o ";
  ASSERT_EQ(compile(soundFiles(), " --check").code, 0); // writes the files
  ASSERT_EQ(runTool(job(), WINDLASS_COMPILE + rest + "here.plan").code, 0);
  ASSERT_EQ(runTool(job(), "env -i PATH=/usr/bin:/bin GLIBC_TUNABLES=glibc.cpu.hwcaps=-AVX2,-AVX512F,-FMA "
                           "taskset -c $(taskset -cp $$ | sed 's/.*[ ,-]//') " WINDLASS_COMPILE +
                               rest + "there.plan")
                .code,
            0);
  for (const char *file : {"/plan.json", "/kernels.so"}) {
    const std::string here = readText(job() + "/here.plan" + file);
    EXPECT_GT(here.size(), 1000u);
    EXPECT_TRUE(here == readText(job() + "/there.plan" + file)) << file;
  }
}

} // namespace
} // namespace windlass::test
