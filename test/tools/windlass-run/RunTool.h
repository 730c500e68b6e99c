// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- RunTool.h - windlass-run on a compiled plan =========================//
//
// Duty: what the tests of the tool share: a plan compiled once by the real
// compiler, a folder for each test, and the tool as a shell sees it.
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

/// A GPT-2 of one layer on two ranks, its moments on NVMe (`the.plan`), and the same with a learning rate
/// that breaks it (`wild.plan`, in the folder of the suite).
class RunTool : public testing::Test {
protected:
  static void SetUpTestSuite();
  static void TearDownTestSuite() { shared.reset(); }
  RunTool();

  std::string job() const { return folder / "job"; }
  /// Runs the tool with these flags, in job().
  ToolRun run(const std::string &flags);
  /// The same on a machine that lacks something: the words of test/support/LesserMachine.cpp.
  ToolRun runLesser(const std::string &words, const std::string &flags);

  std::vector<int64_t> checkpoints() const;
  /// Whether two output folders hold the same bits in their checkpoints of a step.
  void expectSameCheckpoints(const std::string &left, const std::string &right, int64_t step);
  /// One line, no usage text, the code, and this part of a message.
  void expectRefusal(const ToolRun &run, int code, const std::string &part);
  /// Replaces text in the.plan/plan.json.
  void replaceInPlan(const std::string &what, const std::string &with);

  static std::unique_ptr<TemporaryFolder> shared;
  TemporaryFolder folder;
};

} // namespace windlass::test
