// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- RunTool.h - runs windlass-run on a compiled plan ======================//
//
// Duty: shared by the tests of the tool: plans that the real compiler makes once, a folder for each test, and
// runs of the tool in a shell.
// Threads: one test at a time.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "test/runtime/training/TemporaryFolder.h"
#include "test/support/ToolRun.h"
#include <gtest/gtest.h>
#include <memory>
#include <vector>

namespace windlass::test {

/// `the.plan` trains a GPT-2 of one layer on two ranks, with moments on NVMe. Each test has a copy of it in
/// job(). `wild.plan`, in the folder of the suite, is the same with a learning rate that makes the loss not
/// finite.
class RunTool : public testing::Test {
protected:
  static void SetUpTestSuite();
  static void TearDownTestSuite() { shared.reset(); }
  RunTool();

  std::string job() const { return folder / "job"; }
  /// Runs the tool with these flags, in job().
  ToolRun run(const std::string &flags);
  /// Runs the tool on a machine that lacks something, as the words of test/support/LesserMachine.cpp say.
  ToolRun runLesser(const std::string &words, const std::string &flags);

  std::vector<int64_t> checkpoints() const;
  /// Expects the same model and optimizer files in the checkpoints of a step in two output folders.
  void expectSameCheckpoints(const std::string &left, const std::string &right, int64_t step);
  /// Expects the exit code, and errors that hold `part` and have one line "error: ..." beside notes.
  void expectRefusal(const ToolRun &run, int code, const std::string &part);
  /// Replaces text in the.plan/plan.json, and renews the hash of the plan.
  void replaceInPlan(const std::string &what, const std::string &with);

  static std::unique_ptr<TemporaryFolder> shared;
  TemporaryFolder folder;
};

} // namespace windlass::test
