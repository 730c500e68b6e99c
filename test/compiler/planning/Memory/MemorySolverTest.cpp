#include "compiler/planning/Memory/MemorySolver.h"

#include "compiler/planning/Memory/MemoryChecker.h"
#include <gtest/gtest.h>
#include <random>

using namespace windlass;
using namespace windlass::planning;

namespace {

MemorySolution solved(const MemoryProblem &problem) {
  Result<MemorySolution> solution = solveMemory(problem);
  EXPECT_TRUE(solution.isOk()) << solution.status().message();
  if (!solution)
    return {};
  Status checked = checkMemory(problem, *solution);
  EXPECT_TRUE(checked.isOk()) << checked.message();
  return solution.take();
}

MemorySolution solvedText(std::string_view text) {
  Result<MemoryProblem> problem = parseMemory(text);
  EXPECT_TRUE(problem.isOk()) << problem.status().message();
  if (!problem)
    return {};
  return solved(*problem);
}

std::string refusal(std::string_view text) {
  Result<MemoryProblem> problem = parseMemory(text);
  return problem ? solveMemory(*problem).status().message() : problem.status().message();
}

MemoryProblem randomProblem(std::mt19937 &random, int buffers, int positions, int longest) {
  MemoryProblem problem;
  for (int i = 0; i < buffers; ++i) {
    MemoryBuffer buffer;
    buffer.id = "b" + std::to_string(i);
    buffer.bytes = random() % 5000;
    buffer.begin = random() % positions;
    buffer.end = buffer.begin + random() % longest;
    buffer.alignment = int64_t(1) << (random() % 10);
    problem.buffers.push_back(buffer);
  }
  return problem;
}

} // namespace

TEST(MemorySolver, BuffersAliveAtOnceLieApart) {
  MemorySolution solution = solvedText("buffer a bytes=100 begin=0 end=3\n"
                                       "buffer b bytes=64 begin=1 end=2\n");
  EXPECT_EQ(solution.offset, (std::vector<int64_t>{64, 0})); // the order that wastes no padding
  EXPECT_EQ(solution.peak, 164);
  EXPECT_EQ(solution.lowerBound, 164);
}

TEST(MemorySolver, ABufferMayTakeThePlaceOfOneThatEndsWhereItBegins) {
  MemorySolution solution = solvedText("buffer a bytes=4096 begin=0 end=2\n"
                                       "buffer b bytes=4096 begin=2 end=4\n");
  EXPECT_EQ(solution.peak, 4096);
}

TEST(MemorySolver, FixedOffsetsStay) {
  MemorySolution solution = solvedText("buffer home bytes=256 begin=0 end=9 at=64\n"
                                       "buffer small bytes=64 begin=0 end=9\n"
                                       "buffer large bytes=128 begin=0 end=9\n");
  EXPECT_EQ(solution.offset, (std::vector<int64_t>{64, 0, 320}));
}

TEST(MemorySolver, EmptyBuffersAndLifetimesCostNothing) {
  EXPECT_EQ(solvedText("buffer a bytes=0 begin=0 end=3\nbuffer b bytes=0 begin=0 end=3\n").peak, 0);
  EXPECT_EQ(solved(MemoryProblem()).peak, 0);
}

TEST(MemorySolver, MalformedProblemsAreRefused) {
  EXPECT_EQ(refusal("buffer a bytes=1 begin=0 end=1 align=3"),
            "buffer \"a\": alignment must be a power of two, is 3");
  EXPECT_EQ(refusal("buffer a bytes=-1 begin=0 end=1"),
            "buffer \"a\": bytes must be zero or more and 2^60 in all, is -1");
  EXPECT_EQ(refusal("buffer a bytes=1 begin=4 end=1"), "buffer \"a\": begins at 4, after its end at 1");
  EXPECT_EQ(refusal("buffer a bytes=8 begin=0 end=2 at=0\nbuffer b bytes=8 begin=1 end=2 at=0"),
            "buffers \"a\" and \"b\" are fixed to the same bytes at the same time");
  EXPECT_EQ(refusal("buffer a bytes=x"), "line 1: bytes: must be a whole number, is \"x\"");
  EXPECT_EQ(refusal("buffer a byte=1"), "line 1: byte: unknown key");
  EXPECT_EQ(refusal("puffer a"), "line 1: puffer: the only fact of a memory problem is \"buffer\"");
}

TEST(MemorySolver, RandomProblemsPassTheChecker) {
  for (unsigned seed = 0; seed < 300; ++seed) {
    std::mt19937 random(seed);
    MemoryProblem problem = randomProblem(random, 1 + random() % 60, 40, 12);
    MemorySolution solution = solved(problem);
    EXPECT_GE(solution.peak, solution.lowerBound);
  }
}

TEST(MemorySolver, TheTextFormReadsBack) {
  std::mt19937 random(7);
  MemoryProblem problem = randomProblem(random, 20, 40, 12);
  problem.buffers[3].fixedOffset = 4096;
  std::string text = printMemory(problem);
  EXPECT_EQ(printMemory(*parseMemory(text)), text);
}

TEST(MemorySolver, TwentyThousandBuffersArePackedClosely) {
  std::mt19937 random(1);
  MemoryProblem problem = randomProblem(random, 20'000, 20'000, 200);
  MemorySolution solution = solved(problem);
  EXPECT_LT(static_cast<double>(solution.peak), 1.25 * static_cast<double>(solution.lowerBound))
      << solution.method;
}
