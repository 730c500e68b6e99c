// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/base/Cores.h"

#include <gtest/gtest.h>
#include <set>
#include <thread>

namespace windlass {
namespace {

using Numbers = std::vector<int64_t>;

/// Two packages of two cores with two processors each. They are numbered as systems do: first one processor
/// of each core.
std::vector<Processor> twoPackages() {
  std::vector<Processor> all;
  for (int64_t number = 0; number < 8; ++number)
    all.push_back({number, number / 2 % 2, number % 2});
  return all;
}

TEST(Cores, partsAreWholeCoresOfOnePackage) {
  EXPECT_EQ(partOf(twoPackages(), 0, 2), (Numbers{0, 4, 1, 5}));
  EXPECT_EQ(partOf(twoPackages(), 1, 2), (Numbers{2, 6, 3, 7}));
  EXPECT_EQ(partOf(twoPackages(), 1, 4), (Numbers{1, 5}));
}

TEST(Cores, everyProcessorIsOfOnePart) {
  for (int64_t parts = 1; parts <= 8; ++parts) {
    std::multiset<int64_t> given;
    for (int64_t part = 0; part < parts; ++part) {
      const Numbers mine = partOf(twoPackages(), part, parts);
      EXPECT_FALSE(mine.empty()) << part << " of " << parts;
      given.insert(mine.begin(), mine.end());
    }
    EXPECT_EQ(given, (std::multiset<int64_t>{0, 1, 2, 3, 4, 5, 6, 7})) << parts << " parts";
  }
}

TEST(Cores, moreProcessesThanProcessorsHaveNoneOfTheirOwn) {
  EXPECT_EQ(partOf(twoPackages(), 0, 9), Numbers());
  EXPECT_EQ(partOf({}, 0, 1), Numbers());
}

TEST(Cores, runsOnWhatItWasTold) {
  const std::vector<Processor> before = processorsHere();
  ASSERT_FALSE(before.empty());
  std::jthread([&] { // a thread has an affinity and a list of threads of its own
    const Numbers one = {before.back().number};
    ASSERT_TRUE(runOn(one));
    EXPECT_EQ(textOfProcessors(processorsHere()), std::to_string(before.back().number));
  })
      .join();
  Numbers all;
  for (const Processor &each : before)
    all.push_back(each.number);
  EXPECT_TRUE(runOn(all));
}

TEST(Cores, ranksDivideThemWhereAllHaveAsMany) {
  EXPECT_EQ(partOfRank(twoPackages(), 1, 4), (Numbers{1, 5}));
  EXPECT_EQ(partOfRank(twoPackages(), 1, 8), (Numbers{4}));
  EXPECT_EQ(partOfRank(twoPackages(), 2, 3), Numbers()) << "of four cores two ranks would have one, one two";
  EXPECT_EQ(partOfRank({}, 0, 1), Numbers());
}

TEST(Cores, aProcessorIsOfAsManyRanksAsAnyOther) {
  std::multiset<int64_t> given;
  for (int64_t rank = 0; rank < 16; ++rank) {
    const Numbers mine = partOfRank(twoPackages(), rank, 16);
    ASSERT_EQ(mine.size(), 1U);
    given.insert(mine.front());
  }
  for (int64_t number = 0; number < 8; ++number)
    EXPECT_EQ(given.count(number), 2U) << "processor " << number;
  EXPECT_EQ(partOfRank(twoPackages(), 0, 12), Numbers()) << "some would be of two ranks, some of one";
}

TEST(Cores, threadsStayWhereTheyWereStarted) {
  const std::string before = textOfProcessors(processorsHere());
  const Numbers one = {processorsHere().back().number};
  std::jthread started;
  std::string there;
  {
    const RunsOn cores(one);
    EXPECT_EQ(textOfProcessors(processorsHere()), std::to_string(one.front()));
    started = std::jthread([&] { there = textOfProcessors(processorsHere()); });
  }
  EXPECT_EQ(textOfProcessors(processorsHere()), before);
  started.join();
  EXPECT_EQ(there, std::to_string(one.front()));
  const RunsOn anywhere({});
  EXPECT_EQ(textOfProcessors(processorsHere()), before);
}

TEST(Cores, textJoinsNeighbours) {
  const std::vector<Processor> some = {{0, 0, 0}, {1, 0, 1}, {2, 0, 2}, {8, 1, 0}};
  EXPECT_EQ(textOfProcessors(some), "0-2,8");
  EXPECT_EQ(textOfProcessors({}), "");
}

} // namespace
} // namespace windlass
