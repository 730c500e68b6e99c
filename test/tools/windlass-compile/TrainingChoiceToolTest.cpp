// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// --may-change-bits: a training file that trains the same up to last bits, and is faster.
#include "test/tools/windlass-compile/CompileTool.h"
#include <regex>

namespace windlass::test {
namespace {

constexpr const char *kOpen = " --training training.json --hardware machine.json --quiet --may-change-bits";

/// Removes the reason of the training file from the text of a screen, and returns its lines, one for each
/// trial.
std::vector<std::string> takeTrials(std::string &screen) {
  const size_t begin = screen.find("  training: ");
  if (begin == std::string::npos)
    return {};
  size_t end = screen.find('\n', begin) + 1;
  while (screen.compare(end, 4, "    ") == 0)
    end = screen.find('\n', end) + 1;
  std::string said = screen.substr(begin, end - begin);
  screen.erase(begin, end - begin);
  said = std::regex_replace(said, std::regex("\n      "), " ");
  std::vector<std::string> lines;
  for (size_t at = 0; at < said.size(); at = said.find('\n', at) + 1)
    lines.push_back(said.substr(at, said.find('\n', at) - at));
  return lines;
}

/// A batch in many micro-batches on ranks with a slow link: larger micro-batches gather parameters less
/// often. The plan is that of a file with the printed keys, and no other trial is faster.
TEST_F(CompileTool, proposesTheFastestTrainingFile) {
  Files files = soundFiles();
  files.training.merge_patch(
      {{"global_batch", 16}, {"micro_batch", 1}, {"micro_batches", nullptr}, {"zero_stage", 3}});
  files.machine["links"]["gg"]["bandwidth"] = "200MB/s";
  ToolRun chosen = compile(files, kOpen);
  ASSERT_EQ(chosen.code, 0) << chosen.error;
  const std::vector<std::string> trials = takeTrials(chosen.out);
  ASSERT_GT(trials.size(), 3u) << chosen.out;
  static const std::regex taken(
      R"(  training: \S+: (\S+) ms a step as laid out, (\S+) times as fast; (".*) in the training file says the same.*)");
  std::smatch found;
  ASSERT_TRUE(std::regex_match(trials.front(), found, taken)) << trials.front();
  EXPECT_GT(std::stod(found[2]), 1.2);
  EXPECT_NE(trials.front().find("\"micro_batch\": "), std::string::npos) << trials.front();
  for (const std::string &trial : trials) {
    static const std::regex tried(R"(.*: (\S+) ms a step as laid out.*)");
    std::smatch seconds;
    if (std::regex_match(trial, seconds, tried))
      EXPECT_GE(std::stod(seconds[1]), std::stod(found[1])) << trial;
  }
  files.training.merge_patch({{"micro_batch", nullptr}, {"micro_batches", nullptr}});
  files.training.merge_patch(json::parse("{" + found[3].str() + "}"));
  EXPECT_EQ(compile(files, " --training training.json --hardware machine.json --quiet").out, chosen.out);
}

/// If even one micro-batch of one example does not fit, the file does not change. A batch that is too large
/// in one piece fits in several.
TEST_F(CompileTool, takesSmallerMicroBatchesWhereTheFilesDoNotFit) {
  Files files = soundFiles();
  files.training.merge_patch(
      {{"global_batch", 32},
       {"micro_batch", 16},
       {"micro_batches", nullptr},
       {"zero_stage", 3},
       {"recompute", "none"},
       {"placement",
        {{"checkpoint", "device"}, {"param", "device"}, {"grad", "device"}, {"moments", "device"}}}});
  files.machine["device"]["capacity"] = "3MiB";
  EXPECT_EQ(compile(files, " --training training.json --hardware machine.json --quiet --fits").code, 3);
  ToolRun chosen = compile(files, kOpen);
  ASSERT_EQ(chosen.code, 0) << chosen.error;
  const std::vector<std::string> trials = takeTrials(chosen.out);
  ASSERT_FALSE(trials.empty()) << chosen.out;
  EXPECT_NE(trials.front().find("\"micro_batch\": "), std::string::npos) << trials.front();
  EXPECT_NE(trials.at(1).find("as the training file says: does not fit (device is "), std::string::npos)
      << trials.at(1);

  files.machine["device"]["capacity"] = "64KiB";
  files.machine["host"]["capacity"] = "64KiB";
  const ToolRun refused = compile(files, kOpen);
  EXPECT_EQ(refused.code, 3) << refused.error;
  EXPECT_NE(refused.error.find("no plan fits machine.json"), std::string::npos) << refused.error;
  EXPECT_EQ(compile(files, std::string(kOpen) + " --fits").code, 2);
}

} // namespace
} // namespace windlass::test
