// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The mesh on the command line of windlass-compile: given, or open.
#include "test/tools/windlass-compile/CompileTool.h"
#include <regex>

namespace windlass::test {
namespace {

/// Axes on the command line replace those of the file, and the plan is that of a file with these axes.
TEST_F(CompileTool, takesTheMeshFromTheCommandLine) {
  Files files = soundFiles();
  files.training.erase("micro_batches");
  const auto expectRefused = [&](const std::string &axes, const std::string &part, int code = 1) {
    expectRefusal(compile(files, std::string(kFlags) + " --parallel " + axes), code, part);
  };
  const std::string rule =
      "--parallel: must be axes as data=2,tensor=2,pipeline=2, each at most once, found ";
  expectRefused("data=2,data=2", rule + "data twice", 2);
  for (const char *unknown : {"sequence=2", "tensor=", "data", "auto=2"})
    expectRefused(unknown, rule + "\"" + unknown + "\"", 2);
  expectRefused("data=1,tensor=0",
                "--parallel data=1,tensor=0: training.json: parallel.tensor: must be a whole number");
  expectRefused("data=3", "--parallel data=3: training.json: global_batch: must be a multiple of");
  expectRefused("data=1,tensor=4", "parallel.data x parallel.tensor asks for 4 ranks, machine.json has 2");
  const ToolRun flagged = compile(files, std::string(kFlags) + " --parallel data=1,tensor=2");
  EXPECT_EQ(flagged.code, 0) << flagged.error;
  files.training["parallel"] = {{"data", 1}, {"tensor", 2}};
  EXPECT_EQ(compile(files).out, flagged.out);
}

/// The number of open stages is that of the machine's ranks divided by the other axes.
TEST_F(CompileTool, countsTheStagesThatNobodyCounts) {
  Files files = soundFiles();
  files.training.erase("micro_batches");
  files.config["n_layer"] = 2;
  const std::string flags = std::string(kFlags) + " --parallel ";
  expectRefusal(compile(files, flags + "data=auto"), 2, "each at most once, found \"data=auto\"");
  Files wide = files;
  wide.training["parallel"] = {{"data", 1}, {"tensor", 4}, {"pipeline", "auto"}};
  expectRefusal(compile(wide), 1,
                "training.json: parallel.pipeline: \"auto\" needs ranks of a stage, parallel.data x "
                "parallel.tensor, that divide the 2 ranks of machine.json, these are 4");
  const ToolRun counted = compile(files, flags + "data=1,pipeline=2");
  EXPECT_EQ(counted.code, 0) << counted.error;
  EXPECT_EQ(compile(files, flags + "data=1,pipeline=auto").out, counted.out);
  files.training["parallel"] = {{"data", 1}, {"pipeline", "auto"}};
  EXPECT_EQ(compile(files).out, counted.out);
  files.training["parallel"]["tensor"] = 2;
  EXPECT_NE(compile(files).out.find("tp 2"), std::string::npos) << "one stage is left";
}

/// If the mesh is open, decisions that some mesh allows are not refused. The reason names all axes of the
/// mesh that is taken.
TEST_F(CompileTool, leavesTheFilesMeshWhereTheMeshIsOpen) {
  Files parts = soundFiles(), stages = soundFiles();
  parts.training["recompute"] = "full";
  parts.training["sequence_parallel"] = false;
  parts.training["checkpoint_partition"] = true;
  stages.config["n_layer"] = 2;
  stages.training.erase("micro_batches");
  stages.training["parallel"] = {{"pipeline", "auto"}};
  const std::string open = std::string(kFlags) + " --parallel auto";
  expectRefusal(compile(parts), 1, "checkpoint_partition true needs parallel.tensor of at least 2, not 1");
  expectRefusal(compile(stages, open), 2,
                "--parallel: auto leaves no ranks to training.json: parallel.pipeline: \"auto\"");
  const ToolRun parted = compile(parts, open);
  EXPECT_EQ(parted.code, 0) << parted.error;
  EXPECT_NE(parted.out.find("  parallel: data=1,tensor=2, 4 micro-batches: "), std::string::npos)
      << parted.out;
  stages.training["parallel"] = {{"pipeline", 2}};
  const ToolRun staged = compile(stages, open);
  EXPECT_EQ(staged.code, 0) << staged.error;
  EXPECT_NE(staged.out.find("  parallel: data=1,tensor=1,pipeline=2, "), std::string::npos) << staged.out;
}

/// Removes the reason of a decision from the text of a screen, and returns it.
std::string takeReason(std::string &screen, const std::string &decision) {
  const size_t begin = screen.find("  " + decision + ": ");
  if (begin == std::string::npos)
    return (ADD_FAILURE() << "nothing of " << decision << ": " << screen, "");
  size_t end = screen.find('\n', begin) + 1;
  while (screen.compare(end, 4, "    ") == 0)
    end = screen.find('\n', end) + 1;
  const std::string reason = screen.substr(begin, end - begin);
  screen.erase(begin, end - begin);
  return std::regex_replace(reason, std::regex("\n      "), " ");
}

/// All meshes of two ranks are tried at one global batch, and the reason has the outcome of each. The plan is
/// that of a file with the printed keys. If one rank cannot hold the model, two tensor ranks can.
TEST_F(CompileTool, proposesTheFastestMesh) {
  Files files = soundFiles();
  files.training["zero_stage"] = 0;
  ToolRun chosen = compile(files, std::string(kFlags) + " --parallel auto");
  ASSERT_EQ(chosen.code, 0) << chosen.error;
  const std::string reason = takeReason(chosen.out, "parallel");
  static const std::regex said(
      R"(  parallel: data=(\d),tensor=(\d), (\d) micro-batch[es]*: .* a step as laid out; )"
      R"(("parallel": .*) in the training file, whose other keys stay, says the same; .*\n)"
      R"(    - data=(\d),tensor=(\d), (\d) micro-batch[es]*: .* a step as laid out.*\n)");
  std::smatch found;
  ASSERT_TRUE(std::regex_match(reason, found, said)) << reason;
  const auto number = [&](size_t at) { return std::stoi(found[at]); };
  EXPECT_NE(number(1), number(5));
  for (size_t mesh : {1, 5}) {
    EXPECT_EQ(number(mesh) * number(mesh + 1), 2);
    EXPECT_EQ(number(mesh + 2), 2 * number(mesh + 1)) << "micro-batches make the same global batch";
  }
  files.training.erase("micro_batches");
  files.training.merge_patch(json::parse("{" + found[4].str() + "}"));
  EXPECT_EQ(compile(files).out, chosen.out);

  Files narrow = soundFiles();
  narrow.training["zero_stage"] = 0;
  narrow.training["placement"] = {{"param", "device"}, {"grad", "device"}, {"moments", "device"}};
  narrow.machine["device"]["capacity"] = "1MiB";
  ToolRun held = compile(narrow, std::string(kFlags) + " --parallel auto");
  EXPECT_EQ(held.code, 0) << held.error;
  static const std::regex only(
      R"(  parallel: data=1,tensor=2, 4 micro-batches: .*\n)"
      R"(    - data=2,tensor=1, 2 micro-batches: does not fit \(device is .* short\)\n)");
  const std::string narrowed = takeReason(held.out, "parallel");
  EXPECT_TRUE(std::regex_match(narrowed, only)) << narrowed;
  const std::string asked = " --training training.json --hardware machine.json --fits --parallel ";
  EXPECT_EQ(compile(narrow, asked + "data=2").code, 3);
  const ToolRun fits = compile(narrow, asked + "auto");
  EXPECT_EQ(fits.code, 0) << fits.error;
  EXPECT_EQ(fits.out.rfind("yes: with data=1,tensor=2, ", 0), 0u) << fits.out;
}

/// Meshes for which no plan is made are in the list of trials, with the rule against them.
TEST_F(CompileTool, saysWhatRulesMeshesOut) {
  Files files = soundFiles();
  files.training.erase("micro_batches");
  files.training["micro_batch"] = 2;
  files.training["global_batch"] = 2;
  ToolRun chosen = compile(files, std::string(kFlags) + " --parallel auto");
  ASSERT_EQ(chosen.code, 0) << chosen.error;
  EXPECT_NE(takeReason(chosen.out, "parallel")
                .find("- data=2,tensor=1: ruled out, training.json: global_batch: must be a multiple of "
                      "parallel.data x micro_batch = 4, is 2\n"),
            std::string::npos);
}

/// All meshes have micro-batches of one size: that of the file, or that of its number of micro-batches on its
/// own mesh.
TEST_F(CompileTool, makesTheGlobalBatchOnEveryMesh) {
  Files files = soundFiles();
  files.training.merge_patch({{"global_batch", 4}, {"micro_batch", 1}, {"micro_batches", 1}});
  const std::string open = std::string(kFlags) + " --parallel auto";
  expectRefusal(compile(files), 1, "global_batch: must be parallel.data x micro_batches x micro_batch");
  Files wrong = files;
  wrong.training["micro_batches"] = "two";
  expectRefusal(compile(wrong, open), 1, "training.json: micro_batches: ");
  wrong.training.erase("micro_batch");
  wrong.training["micro_batches"] = 4;
  expectRefusal(compile(wrong, open), 1,
                "training.json: micro_batch: must be said for --parallel auto, which keeps the size of "
                "micro-batches: global_batch = 4 is no multiple of parallel.data x micro_batches = 8");
  ToolRun chosen = compile(files, open);
  ASSERT_EQ(chosen.code, 0) << chosen.error;
  std::string reason = takeReason(chosen.out, "parallel");
  for (const char *mesh : {"data=2,tensor=1, 2 micro-batches", "data=1,tensor=2, 4 micro-batches"})
    EXPECT_NE(reason.find(mesh), std::string::npos) << reason;
  files.training.erase("micro_batch");
  files.training["micro_batches"] = 2;
  chosen = compile(files, open);
  ASSERT_EQ(chosen.code, 0) << chosen.error;
  reason = takeReason(chosen.out, "parallel");
  for (const char *mesh : {"data=2,tensor=1, 2 micro-batches", "data=1,tensor=2, 4 micro-batches"})
    EXPECT_NE(reason.find(mesh), std::string::npos) << reason;
}

} // namespace
} // namespace windlass::test
