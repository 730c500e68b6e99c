// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "planning/Placement/PlacementChecker.h"

#include "runtime/plan/Enums.h"
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

Status checkCost(const PlacementProblem &problem, const PlacementSolution &solution) {
  std::array<double, kResources> seconds = problem.base;
  auto spend = [&](Resource resource, double amount) { seconds[static_cast<size_t>(resource)] += amount; };
  for (size_t i = 0; i < problem.items.size(); ++i) {
    const TierCost &cost = problem.items[i].cost[static_cast<size_t>(solution.home[i])];
    spend(Resource::Compute, cost.compute);
    spend(Resource::HostCompute, cost.hostCompute);
    for (auto [resource, bytes, link] : {std::tuple(Resource::CgIn, cost.cgIn, &problem.cgIn),
                                         std::tuple(Resource::CgOut, cost.cgOut, &problem.cgOut),
                                         std::tuple(Resource::NcIn, cost.ncIn, &problem.ncIn),
                                         std::tuple(Resource::NcOut, cost.ncOut, &problem.ncOut)})
      if (bytes > 0)
        spend(resource, static_cast<double>(bytes) / link->bytesPerSecond);
  }
  for (const UpdateTraffic &update : problem.updates) {
    const bool workHere = solution.home[update.worker] == plan::Tier::Device,
               restHere = solution.home[update.operand] == plan::Tier::Device;
    if (workHere == restHere)
      continue;
    const int64_t in = workHere ? update.reads : update.writes, out = workHere ? update.writes : update.reads;
    if (in > 0)
      spend(Resource::CgIn, static_cast<double>(in) / problem.cgIn.bytesPerSecond);
    if (out > 0)
      spend(Resource::CgOut, static_cast<double>(out) / problem.cgOut.bytesPerSecond);
  }
  double cores = 0, largest = 0, sum = 0;
  for (size_t r = 0; r + 1 < kResources; ++r)
    cores += seconds[r] * problem.sharedWeight[r];
  seconds[kResources - 1] = cores;
  for (size_t r = 0; r < kResources; ++r) {
    if (!near(seconds[r], solution.use.seconds[r]))
      return Status::internal("\"" + std::string(plan::textOf(static_cast<Resource>(r))) + "\" is busy " +
                              std::to_string(seconds[r]) + " s, not " +
                              std::to_string(solution.use.seconds[r]) + " s");
    largest = std::max(largest, seconds[r]);
    const bool isDisk = r == static_cast<size_t>(Resource::NcIn) || r == static_cast<size_t>(Resource::NcOut);
    sum += (isDisk ? 1e-3 : 1e-6) * seconds[r];
  }
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
