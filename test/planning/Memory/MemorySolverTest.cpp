// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "planning/Memory/MemorySolver.h"

#include "planning/Memory/MemoryChecker.h"
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
  EXPECT_EQ(solution.offset, (std::vector<int64_t>{64, 0})); // the order without padding
  EXPECT_EQ(solution.peak, 164);
  EXPECT_EQ(solution.lowerBound, 164);
}

TEST(MemorySolver, ABufferMayTakeThePlaceOfOneThatEndsWhereItBegins) {
  MemorySolution solution = solvedText("buffer a bytes=4096 begin=0 end=2\n"
                                       "buffer b bytes=4096 begin=2 end=4\n");
  EXPECT_EQ(solution.peak, 4096);
}

TEST(MemorySolver, BuffersThatMeetWhereMostIsAliveComeFirst) {
  MemorySolution largest = solvedText("buffer a bytes=128 begin=1 end=5\n"
                                      "buffer b bytes=320 begin=4 end=6\n"
                                      // Not at the moment with most live bytes.
                                      "buffer c bytes=384 begin=0 end=2\n"
                                      "buffer d bytes=64 begin=2 end=6\n"
                                      "buffer e bytes=320 begin=5 end=9\n");
  EXPECT_EQ(largest.method, "pressure and size, best fit");
  EXPECT_EQ(largest.peak, largest.lowerBound);
  MemorySolution longest = solvedText("buffer a bytes=128 begin=4 end=6\n"
                                      "buffer b bytes=320 begin=5 end=9\n"
                                      "buffer c bytes=384 begin=0 end=2\n"
                                      "buffer d bytes=192 begin=1 end=5\n");
  EXPECT_EQ(longest.method, "pressure and lifetime, best fit");
  EXPECT_EQ(longest.peak, longest.lowerBound);
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

/// A training step of `layers` layers: the activations that a layer keeps live until its backward pass, and
/// those that it passes on do not.
MemoryProblem trainingStep(std::mt19937 &random, int layers) {
  constexpr int kept = 20, passing = 20, moments = kept + passing;
  std::vector<int64_t> sizes;
  for (int i = 0; i < moments; ++i)
    sizes.push_back(64 * (1 + random() % 4096));
  MemoryProblem problem;
  auto add = [&](int64_t bytes, int64_t begin, int64_t end) {
    problem.buffers.push_back({"b" + std::to_string(problem.buffers.size()), bytes, begin, end, 64, {}});
  };
  for (int layer = 0; layer < layers; ++layer)
    for (int i = 0; i < moments; ++i) {
      int64_t forward = layer * moments + i, backward = 2 * layers * moments - forward;
      add(sizes[i], forward, i < kept ? backward : forward + 3);
      add(sizes[i], backward, backward + 3);
    }
  return problem;
}

/// The oracle of the packing: it places buffers one by one, the largest first, into the smallest gap that
/// fits between those that are alive with it.
int64_t peakOfLargestFirst(const MemoryProblem &problem) {
  std::vector<MemoryBuffer> order = problem.buffers;
  std::stable_sort(order.begin(), order.end(), [](const MemoryBuffer &a, const MemoryBuffer &b) {
    return std::pair(a.bytes, a.end - a.begin) > std::pair(b.bytes, b.end - b.begin);
  });
  int64_t peak = 0;
  for (size_t i = 0; i < order.size(); ++i) {
    std::vector<std::pair<int64_t, int64_t>> taken;
    for (size_t other = 0; other < i; ++other)
      if (order[other].begin < order[i].end && order[i].begin < order[other].end)
        taken.emplace_back(*order[other].fixedOffset, *order[other].fixedOffset + order[other].bytes);
    std::sort(taken.begin(), taken.end());
    int64_t free = 0, best = -1, waste = INT64_MAX;
    for (auto [begin, end] : taken) {
      if (free + order[i].bytes <= begin && begin - free < waste) {
        best = free;
        waste = begin - free;
      }
      free = std::max(free, end);
    }
    order[i].fixedOffset = best < 0 ? free : best;
    peak = std::max(peak, *order[i].fixedOffset + order[i].bytes);
  }
  return peak;
}

TEST(MemorySolver, PacksATrainingStepAsAPackerThatAsksEveryNeighbour) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    std::mt19937 random(seed);
    MemoryProblem problem = trainingStep(random, 4);
    // Any peak is accepted, so that the first packing is returned.
    MemorySolution first = *solveMemory(problem, {INT64_MAX});
    EXPECT_EQ(first.method, "size, best fit");
    EXPECT_EQ(first.peak, peakOfLargestFirst(problem)) << "seed " << seed;
    EXPECT_LE(solved(problem).peak, first.peak);
  }
}

TEST(MemorySolver, AHundredLayersArePackedClosely) {
  std::mt19937 random(1);
  MemorySolution solution = solved(trainingStep(random, 100));
  EXPECT_LT(static_cast<double>(solution.peak), 1.01 * static_cast<double>(solution.lowerBound))
      << solution.method;
}

TEST(MemorySolver, TwentyThousandBuffersArePackedClosely) {
  std::mt19937 random(1);
  MemoryProblem problem = randomProblem(random, 20'000, 20'000, 200);
  MemorySolution solution = solved(problem);
  EXPECT_LT(static_cast<double>(solution.peak), 1.25 * static_cast<double>(solution.lowerBound))
      << solution.method;
}
