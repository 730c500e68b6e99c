// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- CompileTool.h - runs windlass-compile in a shell ======================//
//
// Duty: sound input files, and a folder in which the tool runs with them or with changed ones.
// Errors: fail the test. Threads: one.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "test/runtime/training/TemporaryFolder.h"
#include "test/support/Folders.h"
#include "test/support/ToolRun.h"
#include <algorithm>
#include <filesystem>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace windlass::test {

using nlohmann::json;

inline constexpr const char *kFlags = " --training training.json --hardware machine.json -o the.plan --quiet";

struct Files {
  json config, training, machine;
};

inline Files soundFiles() {
  const std::string folder = WINDLASS_SOURCE_DIR "/examples/gpt2-bytes/";
  Files files = {json::parse(readText(folder + "config.json")),
                 json::parse(readText(folder + "training.json")),
                 json::parse(readText(folder + "machine.json"))};
  files.config.update({{"n_layer", 1}, {"n_embd", 64}, {"n_head", 2}, {"n_positions", 32}});
  files.training.merge_patch({{"sequence", 32}, {"global_batch", 4}, {"parallel", {{"data", 2}}}});
  files.machine["ranks"] = 2;
  return files;
}

class CompileTool : public testing::Test {
protected:
  CompileTool() { std::filesystem::create_directory(folder / "job"); }

  std::string job() const { return folder / "job"; }

  ToolRun compile(const std::string &config, const std::string &training, const std::string &machine,
                  const std::string &flags = kFlags) {
    folder.write("job/config.json", config);
    folder.write("job/training.json", training);
    folder.write("job/machine.json", machine);
    return runTool(job(), WINDLASS_COMPILE " config.json" + flags);
  }
  ToolRun compile(const Files &files, const std::string &flags = kFlags) {
    return compile(files.config.dump(), files.training.dump(), files.machine.dump(), flags);
  }

  /// Expects the exit code, no output, and a single line of errors that begins with "error: " and holds
  /// `part`. The folder must hold the three input files and no others.
  void expectRefusal(const ToolRun &run, int code, const std::string &part) {
    EXPECT_EQ(run.code, code) << run.error;
    EXPECT_EQ(run.error.rfind("error: ", 0), 0u) << run.error;
    EXPECT_NE(run.error.find(part), std::string::npos) << "lacks " << part << ": " << run.error;
    EXPECT_EQ(std::count(run.error.begin(), run.error.end(), '\n'), 1) << run.error;
    EXPECT_EQ(run.out, "");
    EXPECT_EQ(namesIn(job()), "config.json machine.json training.json");
  }

  TemporaryFolder folder;
};

} // namespace windlass::test
