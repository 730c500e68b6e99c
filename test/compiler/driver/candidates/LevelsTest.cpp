// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A failing pass is a fault of the compiler. The reproducer that the driver writes shows the fault again.
#include "compiler/driver/candidates/Levels.h"
#include "dialects/Register.h"
#include "mlir/Parser/Parser.h"
#include "test/runtime/training/TemporaryFolder.h"
#include "test/support/ToolRun.h"

#include <gtest/gtest.h>

using namespace windlass;

namespace {

class LevelsTest : public testing::Test {
protected:
  LevelsTest() {
    mlir::DialectRegistry registry;
    registerDialects(registry);
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
  }

  /// Lowers a module from flow to plan.
  Status finish(const char *text, const std::string &reproducer) {
    mlir::OwningOpRef<mlir::ModuleOp> module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
    return Levels(training, machine, *plan::targetNamed("x86-64-v3"), "", reproducer).finish(*module);
  }

  TemporaryFolder folder;
  mlir::MLIRContext context;
  TrainingOptions training;
  model::Machine machine;
};

constexpr const char *kUnplaced = "flow.home @w bytes(4096) class(parameter) tier(unplaced)";

TEST_F(LevelsTest, LeaveAReproducerOfAFailure) {
  Status status = finish(kUnplaced, folder / "x.reproducer.mlir");
  ASSERT_FALSE(status);
  EXPECT_EQ(status.code(), ExitCode::Internal);
  EXPECT_NE(status.message().find("windlass-opt " + folder / "x.reproducer.mlir"), std::string::npos)
      << status.message();
  test::ToolRun again =
      test::runTool(folder.path, std::string(WINDLASS_OPT) + " x.reproducer.mlir --run-reproducer");
  EXPECT_EQ(again.code, 1);
  const std::string rule = status.message().substr(0, status.message().find(';'));
  EXPECT_NE(again.error.find(rule.substr(rule.rfind(": ") + 2)), std::string::npos) << again.error;
}

TEST_F(LevelsTest, LeaveNothingOfASuccess) {
  Status status = finish("", folder / "x.reproducer.mlir");
  EXPECT_TRUE(status) << status.message();
  EXPECT_EQ(test::namesIn(folder.path), "");
}

/// A dry run writes no plan, and so has no file beside which a reproducer could lie.
TEST_F(LevelsTest, LeaveNothingWhereNoFileIsNamed) {
  const std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::current_path(folder.path);
  Status status = finish(kUnplaced, "");
  std::filesystem::current_path(before);
  EXPECT_EQ(status.code(), ExitCode::Internal);
  EXPECT_NE(status.message().find("with -o PLAN a file is left"), std::string::npos) << status.message();
  EXPECT_EQ(test::namesIn(folder.path), "");
}

} // namespace
