// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "planning/Recompute/RecomputeSolver.h"

#include "planning/Recompute/RecomputeChecker.h"
#include <algorithm>
#include <gtest/gtest.h>
#include <map>
#include <random>

using namespace windlass;
using namespace windlass::planning;

namespace {

using Points = std::vector<std::pair<int64_t, double>>; ///< bytes, seconds

Points pointsOf(const RecomputeFront &front) {
  Points points;
  for (const RecomputeChoice &choice : front.choices)
    points.emplace_back(choice.bytes, choice.seconds);
  return points;
}

RecomputeFront solved(const RecomputeProblem &problem, const RecomputeOptions &options = {}) {
  Result<RecomputeFront> front = solveRecomputeFront(problem, options);
  EXPECT_TRUE(front.isOk()) << front.status().message();
  if (!front)
    return {};
  Status checked = checkRecompute(problem, *front);
  EXPECT_TRUE(checked.isOk()) << checked.message() << "\n" << printRecompute(problem);
  return front.take();
}

/// A matmul of `x`, a bias and a gelu, whose gradients read `x`, `q` and `y`.
constexpr std::string_view kMlp = "machine layers=4 device=1200 compute=10\n"
                                  "value x bytes=100 needed=1\n"
                                  "value w bytes=0 needed=1\n"
                                  "value p bytes=400\n"
                                  "value q bytes=400 needed=1\n"
                                  "value y bytes=400 needed=1\n"
                                  "op matmul seconds=8 reads=0,1 makes=2\n"
                                  "op bias seconds=1 reads=2 makes=3\n"
                                  "op gelu seconds=2 reads=3 makes=4\n";

RecomputeProblem mlp(const std::string &more = "") { return *parseRecompute(std::string(kMlp) + more); }

/// Seconds are whole numbers, so that sums in any order are equal.
RecomputeProblem randomProblem(std::mt19937 &random, size_t ops) {
  RecomputeProblem problem;
  auto addValue = [&] {
    problem.values.push_back({"v" + std::to_string(problem.values.size()),
                              static_cast<int64_t>(random() % 8) * 64, random() % 3 == 0});
    return static_cast<uint32_t>(problem.values.size() - 1);
  };
  for (unsigned arguments = 1 + random() % 3; arguments > 0; --arguments)
    addValue();
  for (size_t i = 0; i < ops; ++i) {
    RecomputeOp op{"op" + std::to_string(i), static_cast<double>(random() % 6), {}, {}};
    for (unsigned reads = random() % 3; reads > 0; --reads)
      op.reads.push_back(random() % problem.values.size());
    for (unsigned makes = 1 + random() % 2; makes > 0; --makes)
      op.makes.push_back(addValue());
    problem.ops.push_back(op);
  }
  return problem;
}

/// The oracle: tries every set of operations.
Points frontByTrial(const RecomputeProblem &problem) {
  std::map<int64_t, double> least;
  for (uint32_t set = 0; set < (1u << problem.ops.size()); ++set) {
    std::vector<bool> isRepeated, isThere;
    for (size_t op = 0; op < problem.ops.size(); ++op)
      isRepeated.push_back((set >> op) & 1);
    std::vector<bool> wanted;
    for (const RecomputeValue &value : problem.values)
      wanted.push_back(value.isNeeded);
    for (size_t op = 0; op < problem.ops.size(); ++op)
      for (uint32_t read : problem.ops[op].reads)
        wanted[read] = wanted[read] || isRepeated[op];
    double seconds = 0;
    for (size_t op = 0; op < problem.ops.size(); ++op)
      if (isRepeated[op]) {
        seconds += problem.ops[op].seconds;
        for (uint32_t made : problem.ops[op].makes)
          wanted[made] = false;
      }
    int64_t bytes = 0;
    for (size_t value = 0; value < problem.values.size(); ++value)
      bytes += wanted[value] ? problem.values[value].bytes : 0;
    auto [known, isNew] = least.try_emplace(bytes, seconds);
    known->second = std::min(known->second, seconds);
  }
  Points front;
  for (auto [bytes, seconds] : least)
    if (front.empty() || seconds < front.back().second)
      front.emplace_back(bytes, seconds);
  return {front.rbegin(), front.rend()};
}

std::string refusal(std::string_view text) {
  Result<RecomputeProblem> problem = parseRecompute(text);
  return problem ? solveRecomputeFront(*problem).status().message() : problem.status().message();
}

} // namespace

TEST(RecomputeSolver, RepeatsWhatIsCheapFirst) {
  // Keeps `x`, `q` and `y`; or `x` and `q`, with the gelu computed again; or only `x`, with all computed
  // again.
  EXPECT_EQ(pointsOf(solved(mlp())), (Points{{900, 0}, {500, 2}, {100, 11}}));
}

TEST(RecomputeSolver, AnOperationWithSeveralResultsIsRepeatedOnce) {
  RecomputeProblem problem = *parseRecompute("value x bytes=64 needed=1\n"
                                             "value y bytes=64 needed=1\n"
                                             "value lse bytes=8 needed=1\n"
                                             "op attention seconds=3 reads=0 makes=1,2\n");
  EXPECT_EQ(pointsOf(solved(problem)), (Points{{136, 0}, {64, 3}}));
}

TEST(RecomputeSolver, KeepsWhatNobodyNeedsButARepetition) {
  // The sum is small, and both maps are recomputed from it.
  RecomputeProblem problem = *parseRecompute("value a bytes=900\n"
                                             "value s bytes=100\n"
                                             "value y bytes=400 needed=1\n"
                                             "value z bytes=400 needed=1\n"
                                             "op sum seconds=9 reads=0 makes=1\n"
                                             "op map seconds=1 reads=1 makes=2\n"
                                             "op map seconds=1 reads=1 makes=3\n");
  EXPECT_EQ(pointsOf(solved(problem)), (Points{{800, 0}, {500, 1}, {100, 2}}));
}

TEST(RecomputeSolver, TakesTheFewestSecondsThatFindRoom) {
  RecomputeProblem problem = mlp();
  RecomputeFront front = solved(problem);
  auto taken = [&](int64_t device) {
    problem.device = device;
    Result<RecomputeSolution> solution = solveRecompute(problem, front);
    EXPECT_TRUE(solution) << solution.status().message();
    EXPECT_TRUE(checkRecompute(problem, front, *solution));
    EXPECT_EQ(solution->lowerBound, solution->cost);
    return std::pair(solution->choice, solution->cost);
  };
  EXPECT_EQ(taken(3600), std::pair(size_t(0), 10.0));
  EXPECT_EQ(taken(3599), std::pair(size_t(1), 18.0));
  EXPECT_EQ(taken(1999), std::pair(size_t(2), 54.0));
  problem.device = 399;
  EXPECT_EQ(solveRecompute(problem, front).status().message(),
            "what the backward pass needs of 4 layers is at least 400 bytes");
}

TEST(RecomputeSolver, WeighsTheLinkAgainstRepetition) {
  RecomputeProblem problem = mlp();
  RecomputeFront front = solved(problem);
  auto taken = [&](double link) {
    problem.link = link;
    problem.host = 1 << 20;
    problem.device = 1200;
    RecomputeSolution solution = *solveRecompute(problem, front);
    EXPECT_TRUE(checkRecompute(problem, front, solution));
    return std::tuple(solution.choice, solution.away, solution.cost);
  };
  // 2,400 bytes leave while 10 seconds are computed; or for longer, which is still better than recomputation;
  // or 800 bytes, while gelus are recomputed; or none.
  EXPECT_EQ(taken(240), std::tuple(size_t(0), int64_t(2400), 10.0));
  EXPECT_EQ(taken(200), std::tuple(size_t(0), int64_t(2400), 12.0));
  EXPECT_EQ(taken(100), std::tuple(size_t(1), int64_t(800), 18.0));
  EXPECT_EQ(taken(1), std::tuple(size_t(2), int64_t(0), 54.0));
}

TEST(RecomputeSolver, RandomFrontsAreThoseOfEveryChoice) {
  for (unsigned seed = 0; seed < 200; ++seed) {
    std::mt19937 random(seed);
    RecomputeProblem problem = randomProblem(random, 1 + random() % 9);
    RecomputeFront front = solved(problem);
    EXPECT_EQ(front.gap, 0);
    ASSERT_EQ(pointsOf(front), frontByTrial(problem)) << "seed " << seed << "\n" << printRecompute(problem);
  }
}

TEST(RecomputeSolver, FewerLabelsStayWithinTheGap) {
  size_t inexact = 0;
  for (unsigned seed = 0; seed < 50; ++seed) {
    std::mt19937 random(seed);
    RecomputeProblem problem = randomProblem(random, 9);
    for (RecomputeOp &op : problem.ops)
      op.seconds = 1000 + op.seconds; // nearly equal
    Result<RecomputeFront> exact = solveRecomputeFront(problem);
    for (size_t limit = 4; limit <= 64; limit *= 2) {
      Result<RecomputeFront> rough = solveRecomputeFront(problem, {limit});
      if (!rough)
        continue; // this limit is too small for a front
      EXPECT_TRUE(checkRecompute(problem, *rough));
      inexact += rough->gap > 0;
      for (const RecomputeChoice &choice : exact->choices)
        EXPECT_TRUE(std::ranges::any_of(rough->choices,
                                        [&](const RecomputeChoice &other) {
                                          return other.bytes <= choice.bytes &&
                                                 other.seconds <= choice.seconds * (1 + rough->gap) + 1e-9;
                                        }))
            << "seed " << seed << " limit " << limit;
    }
  }
  EXPECT_GT(inexact, 0u);
}

/// Sixteen pairs of operations, of which the first may be repeated or not wherever the second is: 2^16 sets
/// of values are asked for behind the first operations, which no tolerance makes fewer.
TEST(RecomputeSolver, EndsWithMoreSetsOfValuesThanTheLimit) {
  constexpr uint32_t kPairs = 16;
  RecomputeProblem problem;
  problem.values.push_back({"x", 64, true});
  for (const bool isNeeded : {false, true})
    for (uint32_t i = 0; i < kPairs; ++i) {
      const auto made = static_cast<uint32_t>(problem.values.size());
      problem.values.push_back({"v" + std::to_string(made), 64, isNeeded});
      problem.ops.push_back({"op", 1e-6, {isNeeded ? made - kPairs : 0}, {made}});
    }
  Result<RecomputeFront> front = solveRecomputeFront(problem);
  ASSERT_FALSE(front);
  EXPECT_EQ(front.status().message(), "more than 50000 choices of what to repeat are open at once");
}

/// With few values alive at a time, the number of operations does not matter.
TEST(RecomputeSolver, LongLayersAreSolvedExactly) {
  RecomputeProblem problem;
  std::mt19937 random(3);
  problem.values.push_back({"x", 64, true});
  for (uint32_t i = 0; i < 40; ++i) {
    problem.values.push_back({"v" + std::to_string(i), 64 << (i % 3), i % 3 != 1});
    problem.ops.push_back({"op", 1e-6 * static_cast<double>(1 + random() % 5), {i, i / 2}, {i + 1}});
  }
  RecomputeFront front = solved(problem);
  EXPECT_EQ(front.gap, 0);
  EXPECT_GT(front.choices.size(), 10u);
}

TEST(RecomputeSolver, MalformedProblemsAreRefused) {
  EXPECT_EQ(refusal("value x bytes=1\nop a reads=0 makes=0\n"),
            "op \"a\": reads value 0, which is not there yet");
  EXPECT_EQ(refusal("value x bytes=1\nop a makes=0\nop b makes=0\n"),
            "op \"b\": makes value 0, which is not there or made before");
  EXPECT_EQ(refusal("value x bytes=1\nop a seconds=-1 makes=0\n"), "op \"a\": seconds must be 0 or more");
  EXPECT_EQ(refusal("value x bytes=-1\n"), "value \"x\": bytes must be 0 or more, is -1");
  EXPECT_EQ(refusal("layer x\n"), "line 1: layer: a recomputation problem has machine, value and op");
}

TEST(RecomputeSolver, TheTextFormReadsBack) {
  EXPECT_EQ(printRecompute(*parseRecompute(printRecompute(mlp()))), printRecompute(mlp()));
}
