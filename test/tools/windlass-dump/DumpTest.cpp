// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The answers to all questions, and the exit codes of misuse.
#include "runtime/base/File.h"
#include "runtime/base/Hash.h"
#include "runtime/plan/Enums.h"
#include "runtime/plan/KernelSignature.h"
#include "runtime/plan/Layout.h"
#include "runtime/plan/Reasons.h"
#include "test/support/PipelinePlan.h"
#include "test/support/Sections.h"
#include "test/tools/windlass-dump/DumpTool.h"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <utility>

using namespace windlass;
using test::Answer;
using test::kMachine;
using test::WindlassDump;

namespace {

TEST_F(WindlassDump, SummarisesAPlan) {
  Answer answer = ask("");
  EXPECT_EQ(answer.exitCode, 0);
  for (const char *part : {"synthetic 1", "tied: wte.weight", "lower bound", "variance", "all", "first",
                           "placement of moments: nvme (4.00 KiB on each rank), pinned there", "numerics"})
    EXPECT_NE(answer.text.find(part), std::string::npos) << part << " is missing in\n" << answer.text;
}

TEST_F(WindlassDump, SaysWhatEachLaneDoes) {
  plan.training.steps = 1;
  plan.prediction.stepSeconds = 1;
  plan.prediction.boundBy = "compute";
  for (size_t lane = 0; lane < plan::kLanes; ++lane)
    plan.prediction.busy.emplace_back(static_cast<plan::Lane>(lane), 0.5);
  write();
  const std::string text = ask("").text;
  for (const char *part :
       {"compute      busy 500 ms, 50 %    kernels on the device\n",
        "gg           busy 500 ms, 50 %    device to device\n",
        "cg_in        busy 500 ms, 50 %    host to device\n",
        "cg_out       busy 500 ms, 50 %    device to host\n",
        "nc_in        busy 500 ms, 50 %    disk to host\n",
        "nc_out       busy 500 ms, 50 %    host to disk\n",
        "host_compute busy 500 ms, 50 %    kernels on the host\n",
        "nodes        busy 500 ms, 50 %    between groups of ranks\n", " rates); 1 step: ", "1 step writes "})
    EXPECT_NE(text.find(part), std::string::npos) << part << " is missing in\n" << text;
}

TEST_F(WindlassDump, ShowsEachProgramOfAPipeline) {
  plan = test::makePipelinePlan({});
  plan.hardware = kMachine;
  write();
  for (const char *option : {"", "--memory", "--instructions", "--schedule"}) {
    const std::string text = ask(option).text;
    const size_t first = text.find("program 0, ranks 0 to 1\n"),
                 last = text.find("program 1, ranks 2 to 3\n");
    EXPECT_TRUE(first < last && last != std::string::npos) << option << "\n" << text;
  }
  // The first stage begins with forward passes, and then waits for a gradient. The last stage waits for its
  // first activation.
  const std::string picture = ask("--schedule").text;
  EXPECT_TRUE(picture.starts_with("the stages in a step of ")) << picture;
  const size_t first = picture.find("\n0 F"), last = picture.find("\n1 .");
  EXPECT_TRUE(first < last && last != std::string::npos) << picture;
  EXPECT_NE(picture.substr(last, picture.find('\n', last + 1) - last).find("B"), std::string::npos)
      << picture;
  EXPECT_NE(picture.find(" bubble "), std::string::npos) << picture;
  EXPECT_EQ(picture.find('W', picture.find('\n')), std::string::npos) << picture;
  EXPECT_NE(ask("--instructions").text.find(") to program 1 \"layer.2.input\"\n"), std::string::npos);
  EXPECT_TRUE(
      ask("--explain layer.2").text.starts_with("program 1, ranks 2 to 3\nlayer.2 (parameter, 16x16 f32)"));
}

/// A device that waits for updates on the host is not in a bubble.
TEST_F(WindlassDump, ShowsUpdatesOnTheHost) {
  plan = test::makePipelinePlan({});
  plan.hardware = kMachine;
  for (plan::Program &program : plan.programs)
    for (plan::Section &section : program.sections)
      for (plan::Instruction &each : section.instructions)
        if (each.origin.phase == plan::Phase::Update && each.op == plan::Opcode::Launch) {
          each.lane = plan::Lane::HostCompute;
          plan.kernels[static_cast<size_t>(each.kernel)].bytes = 1e6;
        }
  write();
  const std::string picture = ask("--schedule").text, first = picture.substr(0, picture.find('\n'));
  EXPECT_NE(first.find("U update, u update on the host, . bubble"), std::string::npos) << first;
  EXPECT_NE(picture.find("uu bubble "), std::string::npos) << picture;
}

TEST_F(WindlassDump, ExplainsAPipeline) {
  plan = test::makePipelinePlan({});
  plan.strategy = R"({"pipeline":{"schedule":"1f1b","lag":[1,0],"cut":[2,2]}})";
  write();
  const std::string text = ask("--explain pipeline").text;
  for (const char *part :
       {"pipeline.schedule: \"1f1b\": a stage runs a backward pass as soon as its gradient can be there\n",
        "pipeline.lag: [1,0], by so many micro-batches backward passes stand behind forward passes: stage 0 "
        "holds 2 micro-batches, 4.00 KiB in slots; stage 1 holds 1 micro-batch\n",
        "pipeline.cut: [2,2], so many layers each stage has"})
    EXPECT_NE(text.find(part), std::string::npos) << part << " is missing in\n" << text;
}

/// Names the stage that takes longest, by the rates of the plan's machine.
TEST_F(WindlassDump, SaysWhichStageSetsThePace) {
  plan = test::makePipelinePlan({});
  plan.strategy = R"({"pipeline":{"schedule":"1f1b","lag":[1,0],"cut":[2,2]}})";
  plan.hardware = kMachine;
  write();
  const std::string text = ask("--explain pipeline.cut").text;
  EXPECT_NE(text.find("; stage 0 computes "), std::string::npos) << text;
  EXPECT_NE(text.find(" sets the pace\n"), std::string::npos) << text;
}

/// Prints the reasons of each stage. The overview leaves out those of later stages that decide as the first.
TEST_F(WindlassDump, TellsTheReasonsOfEachStage) {
  using plan::Decision;
  plan = test::makePipelinePlan({});
  plan.strategy = R"({"pipeline":{"schedule":"1f1b","lag":[1,0],"cut":[2,2]}})";
  const auto rests = [](plan::Tier tier) { return std::vector<plan::Resting>{{tier, 1, 4096}}; };
  plan.reasons = {{.decision = Decision::Placement,
                   .subject = "grad",
                   .stage = 1,
                   .taken = "host",
                   .rests = rests(plan::Tier::Host)},
                  {.decision = Decision::Placement,
                   .subject = "moments",
                   .stage = 1,
                   .taken = "host",
                   .rests = rests(plan::Tier::Host)},
                  {.decision = Decision::Placement,
                   .subject = "grad",
                   .stage = 0,
                   .taken = "device",
                   .rests = rests(plan::Tier::Device)},
                  {.decision = Decision::Placement,
                   .subject = "moments",
                   .stage = 0,
                   .taken = "host",
                   .rests = rests(plan::Tier::Host)}};
  write();
  const std::string all = ask("--explain placement").text, some = ask("").text;
  for (const char *title : {"placement of grad, stage 1: host", "placement of moments, stage 1: host",
                            "placement of grad, stage 0: device", "placement of moments, stage 0: host"})
    EXPECT_NE(all.find(title), std::string::npos) << title << " is missing in\n" << all;
  EXPECT_NE(ask("--explain 'placement of grad, stage 0'").text.find("device"), std::string::npos);
  EXPECT_NE(some.find("placement of grad, stage 0: device"), std::string::npos) << some;
  EXPECT_EQ(some.find("placement of moments, stage 0"), std::string::npos) << some;
}

/// Instructions of a backward pass that are of an earlier micro-batch than the rest have waited, and are
/// drawn separately.
TEST_F(WindlassDump, DrawsGradientsThatWaited) {
  plan = test::makePipelinePlan({});
  plan.hardware = kMachine;
  for (plan::Section &section : plan.programs[0].sections) {
    bool waits = false;
    for (plan::Instruction &each : section.instructions)
      if (each.lane == plan::Lane::Compute && each.origin.phase == plan::Phase::Backward)
        each.microBatch -= std::exchange(waits, true) ? 1 : 0;
  }
  write();
  const std::string picture = ask("--schedule").text;
  const std::string line = picture.substr(picture.find("\n0 ") + 1, 100);
  EXPECT_NE(line.find('W'), std::string::npos) << picture;
  EXPECT_NE(line.find('B'), std::string::npos) << picture;
}

/// Gradients that arrive for a later micro-batch than that of the backward pass are no gradients that waited.
TEST_F(WindlassDump, DrawsABackwardPassBehindWhatComesForIt) {
  plan = test::makePipelinePlan({});
  plan.hardware = kMachine;
  for (plan::Section &section : plan.programs[0].sections)
    for (plan::Instruction &each : section.instructions)
      if (each.op == plan::Opcode::Recv && each.lane == plan::Lane::GradIn)
        each.microBatch += 1;
  write();
  const std::string picture = ask("--schedule").text;
  const std::string line = picture.substr(picture.find("\n0 ") + 1, 100);
  EXPECT_EQ(line.find('W'), std::string::npos) << picture;
  EXPECT_NE(line.find('B'), std::string::npos) << picture;
}

TEST_F(WindlassDump, ShowsEveryInstruction) {
  std::string text = ask("--instructions").text;
  EXPECT_NE(text.find("section middle\n"), std::string::npos);
  EXPECT_NE(text.find("after "), std::string::npos);
  EXPECT_NE(text.find("of the previous section, first "), std::string::npos);
  EXPECT_NE(text.find("per dp]"), std::string::npos) << "the norm's operand moves with the rank";
}

TEST_F(WindlassDump, ShowsEveryKernel) {
  const std::string before = ask("--kernels").text;
  EXPECT_EQ(before.find("phase"), std::string::npos) << "a processor cuts ranges itself";
  plan = test::makeSyntheticPlan({.seed = 1, .generated = true});
  plan.backend = "cuda";
  for (plan::Kernel &kernel : plan.kernels)
    if (kernel.kind == plan::KernelKind::Generated)
      kernel.phases = {{.perBlock = 1, .across = 3, .threads = 128, .sharedBytes = 4096},
                       {.perBlock = kernel.extent, .across = 1, .threads = 32, .sharedBytes = 0}};
  plan.kernelFiles = {{"x86-64-v3", "kernels.so", "0"}, {"sm_80", "kernels.ptx", "0"}};
  write();
  const std::string text = ask("--kernels").text;
  for (const char *part :
       {"kernels.so for x86-64-v3, kernels.ptx for sm_80, matmuls by ", " on compute\n", " FLOP and ",
        "blocks of 128 threads that share 4.00 KiB, registers unknown\n",
        "  phase 1: 1 block of 32 threads, registers unknown\n", " by 16x16 f32", "  workspace: "})
    EXPECT_NE(text.find(part), std::string::npos) << part << " is missing in\n" << text;
  EXPECT_NE(ask("").text.find(" and, on the device, sm_80, matmuls by "), std::string::npos);
}

/// A plan does not have the registers of its kernels. They come from the output of an assembler.
TEST_F(WindlassDump, ShowsTheRegistersThatAnAssemblerTold) {
  plan = test::makeSyntheticPlan({.seed = 1, .generated = true});
  plan.backend = "cuda";
  const auto kernel = std::ranges::find(plan.kernels, plan::KernelKind::Generated, &plan::Kernel::kind);
  ASSERT_NE(kernel, plan.kernels.end());
  kernel->symbol = "sum.of.rows";
  kernel->phases = {{.perBlock = kernel->extent, .across = 3, .threads = 128, .sharedBytes = 0},
                    {.perBlock = kernel->extent, .across = 1, .threads = 32, .sharedBytes = 0}};
  write();
  const std::string file = (folder / "said.txt").string();
  std::ofstream(file) << "ptxas info    : Compiling entry function 'sum_$_of_$_rows' for 'sm_90'\n"
                         "ptxas info    : Function properties for sum_$_of_$_rows\n"
                         "    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
                         "ptxas info    : Used 40 registers, used 1 barriers, 384 bytes smem\n"
                         "ptxas info    : Compiling entry function 'sum_$_of_$_rows_$_1' for 'sm_90'\n"
                         "    16 bytes stack frame, 8 bytes spill stores, 4 bytes spill loads\n"
                         "ptxas info    : Used 255 registers, used 0 barriers\n";
  const std::string text = ask("--kernels --ptxas " + file).text;
  for (const char *part : {"  phase 0: 3 blocks of 128 threads, 40 registers on sm_90\n",
                           "1 block of 32 threads, 255 registers on sm_90, 16 B of stack, 12 B spilled\n"})
    EXPECT_NE(text.find(part), std::string::npos) << part << " is missing in\n" << text;
  std::ofstream(file) << "fatal\n";
  EXPECT_NE(ask("--kernels --ptxas " + file).text.find("said.txt: names no kernel"), std::string::npos);
}

TEST_F(WindlassDump, ShowsWhichAxesACollectiveRunsOver) {
  EXPECT_EQ(ask("--instructions").text.find(" over "), std::string::npos) << "the mesh has one axis";
  plan = test::makeSyntheticPlan({.seed = 1, .ranks = 4, .layers = 2, .replicas = 2});
  write();
  const std::string text = ask("--instructions").text;
  for (const char *part :
       {" over dp_shard\n", "(reduce_scatter replicas, layer.0, update) over dp_replicate\n"})
    EXPECT_NE(text.find(part), std::string::npos) << part << " is missing in\n" << text;
}

TEST_F(WindlassDump, ShowsMemoryAndLanes) {
  EXPECT_NE(ask("--memory").text.find("shares with"), std::string::npos);
  const std::string schedule = ask("--schedule").text;
  for (const char *part : {"micro-batch 0, section first\nfrom, for", "section evaluate, in planned order\n"})
    EXPECT_NE(schedule.find(part), std::string::npos) << schedule;
  EXPECT_EQ(schedule.find("section last, in planned order\n"), std::string::npos) << "it has times";
}

/// Two staging buffers that share half of their bytes take one and a half times the bytes of one.
TEST_F(WindlassDump, CountsSharedBytesOfAClassOnce) {
  plan.programs[0].buffers.clear();
  plan.programs[0].sections.clear();
  test::setSchedules(plan);
  plan.programs[0].states.clear();
  plan.programs[0].gradients.clear();
  plan.programs[0].arenas = {{plan::Tier::Host, 12288, 12288, 12288}};
  plan.programs[0].buffers.push_back({"a", plan::BufferClass::Staging, plan::Tier::Host, 0, 8192, false});
  plan.programs[0].buffers.push_back({"b", plan::BufferClass::Staging, plan::Tier::Host, 4096, 8192, false});
  write();
  const std::string text = ask("--memory").text;
  EXPECT_NE(text.find("16.0 KiB in     2 buffers, on 12.0 KiB of the arena"), std::string::npos) << text;
}

TEST_F(WindlassDump, WritesATraceOfTheStep) {
  std::string file = (folder / "trace.json").string();
  EXPECT_EQ(ask("--trace " + file).exitCode, 0);
  nlohmann::json trace = nlohmann::json::parse(*readFile(file));
  size_t instructions = 0; // of first, middle and last
  for (const plan::Section &section : plan.programs[0].sections)
    if (section.name != "evaluate")
      instructions += section.instructions.size();
  EXPECT_EQ(trace["traceEvents"].size(), instructions + plan::kLanes) << "one more for the name of each lane";
  const nlohmann::json &first = trace["traceEvents"][plan::kLanes];
  const plan::Section &section = *test::sectionNamed(plan, "first");
  EXPECT_EQ(first["cat"], std::string(plan::textOf(section.instructions[0].op)));
  EXPECT_EQ(first["args"]["section"], "first");
  EXPECT_EQ(first["args"]["instruction"], 0);
  double end = 0;
  for (const nlohmann::json &event : trace["traceEvents"])
    if (event["ph"] == "X")
      end = std::max(end, event["ts"].get<double>() + event["dur"].get<double>());
  EXPECT_GT(end, 0) << "simulated on the machine that the plan was made for";
}

/// With a full disk behind stdout the answer is lost, so that the tool fails.
TEST_F(WindlassDump, SaysThatItsOutputWasLost) {
  for (const char *question : {"", "--memory", "--schedule", "--instructions", "--check", "--help"}) {
    const Answer full = ask(std::string(question) + " 2>&1 >/dev/full #");
    EXPECT_EQ(full.exitCode, 1) << question;
    EXPECT_TRUE(full.text.starts_with("error: standard output: ")) << question << ": " << full.text;
  }
  EXPECT_EQ(ask("--check 2>&1 >/dev/full #").text, "error: standard output: No space left on device\n");
  EXPECT_EQ(ask("another.plan >/dev/full").exitCode, 2) << "another failure keeps its code";
}

TEST_F(WindlassDump, ChecksAPlan) {
  EXPECT_EQ(ask("--check").exitCode, 0);
  plan.programs[0].arenas[0].bytes -= 1;
  write();
  Answer broken = ask("--check");
  EXPECT_EQ(broken.exitCode, 1);
  EXPECT_NE(broken.text.find("the plan is not sound"), std::string::npos);
}

TEST_F(WindlassDump, ChecksTheFilesOfKernels) {
  const std::string kernels = (folder / "kernels.so").string(),
                    code = "code" + plan::signatureTable({}) + '\0';
  plan.target.cpu = "x86-64-v3";
  plan.kernelFiles = {{"x86-64-v3", "kernels.so", hashOfBytes(code)},
                      {"sm_90", "kernels.ptx", hashOfBytes("more code")}};
  write();
  std::ofstream(folder / "kernels.ptx") << "more code";
  const Answer missing = ask("--check");
  EXPECT_EQ(missing.exitCode, 1);
  for (const std::string &part :
       {kernels + ": cannot open: No such file or directory\n", std::string("not sound: 1 fault\n")})
    EXPECT_NE(missing.text.find(part), std::string::npos) << missing.text;
  std::ofstream(kernels) << "cope";
  const Answer changed = ask("--check");
  EXPECT_EQ(changed.exitCode, 1);
  EXPECT_NE(changed.text.find(kernels + "': hash is " + hashOfBytes("cope")), std::string::npos)
      << changed.text;
  std::ofstream(kernels) << code;
  EXPECT_EQ(ask("--check").text, "the plan is sound\n");
}

/// The operands of the two kernels are the same, so that operands alone do not show the swap.
TEST_F(WindlassDump, FindsThatTwoKernelsHaveEachOthersCode) {
  plan = test::makeSyntheticPlan({.seed = 3, .generated = true});
  const size_t first =
      static_cast<size_t>(std::ranges::find(plan.kernels, plan::KernelKind::Generated, &plan::Kernel::kind) -
                          plan.kernels.begin());
  ASSERT_LT(first, plan.kernels.size());
  plan.kernels.push_back(plan.kernels[first]);
  plan.kernels.back().symbol = "other";
  const std::string code = plan::signatureTable(plan.kernels) + '\0';
  plan.target.cpu = "x86-64-v3";
  plan.kernelFiles = {{"x86-64-v3", "kernels.so", hashOfBytes(code)}};
  write();
  std::ofstream(folder / "kernels.so") << code;
  EXPECT_EQ(ask("--check").text, "the plan is sound\n");
  std::swap(plan.kernels[first].symbol, plan.kernels.back().symbol);
  write();
  const Answer swapped = ask("--check");
  EXPECT_EQ(swapped.exitCode, 1);
  EXPECT_NE(swapped.text.find("kernels.so': was made for other kernels than the plan's"), std::string::npos)
      << swapped.text;
}

TEST_F(WindlassDump, AcceptsAnEditedPlanThatIsSound) {
  const std::string file = (folder / "plan.json").string(), sound = *readFile(file);
  auto edit = [&](const std::string &what, const std::string &with) {
    std::string text = sound;
    text.replace(text.find(what), what.size(), with);
    std::ofstream(file) << text;
  };
  edit("\"model\":\"synthetic", "\"model\": \"edited"); // a space that no writer leaves
  EXPECT_NE(ask("").text.find("the file was damaged or edited (windlass-dump --rehash"), std::string::npos);
  EXPECT_EQ(ask("--rehash").text, "the plan is sound and has its hash\n");
  EXPECT_NE(ask("").text.find("edited 1"), std::string::npos);
  EXPECT_EQ(readFile(file)->find("\"model\": "), std::string::npos);
  edit("\"moves\":", "\"mooves\":");
  EXPECT_NE(ask("--rehash").text.find("mooves: unknown key, did you mean \"moves\"?"), std::string::npos);
  plan.hardware = "{";
  write();
  EXPECT_NE(ask("--rehash").text.find("the plan's hardware"), std::string::npos);
  plan.programs[0].arenas[0].bytes -= 1;
  write();
  const Answer broken = ask("--rehash");
  EXPECT_EQ(broken.exitCode, 1);
  EXPECT_NE(broken.text.find("the plan is not sound"), std::string::npos);
}

TEST_F(WindlassDump, RefusesMachinesThatDoNotSuitThePlan) {
  const auto fileOf = [&](const nlohmann::json &machine, const char *name) {
    std::ofstream(folder / name) << machine;
    return (folder / name).string();
  };
  nlohmann::json machine = nlohmann::json::parse(kMachine);
  const std::string same = fileOf(machine, "same.json"), trace = (folder / "trace.json").string();
  machine["ranks"] = 1;
  const std::string alone = fileOf(machine, "alone.json");
  machine["ranks"] = 2;
  machine.erase("nvme");
  const std::string diskless = fileOf(machine, "diskless.json");
  for (const std::string &question : {std::string("--schedule"), "--trace " + trace}) {
    EXPECT_EQ(ask(question + " --hardware " + same).exitCode, 0);
    const Answer one = ask(question + " --hardware " + alone),
                 two = ask(question + " --hardware " + diskless);
    EXPECT_EQ(one.exitCode, 1);
    EXPECT_EQ(one.text,
              "error: the plan is for 2 ranks, the machine has 1: a plan of other ranks is compiled "
              "anew\n");
    EXPECT_EQ(two.exitCode, 1);
    EXPECT_TRUE(two.text.starts_with("error: the plan keeps ")) << two.text;
    EXPECT_TRUE(two.text.ends_with(" of each rank on nvme, which the machine does not have\n")) << two.text;
  }
}

TEST_F(WindlassDump, RefusesWrongInputInOneLine) {
  EXPECT_EQ(ask("--help").exitCode, 0);
  EXPECT_EQ(ask("--version").exitCode, 0);
  const std::string file = (folder / "plan.json").string(), hardware = (folder / "machine.json").string();
  std::ofstream(hardware) << "{\"format\": ";
  struct Case {
    std::string flags;
    int code;
    const char *part;
  };
  for (const Case &bad :
       {Case{"--memory --check", 2, "at most 1 options"}, Case{"--no-such-option", 2, "--no-such-option"},
        Case{"--explain", 2, "--explain"}, Case{"another.plan", 2, "another.plan"},
        Case{"--memory --hardware " + hardware, 2, "--hardware requires --schedule or --trace"},
        Case{"--explain ''", 2, "--explain: must not be empty"},
        Case{"--memry", 2, "--memry: unknown option, did you mean \"--memory\"?"},
        Case{"--schedule --hardware /nowhere/machine.json", 1, "/nowhere/machine.json: cannot open"},
        Case{"--schedule --hardware " + hardware, 1, "machine.json: not valid JSON"},
        Case{"--trace /nowhere/trace.json", 1, "/nowhere/trace.json"},
        Case{"--trace " + folder.string(), 1, "cannot write: Is a directory"}}) {
    SCOPED_TRACE(bad.flags);
    const Answer answer = ask(bad.flags);
    EXPECT_EQ(answer.exitCode, bad.code);
    EXPECT_NE(answer.text.find(bad.part), std::string::npos) << answer.text;
    if (bad.code == 1) {
      EXPECT_TRUE(answer.text.starts_with("error: ") && answer.text.find('\n') == answer.text.size() - 1)
          << answer.text;
    }
  }
  plan.hardware = "";
  write();
  EXPECT_NE(ask("--schedule").text.find("the plan's hardware: not valid JSON"), std::string::npos);
  const std::string sound = *readFile(file);
  for (const std::string &text :
       {std::string(), sound.substr(0, sound.size() / 2), sound.substr(1), sound + " "})
    for (const char *question : {"", "--memory", "--schedule", "--instructions", "--check", "--explain x"}) {
      std::ofstream(file) << text;
      const Answer answer = ask(question);
      EXPECT_EQ(answer.exitCode, 1);
      EXPECT_TRUE(answer.text.starts_with("error: " + file + ": ")) << answer.text;
    }
  std::filesystem::remove(file);
  EXPECT_EQ(ask("").exitCode, 1);
}

} // namespace
