// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The files of a plan are written in a new folder, whatever exists under the plan's name.
#include "compiler/driver/PlanFolder.h"
#include "test/runtime/training/TemporaryFolder.h"
#include "test/support/ToolRun.h"
#include <gtest/gtest.h>
#include <unistd.h>

using namespace windlass;

namespace {

namespace fs = std::filesystem;

const std::string kPlan = R"({"version":6})";
const std::string kBeside = ".new-" + std::to_string(getpid());

/// Drafts a plan with one file, commits it, and expects it at `output`.
void expectPlanAt(const std::string &output) {
  Result<PlanFolder> draft = PlanFolder::draft(output);
  ASSERT_TRUE(draft) << draft.status().message();
  std::ofstream(draft->path() + "/plan.json") << kPlan;
  const Status status = draft->commit();
  ASSERT_TRUE(status) << status.message();
  EXPECT_EQ(readText(output + "/plan.json"), kPlan);
  EXPECT_FALSE(fs::is_symlink(output));
}

class PlanFolderTest : public testing::Test {
protected:
  PlanFolderTest() {
    fs::create_directory(folder / "theirs");
    folder.write("theirs/mine.txt", "mine");
  }

  TemporaryFolder folder;
};

TEST_F(PlanFolderTest, isNoLinkThatSomebodyPlanted) {
  fs::create_directory_symlink(folder / "theirs", folder / ("a.plan" + kBeside));
  expectPlanAt(folder / "a.plan");
  EXPECT_EQ(test::namesIn(folder / "theirs"), "mine.txt");
}

TEST_F(PlanFolderTest, isNoLinkInAFolderThatIsThere) {
  fs::create_directory(folder / "b.plan");
  fs::create_directory_symlink(folder / "theirs", folder / ("b.plan/" + kBeside));
  expectPlanAt(folder / "b.plan");
  EXPECT_EQ(test::namesIn(folder / "theirs"), "mine.txt");
}

TEST_F(PlanFolderTest, holdsNothingThatLayThereBefore) {
  fs::create_directory(folder / ("c.plan" + kBeside));
  folder.write("c.plan" + kBeside + "/kernels.so", "old");
  expectPlanAt(folder / "c.plan");
  EXPECT_EQ(test::namesIn(folder / "c.plan"), "plan.json");
}

TEST_F(PlanFolderTest, replacesPlansAlone) {
  fs::create_directory(folder / "d.plan");
  for (const char *plan : {"{\"version\":6,\n\"model\":\"a\"}", "{\n  \"version\": 5}"}) {
    folder.write("d.plan/plan.json", plan);
    expectPlanAt(folder / "d.plan");
  }
  for (const char *other : {"", "{}", "[1]", "{\"name\": \"lesson plan\"}", "version"}) {
    folder.write("d.plan/plan.json", other);
    const Result<PlanFolder> refused = PlanFolder::draft(folder / "d.plan");
    ASSERT_FALSE(refused) << other;
    EXPECT_EQ(refused.status().message(), (folder / "d.plan/plan.json") +
                                              ": is no plan of Windlass, and a plan would replace it; name "
                                              "another folder");
    EXPECT_EQ(readText(folder / "d.plan/plan.json"), other);
    EXPECT_EQ(test::namesIn(folder / "d.plan"), "plan.json");
  }
  fs::create_directories(folder / "e.plan/plan.json");
  EXPECT_FALSE(PlanFolder::draft(folder / "e.plan"));
}

} // namespace
