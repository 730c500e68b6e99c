// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "planning/Split/SplitChecker.h"

#include "planning/Split/SplitSolver.h"
#include "test/planning/Split/SplitCases.h"
#include "gtest/gtest.h"

namespace windlass::planning {
namespace {

struct SplitChecker : testing::Test {
  SplitProblem problem = parseSplit(kMlp).take();
  SplitSolution solution = solveSplit(problem).take();
};

TEST_F(SplitChecker, AcceptsWhatTheSolverFinds) {
  Status checked = checkSplit(problem, solution);
  EXPECT_TRUE(checked.isOk()) << checked.message();
}

TEST_F(SplitChecker, CountsOperations) {
  solution.ways.pop_back();
  EXPECT_EQ(checkSplit(problem, solution).message(), "there are ways for 6 operations of 7");
}

TEST_F(SplitChecker, KnowsTheWays) {
  solution.ways[3] = 3;
  EXPECT_EQ(checkSplit(problem, solution).message(), "\"fc\" has no way 3");
}

TEST_F(SplitChecker, CountsTheCost) {
  solution.cost -= 1;
  EXPECT_NE(checkSplit(problem, solution).message().find("the cost is 16554"), std::string::npos)
      << checkSplit(problem, solution).message();
}

/// An operation that reads a value twice in one form has the value exchanged once.
TEST_F(SplitChecker, CountsAnExchangeOnce) {
  problem = parseSplit("value x elements=10\nop a reads= makes=0\nway w reads= makes=terms\n"
                       "op b reads=0,0,0 makes=\nway w reads=whole,varied,varied makes=\n")
                .take();
  EXPECT_TRUE(checkSplit(problem, {{0, 0}, 40}).isOk());
  EXPECT_FALSE(checkSplit(problem, {{0, 0}, 60}).isOk());
}

TEST_F(SplitChecker, KnowsThatNobodyReadsTerms) {
  problem.ops.back().ways[0].reads[0] = SplitForm::terms();
  EXPECT_EQ(checkSplit(problem, solution).message(), "\"leave\" reads \"y\" as terms, which nobody can");
}

} // namespace
} // namespace windlass::planning
