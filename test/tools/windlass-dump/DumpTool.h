// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- DumpTool.h - runs windlass-dump on a synthetic plan ===================//
//
// Duty: writes a synthetic plan to a temporary folder, and runs windlass-dump on it.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/plan/Reasons.h"
#include "runtime/plan/file/PlanWriter.h"
#include "test/support/SyntheticPlan.h"

#include <cstdio>
#include <filesystem>
#include <gtest/gtest.h>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

namespace windlass::test {

inline constexpr const char *kMachine = R"({"format": "windlass.hardware/1", "name": "two ranks", "ranks": 2,
  "device": {"capacity": "1MiB", "flops": {"f32": "1GFLOP/s"}, "bandwidth": "1GB/s"},
  "host": {"capacity": "1MiB", "bandwidth": "1GB/s"},
  "nvme": {"capacity": "1MiB", "read": "1GB/s", "write": "1GB/s"},
  "links": {"cg": {"in": "1GB/s", "out": "1GB/s"}, "gg": {"bandwidth": "1GB/s"}},
  "shared_cores": 2})";

struct Answer {
  int exitCode = -1;
  std::string text;
};

class WindlassDump : public testing::Test {
protected:
  WindlassDump() {
    folder = std::filesystem::temp_directory_path() / ("windlass-dump-" + std::to_string(::getpid()));
    plan = makeSyntheticPlan({1, 2, 3, 2, 2});
    plan.reasons = {{.decision = plan::Decision::Placement,
                     .subject = "moments",
                     .taken = "nvme",
                     .basis = plan::Basis::Asked,
                     .rests = {{plan::Tier::Nvme, 1, 4096}}}};
    plan.ties = {"wte.weight"};
    plan.hardware = kMachine;
    write();
  }
  ~WindlassDump() override { std::filesystem::remove_all(folder); }

  void write() { ASSERT_TRUE(plan::writePlan(plan, folder.string()).isOk()); }

  /// Runs windlass-dump on the plan; errors are part of the text.
  Answer ask(const std::string &options) {
    std::string command = std::string(WINDLASS_DUMP) + " " + folder.string() + " " + options + " 2>&1";
    Answer answer;
    FILE *pipe = ::popen(command.c_str(), "r");
    char part[4096];
    while (size_t got = std::fread(part, 1, sizeof part, pipe))
      answer.text.append(part, got);
    answer.exitCode = WEXITSTATUS(::pclose(pipe));
    return answer;
  }

  std::filesystem::path folder;
  plan::Plan plan;
};

} // namespace windlass::test
