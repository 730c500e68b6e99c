// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "planning/Placement/PlacementChecker.h"

#include "runtime/plan/Enums.h"
#include <algorithm>
#include <cmath>
#include <map>

namespace windlass::planning {
namespace {

bool near(double a, double b) { return std::abs(a - b) <= 1e-9 * (1e-12 + std::abs(a) + std::abs(b)); }

std::string tierName(size_t tier) { return std::string(plan::textOf(static_cast<plan::Tier>(tier))); }

Status checkBytes(const PlacementProblem &problem, const PlacementSolution &solution) {
  for (size_t tier = 0; tier < kTiers; ++tier) {
    int64_t bytes = 0;
    std::map<std::string, int64_t> largest;
    for (size_t i = 0; i < problem.items.size(); ++i) {
      const TierCost &cost = problem.items[i].cost[static_cast<size_t>(solution.home[i])];
      bytes += cost.resident[tier];
      if (int64_t &most = largest[problem.items[i].cls]; cost.staging[tier] > most)
        most = cost.staging[tier];
    }
    for (const auto &[cls, most] : largest)
      bytes += most;
    if (bytes != solution.use.bytes[tier])
      return Status::internal("tier \"" + tierName(tier) + "\" holds " + std::to_string(bytes) +
                              " bytes, not " + std::to_string(solution.use.bytes[tier]));
    if (bytes > problem.capacity[tier])
      return Status::internal("tier \"" + tierName(tier) + "\" holds " + std::to_string(bytes) +
                              " bytes and has room for " + std::to_string(problem.capacity[tier]));
  }
  return Status::ok();
}

/// The seconds of each resource in the passes, and in the updates that wait for them.
std::array<std::array<double, kResources>, 2> secondsOf(const PlacementProblem &problem,
                                                        const std::vector<plan::Tier> &homes) {
  std::array<std::array<double, kResources>, 2> seconds{};
  auto spend = [&](bool isUpdate, Resource resource, double amount) {
    seconds[isUpdate && problem.updatesWait][static_cast<size_t>(resource)] += amount;
  };
  auto move = [&](bool isUpdate, Resource resource, int64_t bytes, const LinkRate &link) {
    if (bytes > 0)
      spend(isUpdate, resource, static_cast<double>(bytes) / link.bytesPerSecond);
  };
  for (size_t r = 0; r < kResources; ++r)
    for (bool isUpdate : {false, true})
      spend(isUpdate, static_cast<Resource>(r), problem.base[isUpdate ? kResources + r : r]);
  for (size_t i = 0; i < problem.items.size(); ++i) {
    const TierCost &cost = problem.items[i].cost[static_cast<size_t>(homes[i])];
    for (auto [isUpdate, work] : {std::pair(false, &cost.passes), std::pair(true, &cost.updates)}) {
      spend(isUpdate, Resource::Compute, work->compute);
      spend(isUpdate, Resource::HostCompute, work->hostCompute);
      move(isUpdate, Resource::CgIn, work->cgIn, problem.cgIn);
      move(isUpdate, Resource::CgOut, work->cgOut, problem.cgOut);
      move(isUpdate, Resource::NcIn, work->ncIn, problem.ncIn);
      move(isUpdate, Resource::NcOut, work->ncOut, problem.ncOut);
    }
  }
  for (const UpdateTraffic &update : problem.updates) {
    const bool workHere = homes[update.worker] == plan::Tier::Device,
               restHere = homes[update.operand] == plan::Tier::Device;
    if (workHere == restHere)
      continue;
    move(true, Resource::CgIn, workHere ? update.reads : update.writes, problem.cgIn);
    move(true, Resource::CgOut, workHere ? update.writes : update.reads, problem.cgOut);
  }
  for (auto &span : seconds) {
    double cores = 0;
    for (size_t r = 0; r + 1 < kResources; ++r)
      cores += span[r] * problem.sharedWeight[r];
    span[kResources - 1] = cores;
  }
  return seconds;
}

Status checkCost(const PlacementProblem &problem, const PlacementSolution &solution) {
  const auto [passes, updates] = secondsOf(problem, solution.home);
  double sum = 0;
  for (size_t r = 0; r < kResources; ++r) {
    const double seconds = passes[r] + updates[r];
    if (!near(seconds, solution.use.seconds[r]))
      return Status::internal("\"" + std::string(plan::textOf(static_cast<Resource>(r))) + "\" is busy " +
                              std::to_string(seconds) + " s, not " + std::to_string(solution.use.seconds[r]) +
                              " s");
    const bool isDisk = r == static_cast<size_t>(Resource::NcIn) || r == static_cast<size_t>(Resource::NcOut);
    sum += (isDisk ? 1e-3 : 1e-6) * seconds;
  }
  const double largest = *std::ranges::max_element(passes) + *std::ranges::max_element(updates);
  if (!near(largest + sum, solution.use.cost))
    return Status::internal("the cost is " + std::to_string(largest + sum) + ", not " +
                            std::to_string(solution.use.cost));
  if (solution.lowerBound > solution.use.cost * (1 + 1e-9))
    return Status::internal("the lower bound is above the cost");
  return Status::ok();
}

} // namespace

Status checkPlacement(const PlacementProblem &problem, const PlacementSolution &solution) {
  if (solution.home.size() != problem.items.size())
    return Status::internal(std::to_string(solution.home.size()) + " homes for " +
                            std::to_string(problem.items.size()) + " items");
  for (size_t i = 0; i < problem.items.size(); ++i)
    if (!problem.items[i].cost[static_cast<size_t>(solution.home[i])].allowed)
      return Status::internal("item \"" + problem.items[i].id + "\" may not lie in tier \"" +
                              tierName(static_cast<size_t>(solution.home[i])) + "\"");
  WINDLASS_TRY(checkBytes(problem, solution));
  return checkCost(problem, solution);
}

} // namespace windlass::planning
