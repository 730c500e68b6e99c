// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "planning/Split/SplitSolver.h"

#include "planning/Split/SplitChecker.h"
#include "test/planning/Split/SplitCases.h"
#include "gtest/gtest.h"
#include <limits>
#include <random>
#include <set>

namespace windlass::planning {
namespace {

/// The chosen ways of operations with a choice, such as "fc n, gelu columns".
std::string describe(const SplitProblem &problem, const SplitSolution &solution) {
  std::string text;
  for (size_t op = 0; op < problem.ops.size(); ++op)
    if (problem.ops[op].ways.size() > 1)
      text += (text.empty() ? "" : ", ") + problem.ops[op].id + " " +
              problem.ops[op].ways[solution.ways[op]].word;
  return text;
}

double costOf(const SplitProblem &problem, const std::vector<size_t> &ways) {
  double cost = 0;
  std::vector<SplitForm> made(problem.values.size());
  std::vector<std::vector<SplitForm>> asked(problem.values.size());
  for (size_t op = 0; op < ways.size(); ++op) {
    const SplitWay &way = problem.ops[op].ways[ways[op]];
    cost += way.notShared + way.moved;
    for (size_t i = 0; i < way.makes.size(); ++i)
      made[problem.ops[op].makes[i]] = way.makes[i];
    for (size_t i = 0; i < way.reads.size(); ++i)
      asked[problem.ops[op].reads[i]].push_back(way.reads[i]);
  }
  for (size_t value = 0; value < made.size(); ++value)
    cost += movedBetween(problem.values[value], made[value], asked[value]);
  return cost;
}

/// The least cost over all combinations of ways.
double leastCost(const SplitProblem &problem) {
  std::vector<size_t> ways(problem.ops.size(), 0);
  double least = costOf(problem, ways);
  for (;;) {
    size_t op = 0;
    while (op < ways.size() && ++ways[op] == problem.ops[op].ways.size())
      ways[op++] = 0;
    if (op == ways.size())
      return least;
    least = std::min(least, costOf(problem, ways));
  }
}

TEST(SplitSolver, PairsAColumnWithARowLayer) {
  SplitProblem problem = parseSplit(kMlp).take();
  SplitSolution solution = solveSplit(problem).take();
  EXPECT_EQ(describe(problem, solution), "w1 columns, w2 rows, fc n, gelu columns, proj k");
  // Weights have half the size and operations half the number. x is varied and y is reduced, with 2 * 32
  // elements each.
  EXPECT_EQ(solution.cost, 2 * 8192 + 16 + 10 + 16 + 64 + 64);
  EXPECT_TRUE(checkSplit(problem, solution).isOk());
}

/// A part of a parameter that is gathered saves nothing. ZeRO does this over other ranks.
TEST(SplitSolver, KeepsAParameterWholeThatIsReadWhole) {
  SplitProblem problem = parseSplit("value w elements=10 parameter=1\nop w reads= makes=0\n"
                                    "way whole reads= makes=whole not_shared=160\n"
                                    "way part reads= makes=split:10:5 not_shared=80\n"
                                    "op norm reads=0 makes=\nway whole reads=whole makes=\n")
                             .take();
  EXPECT_EQ(describe(problem, solveSplit(problem).take()), "w whole");
  problem.values[0].isParameter = false;
  EXPECT_EQ(describe(problem, solveSplit(problem).take()), "w part");
}

TEST(SplitSolver, TextReadsBackAsTheSameProblem) {
  SplitProblem problem = parseSplit(kMlp).take();
  EXPECT_EQ(printSplit(problem), kMlp);
}

/// A random graph of operations, whose ways read forms that other operations may or may not make.
SplitProblem randomProblem(std::mt19937 &random) {
  auto below = [&](size_t end) { return std::uniform_int_distribution<size_t>(0, end - 1)(random); };
  const SplitForm reads[] = {SplitForm::whole(), SplitForm::varied(), SplitForm::split(8, 4),
                             SplitForm::split(16, 8)};
  const SplitForm makes[] = {SplitForm::whole(), SplitForm::terms(), SplitForm::split(8, 4),
                             SplitForm::split(16, 8)};
  SplitProblem problem;
  const size_t ops = 2 + below(6);
  for (size_t i = 0; i < ops; ++i) {
    SplitOp op;
    op.id = std::to_string(i);
    for (size_t r = 0; i > 0 && r < 1 + below(3); ++r)
      op.reads.push_back(static_cast<uint32_t>(below(problem.values.size())));
    for (size_t m = 0; m < 1 + below(2); ++m) {
      op.makes.push_back(static_cast<uint32_t>(problem.values.size()));
      problem.values.push_back({"v" + std::to_string(problem.values.size()),
                                static_cast<int64_t>(1 + below(9)), below(4) > 0, below(4) == 0});
    }
    for (size_t w = 0; w < 1 + below(4); ++w) {
      SplitWay way{std::to_string(w), {}, {}, static_cast<double>(below(30)), static_cast<double>(below(3))};
      for (size_t r = 0; r < op.reads.size(); ++r)
        way.reads.push_back(reads[below(4)]);
      for (size_t m = 0; m < op.makes.size(); ++m)
        way.makes.push_back(makes[below(4)]);
      op.ways.push_back(way);
    }
    problem.ops.push_back(op);
  }
  return problem;
}

TEST(SplitSolver, AgreesWithExhaustiveSearch) {
  std::mt19937 random(11);
  int withChoice = 0;
  for (int i = 0; i < 400; ++i) {
    SplitProblem problem = randomProblem(random);
    Result<SplitSolution> solution = solveSplit(problem);
    ASSERT_TRUE(solution.isOk()) << solution.status().message();
    ASSERT_EQ(solution->cost, leastCost(problem)) << printSplit(problem);
    Status checked = checkSplit(problem, *solution);
    ASSERT_TRUE(checked.isOk()) << checked.message() << "\n" << printSplit(problem);
    withChoice += leastCost(problem) < costOf(problem, std::vector<size_t>(problem.ops.size(), 0));
  }
  EXPECT_GT(withChoice, 200); // the first ways are not the best
}

/// Every step of a chain reads one matrix. All steps take one way, the best of those that they share.
TEST(SplitSolver, StepsThatReadOneMatrixTakeOneWay) {
  constexpr int kSteps = 16; // three ways each: far more combinations than the limit
  std::string text = "value w elements=64 parameter=1\nop w reads= makes=0\n"
                     "way whole reads= makes=whole not_shared=1024\n"
                     "way columns reads= makes=split:8:4 not_shared=512\n"
                     "way rows reads= makes=split:64:32 not_shared=512\n"
                     "value h0 elements=8\nop h0 reads= makes=1\nway whole reads= makes=whole\n";
  for (int step = 1; step <= kSteps; ++step) {
    const std::string before = std::to_string(step), name = "h" + before;
    text += "value " + name + " elements=8\nop " + name + " reads=" + before +
            ",0 makes=" + std::to_string(step + 1) +
            "\nway whole reads=whole,whole makes=whole not_shared=64\n" +
            "way n reads=varied,split:8:4 makes=split:8:4 not_shared=32\n" +
            "way k reads=split:8:4,split:64:32 makes=terms not_shared=32\n";
  }
  SplitProblem problem = parseSplit(text).take();
  SplitSolution solution = solveSplit(problem, {.entryLimit = 1000}).take();
  EXPECT_TRUE(checkSplit(problem, solution).isOk());
  const std::set<size_t> ways(solution.ways.begin() + 2, solution.ways.end());
  EXPECT_EQ(ways.size(), 1u);
  double least = std::numeric_limits<double>::infinity();
  for (size_t ofMatrix : {0, 1, 2})
    for (size_t ofSteps : {0, 1, 2}) {
      std::vector<size_t> all(problem.ops.size(), ofSteps);
      all[0] = ofMatrix;
      all[1] = 0;
      least = std::min(least, costOf(problem, all));
    }
  EXPECT_EQ(solution.cost, least);
}

/// Beyond the limit of its tables the solver still finds a valid solution with the right cost.
TEST(SplitSolver, StaysWithinItsLimit) {
  std::mt19937 random(12);
  int worse = 0;
  for (int i = 0; i < 400; ++i) {
    SplitProblem problem = randomProblem(random);
    Result<SplitSolution> solution = solveSplit(problem, {.entryLimit = 1 + static_cast<size_t>(i % 16)});
    ASSERT_TRUE(solution.isOk()) << solution.status().message();
    Status checked = checkSplit(problem, *solution);
    ASSERT_TRUE(checked.isOk()) << checked.message() << "\n" << printSplit(problem);
    ASSERT_GE(solution->cost, leastCost(problem));
    worse += solution->cost > leastCost(problem);
  }
  EXPECT_GT(worse, 0); // the limit was reached
  EXPECT_LT(worse, 300);
}

TEST(SplitSolver, RefusesWhatIsMadeByNobody) {
  EXPECT_EQ(parseSplit("value x elements=1\n").status().message(), "nothing makes \"x\"");
  EXPECT_EQ(parseSplit("value x elements=1\nop a reads=0 makes=0\n").status().message(),
            "\"a\" reads value 0, which nothing before it makes");
  EXPECT_EQ(parseSplit("value x elements=1\nop a reads= makes=0\n").status().message(),
            "\"a\" can be run in no way");
  EXPECT_EQ(
      parseSplit("value x elements=1\nop a reads= makes=0\nway w reads= makes=wide\n").status().message(),
      "line 3: makes: there is no form \"wide\"");
  EXPECT_EQ(parseSplit("value x elements=1\nop a reads= makes=0\nway w reads= makes=\n").status().message(),
            "way \"w\" of \"a\" has 0 and 0 forms, not 0 and 1");
}

} // namespace
} // namespace windlass::planning
