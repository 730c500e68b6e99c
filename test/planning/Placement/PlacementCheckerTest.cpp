// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "planning/Placement/PlacementChecker.h"

#include "planning/Placement/PlacementSolver.h"
#include <functional>
#include <gtest/gtest.h>

using namespace windlass;
using namespace windlass::planning;

namespace {

constexpr std::string_view kOne = "capacity device=10 host=100 nvme=0\n"
                                  "rates cg_in=10 cg_out=10 nc_in=1 nc_out=1\n"
                                  "cores cg_in=1 compute=1\n"
                                  "base compute=1\n"
                                  "item a class=param\n"
                                  "  home device device=20\n"
                                  "  home host host=20 staging.device=5 cg_in=20\n";

/// The update of b runs where a rests.
constexpr std::string_view kTwo = "capacity device=10 host=10\n"
                                  "rates cg_in=10 cg_out=10\n"
                                  "item a class=moments\n  home host host=10\n"
                                  "item b class=param\n  home device device=10\n"
                                  "update worker=0 operand=1 reads=20 writes=40\n";

/// The error of the checker after the solution is spoiled.
std::string verdict(const std::function<void(PlacementSolution &)> &spoil, std::string_view text = kOne) {
  PlacementProblem problem = parsePlacement(text).take();
  PlacementSolution solution = solvePlacement(problem).take();
  spoil(solution);
  return checkPlacement(problem, solution).message();
}

} // namespace

TEST(PlacementChecker, AcceptsWhatTheSolverFound) {
  EXPECT_EQ(verdict([](PlacementSolution &) {}), "");
  EXPECT_EQ(verdict([](PlacementSolution &) {}, kTwo), "");
}

TEST(PlacementChecker, RefusesForbiddenTiersAndMissingHomes) {
  EXPECT_EQ(verdict([](PlacementSolution &s) { s.home[0] = plan::Tier::Nvme; }),
            "item \"a\" may not lie in tier \"nvme\"");
  EXPECT_EQ(verdict([](PlacementSolution &s) { s.home.clear(); }), "0 homes for 1 items");
}

TEST(PlacementChecker, RefusesWrongSumsAndFullTiers) {
  EXPECT_EQ(verdict([](PlacementSolution &s) { s.use.bytes[0] = 0; }),
            "tier \"device\" holds 5 bytes, not 0");
  EXPECT_EQ(verdict([](PlacementSolution &s) { s.home[0] = plan::Tier::Device, s.use.bytes = {20, 0, 0}; }),
            "tier \"device\" holds 20 bytes and has room for 10");
  EXPECT_EQ(verdict([](PlacementSolution &s) { s.use.seconds[2] = 1; }),
            "\"cg_in\" is busy 2.000000 s, not 1.000000 s");
  EXPECT_EQ(verdict([](PlacementSolution &s) { s.use.seconds[7] = 1; }),
            "\"cores\" is busy 3.000000 s, not 1.000000 s");
  EXPECT_EQ(verdict([](PlacementSolution &s) { s.use.seconds[2] = 2; }, kTwo),
            "\"cg_in\" is busy 4.000000 s, not 2.000000 s");
  EXPECT_EQ(verdict([](PlacementSolution &s) { s.use.seconds[3] = 0; }, kTwo),
            "\"cg_out\" is busy 2.000000 s, not 0.000000 s");
  EXPECT_EQ(verdict([](PlacementSolution &s) { s.use.cost = 9; }).substr(0, 11), "the cost is");
  EXPECT_EQ(verdict([](PlacementSolution &s) { s.lowerBound = 9; }), "the lower bound is above the cost");
}
