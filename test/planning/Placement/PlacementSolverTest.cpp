// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "planning/Placement/PlacementSolver.h"

#include "planning/Placement/PlacementChecker.h"
#include "runtime/plan/Enums.h"
#include "runtime/plan/text/ReasonText.h"
#include <algorithm>
#include <gtest/gtest.h>
#include <limits>
#include <random>

using namespace windlass;
using namespace windlass::planning;
using plan::Tier;

namespace {

PlacementProblem parsed(std::string_view text) {
  Result<PlacementProblem> problem = parsePlacement(text);
  EXPECT_TRUE(problem.isOk()) << problem.status().message();
  return problem ? problem.take() : PlacementProblem();
}

PlacementSolution solved(const PlacementProblem &problem) {
  Result<PlacementSolution> solution = solvePlacement(problem);
  EXPECT_TRUE(solution.isOk()) << solution.status().message();
  if (!solution)
    return {};
  Status checked = checkPlacement(problem, *solution);
  EXPECT_TRUE(checked.isOk()) << checked.message();
  return solution.take();
}

std::string refusal(const PlacementProblem &problem) { return solvePlacement(problem).status().message(); }

/// Tries every placement, item by item, except placements that already exceed a capacity. Equal items, which
/// no update joins or the same update joins with equal homes, are placed in one order only.
class Exhaustive {
public:
  explicit Exhaustive(const PlacementProblem &problem) : problem(problem) {
    for (const UpdateTraffic &update : problem.updates) {
      worksFor[update.worker] = true;
      updateOf[update.operand] = &update;
    }
    placeFrom(0);
  }
  double best = std::numeric_limits<double>::infinity(); ///< infinity if none fits

private:
  bool equalsTheOneBefore(size_t i) const {
    return i > 0 && problem.items[i].cls == problem.items[i - 1].cls &&
           problem.items[i].cost == problem.items[i - 1].cost && !worksFor[i] && !worksFor[i - 1] &&
           isUpdatedLike(updateOf[i], updateOf[i - 1]);
  }

  /// Workers come before their operands.
  bool isUpdatedLike(const UpdateTraffic *one, const UpdateTraffic *other) const {
    return one && other ? one->reads == other->reads && one->writes == other->writes &&
                              home[one->worker] == home[other->worker]
                        : one == other;
  }

  void placeFrom(size_t i) {
    if (i == problem.items.size()) {
      PlacementUse use = usePlacement(problem, home);
      for (size_t t = 0; t < kTiers; ++t)
        if (use.bytes[t] > problem.capacity[t])
          return;
      best = std::min(best, use.cost);
      return;
    }
    const size_t first = equalsTheOneBefore(i) ? static_cast<size_t>(home[i - 1]) : 0;
    for (size_t tier = first; tier < kTiers; ++tier) {
      const TierCost &cost = problem.items[i].cost[tier];
      if (!cost.allowed)
        continue;
      bool fits = true;
      for (size_t t = 0; t < kTiers; ++t)
        fits &= (resident[t] += cost.resident[t]) <= problem.capacity[t];
      home[i] = static_cast<Tier>(tier);
      if (fits)
        placeFrom(i + 1);
      for (size_t t = 0; t < kTiers; ++t)
        resident[t] -= cost.resident[t];
    }
  }

  const PlacementProblem &problem;
  std::vector<Tier> home = std::vector<Tier>(problem.items.size(), Tier::Device);
  std::array<int64_t, kTiers> resident{};
  std::vector<bool> worksFor = std::vector<bool>(problem.items.size());
  std::vector<const UpdateTraffic *> updateOf = std::vector<const UpdateTraffic *>(problem.items.size());
};

PlacementWork randomWork(std::mt19937 &random, size_t tier, int64_t bytes) {
  PlacementWork work;
  if (tier > 0) {
    work.cgIn = bytes * static_cast<int64_t>(random() % 3);
    work.cgOut = bytes * static_cast<int64_t>(random() % 3);
    work.hostCompute = random() % 2 ? 0.001 * static_cast<double>(random() % 20) : 0;
  } else {
    work.compute = 0.001 * static_cast<double>(random() % 5);
  }
  if (tier > 1) {
    work.ncIn = bytes * static_cast<int64_t>(random() % 3);
    work.ncOut = bytes * static_cast<int64_t>(random() % 3);
  }
  return work;
}

/// The cost of a class with its home in a tier. A farther tier has more traffic.
TierCost randomCost(std::mt19937 &random, size_t tier, int64_t bytes) {
  TierCost cost;
  cost.allowed = true;
  cost.resident[tier] = bytes;
  cost.passes = randomWork(random, tier, bytes);
  if (random() % 2)
    cost.updates = randomWork(random, tier, bytes);
  if (tier > 0)
    cost.staging[0] = static_cast<int64_t>(random() % 10);
  if (tier > 1)
    cost.staging[1] = static_cast<int64_t>(random() % 20);
  return cost;
}

/// Updates some of the other classes at the home of the first class.
void joinLayers(std::mt19937 &random, int layers, int classes, PlacementProblem &problem) {
  for (int cls = 1; cls < classes; ++cls) {
    if (random() % 2)
      continue;
    UpdateTraffic update{0, static_cast<uint32_t>(cls * layers), static_cast<int64_t>(random() % 200),
                         static_cast<int64_t>(random() % 200)};
    for (int layer = 0; layer < layers; ++layer, ++update.worker, ++update.operand)
      problem.updates.push_back(update);
  }
}

/// `layers` x `classes` items. Layers are equal, except some that draw their own bytes.
PlacementProblem randomProblem(std::mt19937 &random, int layers, int classes) {
  PlacementProblem problem;
  int64_t total = 0;
  for (int cls = 0; cls < classes; ++cls) {
    PlacementItem item;
    item.cls = "class" + std::to_string(cls);
    for (int layer = 0; layer < layers; ++layer) {
      item.id = "l" + std::to_string(layer) + "." + item.cls;
      if (layer == 0 || random() % 3 == 0) {
        int64_t bytes = 1 + static_cast<int64_t>(random() % 100);
        for (size_t tier = 0; tier < kTiers; ++tier) {
          item.cost[tier] = randomCost(random, tier, bytes);
          item.cost[tier].allowed = random() % 8 != 0;
        }
        item.cost[2].allowed = true;
      }
      total += item.cost[2].resident[2];
      problem.items.push_back(item);
    }
  }
  joinLayers(random, layers, classes, problem);
  problem.capacity = {static_cast<int64_t>(random() % (total + 1)),
                      static_cast<int64_t>(random() % (total + 1)),
                      static_cast<int64_t>(random() % (2 * total))};
  for (LinkRate *link : {&problem.cgIn, &problem.cgOut, &problem.ncIn, &problem.ncOut})
    *link = {static_cast<double>(500 + random() % 5000), {"a link"}};
  for (Span span : {Span::Passes, Span::Updates})
    problem.base[loadOf(span, Resource::Compute)] = 0.001 * static_cast<double>(random() % 100);
  problem.updatesWait = random() % 2;
  if (random() % 3 == 0)
    problem.sharedWeight = {1, 1, 1, 1, 0, 0, 1, 0};
  return problem;
}

constexpr std::string_view kTwoClasses = "capacity device=100 host=100 nvme=1000\n"
                                         "rates cg_in=100 cg_out=100 nc_in=10 nc_out=10\n"
                                         "base compute=2\n"
                                         "item a.param class=param\n"
                                         "  home device device=80\n"
                                         "  home host host=80 cg_in=80\n"
                                         "  home nvme nvme=80 cg_in=80 nc_in=80\n"
                                         "item a.moments class=moments\n"
                                         "  home device device=60\n"
                                         "  home host host=60 host_compute=1\n"
                                         "  home nvme nvme=60 host_compute=1 nc_in=60 nc_out=60\n";

} // namespace

TEST(PlacementSolver, WhatCostsNothingStaysNearestWhatCostsMost) {
  PlacementSolution solution = solved(parsed(kTwoClasses));
  EXPECT_EQ(solution.home,
            (std::vector<Tier>{Tier::Host, Tier::Device})); // both have a bound of 2; this one has less work
  EXPECT_TRUE(solution.optimal);
}

TEST(PlacementSolver, ARateDecides) {
  PlacementProblem problem = parsed(kTwoClasses);
  problem.base = {};
  EXPECT_EQ(solved(problem).home[1], Tier::Device); // 1 s of host_compute against 0.8 s of upload
  problem.cgIn.bytesPerSecond = 50;
  problem.cgIn.quote = {"cg_in", 50, "B"};
  PlacementSolution solution = solved(problem);
  EXPECT_EQ(solution.home[1], Tier::Host);
  const plan::Trial *host = plan::findTrial(solution.why[0], "host");
  ASSERT_TRUE(host);
  EXPECT_EQ(host->price.resource, Resource::CgIn);
  EXPECT_EQ(host->price.rate, problem.cgIn.quote);
}

TEST(PlacementSolver, TheWhyNamesThePriceOfEveryOtherTier) {
  PlacementSolution solution = solved(parsed(kTwoClasses));
  ASSERT_EQ(solution.why.size(), 2u);
  const plan::Reason &moments = solution.why[1];
  EXPECT_EQ(plan::pathOf(moments), "placement.moments");
  EXPECT_EQ(moments.taken, "device");
  EXPECT_EQ(moments.rests, (std::vector<plan::Resting>{{Tier::Device, 1, 60}}));
  ASSERT_EQ(moments.trials.size(), 3u);
  const plan::Trial &host = moments.trials[1], &nvme = moments.trials[2];
  EXPECT_EQ(host.outcome, plan::Outcome::Alike);
  ASSERT_EQ(host.shortages.size(), 1u);
  EXPECT_EQ(host.shortages[0].bytes, 40);
  EXPECT_EQ(host.price.resource, Resource::HostCompute);
  EXPECT_DOUBLE_EQ(host.price.seconds, 1);
  EXPECT_EQ(nvme.outcome, plan::Outcome::Slower);
  EXPECT_NEAR(nvme.seconds, 6, 1e-9);
  EXPECT_EQ(plan::reasonText(moments),
            "device (60 B on each rank); all on host: host is 40 B short of it; making room, no faster, and "
            "host_compute is busy 1.00 s, idle now; all on nvme: a step takes at least 6.00 s, 4.00 s "
            "more, for nc_in is busy 6.00 s at nc_in 10.0 B/s (declared), idle now");
}

TEST(PlacementSolver, TheGapIsSaid) {
  PlacementSolution solution = solved(parsed(kTwoClasses));
  EXPECT_EQ(
      plan::reasonText(explainGap(solution, 0)),
      "compute, the busiest resource, takes 2.00 s a step; no placement has a bound that is lower (proven)");
  solution.optimal = false;
  solution.use.cost = 2;
  solution.lowerBound = 1.9;
  const plan::Reason reason = explainGap(solution, 3);
  EXPECT_NEAR(plan::realOf(reason.figures, plan::Figure::Gap), 2 / 1.9 - 1, 1e-12);
  EXPECT_EQ(plan::takenTrial(reason)->clock, plan::Clock::LaidOut);
  EXPECT_EQ(plan::takenTrial(reason)->seconds, 3);
  EXPECT_EQ(
      plan::reasonText(reason),
      "compute, the busiest resource, takes 2.00 s a step; no placement has a bound that is lower by more "
      "than 5.3 %");
}

/// Moments do not fit the device. Parameters cost less there, except for the traffic of their update on the
/// host.
TEST(PlacementSolver, WhatAnUpdateBringsIsCounted) {
  const std::string apart =
      "capacity device=100 host=200\nrates cg_in=100 cg_out=100\n"
      "item a.moments class=moments\n  home device device=120\n  home host host=120\n"
      "item a.param class=param\n  home device device=60\n  home host host=60 cg_in=50\n";
  auto solve = [&](const std::string &update) { return solved(parsed(apart + update)); };
  EXPECT_EQ(solve("").home[1], Tier::Device);
  EXPECT_EQ(solve("update worker=0 operand=1 reads=40 writes=40\n").home[1], Tier::Device);
  PlacementSolution moved = solve("update worker=0 operand=1 reads=40 writes=60\n");
  EXPECT_EQ(moved.home[1], Tier::Host);
  const plan::Trial *device = plan::findTrial(moved.why[1], "device");
  ASSERT_TRUE(device);
  EXPECT_EQ(device->outcome, plan::Outcome::Slower);
  EXPECT_NEAR(device->seconds, 0.6, 1e-9);
  EXPECT_NEAR(device->seconds - plan::takenTrial(moved.why[1])->seconds, 0.1, 1e-9);
  EXPECT_EQ(device->price.resource, Resource::CgOut);
  EXPECT_NEAR(device->price.seconds, 0.4, 1e-9);
}

/// The update on the host overlaps with two seconds of passes, unless it waits for them.
TEST(PlacementSolver, UpdatesThatWaitAreBehindThePasses) {
  const std::string text = "capacity device=100 host=100\nrates cg_in=100 cg_out=100\nbase compute=2\n"
                           "item a.param class=param\n"
                           "  home device device=60\n  home host host=60 cg_in=150\n"
                           "item a.moments class=moments\n"
                           "  home device device=60 updates.compute=0.25\n"
                           "  home host host=60 updates.host_compute=1.5\n";
  const PlacementSolution beside = solved(parsed(text)), behind = solved(parsed(text + "updates wait=1\n"));
  EXPECT_EQ(beside.home, (std::vector<Tier>{Tier::Device, Tier::Host}));
  EXPECT_NEAR(beside.use.cost, 2, 1e-4);
  EXPECT_EQ(behind.home, (std::vector<Tier>{Tier::Host, Tier::Device}));
  EXPECT_NEAR(behind.use.cost, 2.25, 1e-4);
  EXPECT_EQ(printPlacement(parsed(text + "updates wait=1\n")),
            printPlacement(parsed(printPlacement(parsed(text + "updates wait=1\n")))));
  EXPECT_TRUE(parsed(printPlacement(parsed(text + "updates wait=1\n"))).updatesWait);
}

/// With many equal layers, the best homes are those with the states of a layer together.
TEST(PlacementSolver, EqualLayersKeepWhatIsUpdatedTogether) {
  std::string text = "capacity device=900 host=900\nrates cg_in=100 cg_out=100\n", updates;
  for (int layer = 0; layer < 12; ++layer) {
    text += "item " + std::to_string(layer) +
            ".moments class=moments\n  home device device=60\n"
            "  home host host=60 host_compute=1\nitem " +
            std::to_string(layer) +
            ".param class=param\n  home device device=30\n  home host host=30 cg_in=30\n";
    updates += "update worker=" + std::to_string(2 * layer) + " operand=" + std::to_string(2 * layer + 1) +
               " reads=400 writes=400\n";
  }
  PlacementSolution solution = solved(parsed(text + updates));
  EXPECT_TRUE(solution.optimal);
  EXPECT_EQ(std::count(solution.home.begin(), solution.home.end(), Tier::Device), 20);
  for (size_t layer = 0; layer < 12; ++layer)
    EXPECT_EQ(solution.home[2 * layer], solution.home[2 * layer + 1]) << layer;
}

TEST(PlacementSolver, StagingIsCountedOncePerClass) {
  std::string text = "capacity device=10 host=0 nvme=100\nrates cg_in=1 cg_out=1 nc_in=1 nc_out=1\n";
  for (int i = 0; i < 5; ++i)
    text += "item i" + std::to_string(i) + " class=moments\n  home nvme nvme=20 staging.device=10\n";
  EXPECT_EQ(solved(parsed(text)).use.bytes, (std::array<int64_t, 3>{10, 0, 100}));
}

TEST(PlacementSolver, ARefusalNamesTierBytesAndItems) {
  PlacementProblem problem = parsed("capacity device=8192 host=0 nvme=0\n"
                                    "item big class=param\n  home device device=16384\n"
                                    "item small class=param\n  home device device=4096\n");
  EXPECT_EQ(solvePlacement(problem).status().code(), ExitCode::CannotFit);
  EXPECT_EQ(refusal(problem),
            "tier \"device\" is 12288 bytes (12.0 KiB) short on each rank; the largest items are "
            "\"big\" 16.0 KiB, \"small\" 4.00 KiB");
}

TEST(PlacementSolver, MalformedProblemsAreRefused) {
  EXPECT_EQ(refusal(parsed("item a class=x")), "item \"a\": every tier is forbidden");
  EXPECT_EQ(refusal(parsed("item a class=x\nhome host cg_in=5")),
            "item \"a\": moves 5 bytes over a link of 0.000000 B/s");
  EXPECT_EQ(refusal(parsed("item a class=x\nhome host host=-5")),
            "item \"a\": bytes must be zero or more and 2^60 in all");
  EXPECT_EQ(parsePlacement("home host").status().message(), "line 1: home: stands before the first item");
  EXPECT_EQ(parsePlacement("item a\nhome tape").status().message(), "line 2: home: must name a tier");
  EXPECT_EQ(refusal(parsed("item a class=x\nhome host\nitem b class=x\nhome host\nupdate worker=1 reads=5")),
            "item \"a\": moves 5 bytes over a link of 0.000000 B/s");
  EXPECT_EQ(refusal(parsed("item a class=x\nhome host\nupdate")),
            "an update joins items 0 and 0 of 1: must be two of them");
  EXPECT_EQ(parsePlacement("update").status().message(), "line 1: worker: no item 0 before it");
  EXPECT_EQ(parsePlacement("rates cg=5").status().message(), "line 1: cg: unknown key");
}

/// Up to three layers of five classes.
TEST(PlacementSolver, EqualsExhaustiveSearch) {
  int feasible = 0, largest = 0;
  for (unsigned seed = 0; seed < 400; ++seed) {
    std::mt19937 random(seed);
    int layers = 1 + static_cast<int>(random() % 3), classes = 1 + static_cast<int>(random() % 5);
    PlacementProblem problem = randomProblem(random, layers, classes);
    double best = Exhaustive(problem).best;
    Result<PlacementSolution> solution = solvePlacement(problem);
    ASSERT_EQ(solution.isOk(), best < std::numeric_limits<double>::infinity()) << "seed " << seed;
    if (!solution)
      continue;
    ++feasible;
    largest += layers == 3 && classes == 5;
    EXPECT_TRUE(checkPlacement(problem, *solution).isOk());
    EXPECT_TRUE(solution->optimal) << "seed " << seed;
    EXPECT_NEAR(solution->use.cost, best, 1e-9 * best) << "seed " << seed << "\n" << printPlacement(problem);
    const double busiest = *std::ranges::max_element(solution->use.seconds), least = leastSeconds(best);
    EXPECT_TRUE(busiest <= least * 1.01 && (problem.updatesWait || least <= busiest * (1 + 1e-9)))
        << least << " of " << busiest;
  }
  EXPECT_GT(feasible, 200);
  EXPECT_GT(largest, 10);
}

TEST(PlacementSolver, NinetySixLayersAreSolvedWithASmallGap) {
  for (unsigned seed = 0; seed < 6; ++seed) {
    std::mt19937 random(seed);
    PlacementProblem problem = randomProblem(random, 1, 5), one = problem;
    for (uint32_t layer = 1; layer < 96; ++layer) {
      problem.items.insert(problem.items.end(), one.items.begin(), one.items.end());
      for (UpdateTraffic update : one.updates)
        problem.updates.push_back(
            {update.worker + 5 * layer, update.operand + 5 * layer, update.reads, update.writes});
    }
    problem.capacity = {3000, 9000, 1'000'000};
    PlacementSolution solution = solved(problem);
    EXPECT_LT(solution.use.cost, 1.02 * solution.lowerBound) << "seed " << seed;
  }
}

TEST(PlacementSolver, TheTextFormReadsBack) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    std::mt19937 random(seed);
    PlacementProblem problem = randomProblem(random, 2, 3);
    std::string text = printPlacement(problem);
    EXPECT_EQ(printPlacement(parsed(text)), text);
  }
}
