// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "planning/Prefetch/PrefetchChecker.h"

#include "planning/Prefetch/PrefetchSolver.h"
#include <functional>
#include <gtest/gtest.h>

using namespace windlass;
using namespace windlass::planning;

namespace {

/// The second gather takes as long as both launches before its user.
constexpr std::string_view kGathers = "task lane=compute kind=work seconds=1\n"
                                      "task lane=gg kind=fetch seconds=1 group=0\n"
                                      "task lane=compute kind=work seconds=1 after=0,1\n"
                                      "task lane=gg kind=fetch seconds=1 group=1\n"
                                      "task lane=compute kind=work seconds=1 after=2,3\n"
                                      "task lane=gg kind=fetch seconds=3 group=2\n"
                                      "task lane=compute kind=work seconds=1 after=4,5\n";

/// The error of the checker after the window is spoiled.
std::string verdict(const std::function<void(PrefetchWindow &)> &spoil) {
  ScheduleProblem problem = parseSchedule(kGathers).take();
  PrefetchWindow window = solvePrefetch(problem);
  spoil(window);
  return checkPrefetch(problem, window).message();
}

LinkWindow &gathers(PrefetchWindow &window) { return window.links[static_cast<size_t>(Link::Gg)]; }

} // namespace

TEST(PrefetchChecker, AcceptsWhatTheSolverFound) {
  EXPECT_EQ(verdict([](PrefetchWindow &) {}), "");
}

TEST(PrefetchChecker, RefusesTimesThatCannotBe) {
  EXPECT_EQ(verdict([](PrefetchWindow &w) { w.start.pop_back(); }), "6 of 7 tasks have a start");
  EXPECT_EQ(verdict([](PrefetchWindow &w) { w.start[6] = 0.5; }),
            "task 6 starts before its predecessor, task 4, ends");
  EXPECT_EQ(verdict([](PrefetchWindow &w) { w.start[3] = w.start[1]; }),
            "task 3 starts before task 1 leaves lane \"gg\"");
}

TEST(PrefetchChecker, RefusesAFetchThatCouldBeginLater) {
  EXPECT_EQ(verdict([](PrefetchWindow &w) { w.start[6] += 1; }), "task 5 could begin later");
}

TEST(PrefetchChecker, RefusesOtherNumbersOfGroups) {
  EXPECT_EQ(verdict([](PrefetchWindow &w) { gathers(w).credits += 1; }).substr(0, 9), "link gg: ");
  EXPECT_EQ(verdict([](PrefetchWindow &w) { gathers(w).credits -= 1; }).substr(0, 9), "link gg: ");
}

TEST(PrefetchChecker, RefusesAnotherReason) {
  EXPECT_EQ(verdict([](PrefetchWindow &w) { gathers(w).fetch.reset(); }),
            "link gg: a fetch is named where there are none, or none where there are");
  EXPECT_EQ(verdict([](PrefetchWindow &w) { gathers(w).fetch = 1; }).substr(0, 15), "link gg: task 1");
  EXPECT_EQ(verdict([](PrefetchWindow &w) { gathers(w).user = 2; }).substr(0, 22), "link gg: task 5 begins");
  EXPECT_EQ(verdict([](PrefetchWindow &w) { gathers(w).seconds += 1; }).substr(0, 22),
            "link gg: task 5 begins");
  EXPECT_EQ(verdict([](PrefetchWindow &w) { gathers(w).longest = 1; }),
            "link gg: task 1 is not the longest that is under way with task 5");
  EXPECT_EQ(verdict([](PrefetchWindow &w) { gathers(w).longestAhead += 1; }).substr(0, 22),
            "link gg: task 5 begins");
  EXPECT_EQ(verdict([](PrefetchWindow &w) { gathers(w).late += 1; }).substr(0, 30),
            "link gg: with one credit less ");
}
