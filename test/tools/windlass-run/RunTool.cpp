// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/tools/windlass-run/RunTool.h"

#include "runtime/plan/file/PlanHash.h"
#include "runtime/training/checkpoint/CheckpointFolder.h"
#include "test/support/Folders.h"
#include <nlohmann/json.hpp>
#include <sstream>

namespace windlass::test {

using nlohmann::json;

std::unique_ptr<TemporaryFolder> RunTool::shared;

void RunTool::SetUpTestSuite() {
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
    const ToolRun run =
        runTool(*shared / "source",
                std::string(WINDLASS_COMPILE " config.json -q --hardware machine.json --training ") + names);
    ASSERT_EQ(run.code, 0) << run.error;
  }
}

RunTool::RunTool() {
  std::filesystem::create_directory(folder / "job");
  std::filesystem::copy(*shared / "the.plan", job() + "/the.plan");
}

ToolRun RunTool::run(const std::string &flags) { return runTool(job(), WINDLASS_RUN " " + flags); }

ToolRun RunTool::runLesser(const std::string &words, const std::string &flags) {
  std::filesystem::permissions(job(), std::filesystem::perms::all);
  return runTool(job(), WINDLASS_LESSER_MACHINE " " + words + " -- " WINDLASS_RUN " " + flags);
}

std::vector<int64_t> RunTool::checkpoints() const {
  return CheckpointFolder(job() + "/out/checkpoints").steps();
}

void RunTool::expectSameCheckpoints(const std::string &left, const std::string &right, int64_t step) {
  for (const char *file : {"/model.safetensors", "/optimizer.safetensors"}) {
    auto text = [&](const std::string &out) {
      return readText(CheckpointFolder(job() + "/" + out + "/checkpoints").pathOf(step) + file);
    };
    EXPECT_FALSE(text(left).empty()) << left << file;
    EXPECT_TRUE(text(left) == text(right)) << left << " and " << right << " differ in " << file;
  }
}

void RunTool::expectRefusal(const ToolRun &run, int code, const std::string &part) {
  EXPECT_EQ(run.code, code) << run.error;
  EXPECT_NE(run.error.find(part), std::string::npos) << "lacks " << part << ": " << run.error;
  std::istringstream lines(run.error);
  int errors = 0;
  for (std::string line; std::getline(lines, line);)
    if (!line.starts_with("note: "))
      errors += line.starts_with("error: ") ? 1 : 100; // no other line is expected
  EXPECT_EQ(errors, 1) << run.error;
}

void RunTool::replaceInPlan(const std::string &what, const std::string &with) {
  std::string text = readText(job() + "/the.plan/plan.json");
  size_t at = text.find(what);
  ASSERT_NE(at, std::string::npos) << what;
  for (; at != std::string::npos; at = text.find(what, at + with.size()))
    text.replace(at, what.size(), with);
  folder.write("job/the.plan/plan.json", plan::rehashed(text));
}

} // namespace windlass::test
