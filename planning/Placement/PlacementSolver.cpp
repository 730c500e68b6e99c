// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "planning/Placement/PlacementSolver.h"

#include "planning/Placement/PlacementSearch.h"
#include "runtime/plan/text/ReasonText.h"
#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

namespace windlass::planning {
namespace {

/// The most bytes of all items in one tier: sums of them do not overflow.
constexpr int64_t kMostBytes = int64_t(1) << 60;
/// The most nodes of a search that asks only whether any placement fits.
constexpr int64_t kFeasibilityNodes = 50'000;
/// The most consumers of a tier that a shortage names.
constexpr size_t kLargestShown = 3;

Status wrong(const std::string &id, const std::string &what) {
  return Status::badInput("item \"" + id + "\": " + what);
}

Status checkWork(const PlacementProblem &problem, const std::string &id, const PlacementWork &work) {
  if (!(work.compute >= 0) || !(work.hostCompute >= 0))
    return wrong(id, "seconds must be zero or more");
  for (auto [bytes, link] : {std::pair(work.cgIn, &problem.cgIn), std::pair(work.cgOut, &problem.cgOut),
                             std::pair(work.ncIn, &problem.ncIn), std::pair(work.ncOut, &problem.ncOut)})
    if (bytes < 0 || (bytes > 0 && !(link->bytesPerSecond > 0)))
      return wrong(id, "moves " + std::to_string(bytes) + " bytes over a link of " +
                           std::to_string(link->bytesPerSecond) + " B/s");
  return Status::ok();
}

Status validate(const PlacementProblem &problem) {
  for (const PlacementItem &item : problem.items) {
    bool any = false;
    for (const TierCost &cost : item.cost) {
      if (!cost.allowed)
        continue;
      any = true;
      for (size_t t = 0; t < kTiers; ++t)
        if (cost.resident[t] < 0 || cost.staging[t] < 0 ||
            cost.resident[t] > kMostBytes / static_cast<int64_t>(problem.items.size()) ||
            cost.staging[t] > kMostBytes / static_cast<int64_t>(problem.items.size()))
          return wrong(item.id, "bytes must be zero or more and 2^60 in all");
      WINDLASS_TRY(checkWork(problem, item.id, cost.passes));
      WINDLASS_TRY(checkWork(problem, item.id, cost.updates));
    }
    if (!any)
      return wrong(item.id, "every tier is forbidden");
  }
  for (const UpdateTraffic &update : problem.updates) {
    if (update.worker >= problem.items.size() || update.operand >= problem.items.size() ||
        update.worker == update.operand)
      return Status::badInput("an update joins items " + std::to_string(update.worker) + " and " +
                              std::to_string(update.operand) + " of " + std::to_string(problem.items.size()) +
                              ": must be two of them");
    for (bool isHere : {false, true})
      WINDLASS_TRY(checkWork(problem, problem.items[update.operand].id, update.work(isHere)));
  }
  return Status::ok();
}

/// The fewest bytes by which `tier` alone must grow for a placement to fit; nothing if no growth helps.
std::optional<int64_t> missing(const PlacementProblem &problem, size_t tier) {
  auto fitsWith = [&](int64_t extra) {
    PlacementProblem larger = problem;
    larger.capacity[tier] += extra;
    return PlacementSearch(larger, kFeasibilityNodes).fits();
  };
  int64_t high = 4096;
  for (const PlacementItem &item : problem.items) {
    int64_t most = 0;
    for (const TierCost &cost : item.cost)
      most = std::max(most, cost.allowed ? cost.resident[tier] + cost.staging[tier] : 0);
    high += most;
  }
  if (!fitsWith(high))
    return std::nullopt;
  int64_t low = 0;
  while (high - low > 4096) {
    int64_t middle = low + (high - low) / 2;
    (fitsWith(middle) ? high : low) = middle;
  }
  return high;
}

/// The items with the most bytes in a tier, over all homes that they may have.
std::vector<plan::Consumer> largestItems(const PlacementProblem &problem, plan::Tier tier) {
  const size_t at = static_cast<size_t>(tier);
  std::vector<plan::Consumer> items;
  for (const PlacementItem &item : problem.items)
    items.push_back({item.id, item.cost[at].allowed ? item.cost[at].resident[at] : 0});
  std::ranges::sort(items, [](const plan::Consumer &a, const plan::Consumer &b) {
    return std::tuple(-a.bytes, std::string_view(a.name)) < std::tuple(-b.bytes, std::string_view(b.name));
  });
  items.resize(std::min(kLargestShown, items.size()));
  return items;
}

} // namespace

plan::Shortage findShortage(const PlacementProblem &problem) {
  plan::Shortage least{.of = plan::Lack::EveryTier};
  for (size_t tier = 0; tier < kTiers; ++tier)
    if (std::optional<int64_t> bytes = missing(problem, tier);
        bytes && (least.of == plan::Lack::EveryTier || *bytes < least.bytes))
      least = {.of = plan::Lack::States, .tier = static_cast<plan::Tier>(tier), .bytes = *bytes};
  least.largest = largestItems(problem, least.tier);
  return least;
}

Result<PlacementSolution> solvePlacement(const PlacementProblem &problem, const PlacementOptions &options) {
  WINDLASS_TRY(validate(problem));
  std::optional<PlacementFound> found = PlacementSearch(problem, options.nodeLimit).best();
  if (!found)
    return Status::cannotFit(options.explains ? plan::shortageText(findShortage(problem))
                                              : "the states do not fit");
  PlacementSolution solution;
  solution.home = std::move(found->home);
  solution.use = usePlacement(problem, solution.home);
  solution.lowerBound = std::min(found->lowerBound, solution.use.cost);
  solution.optimal = found->proven;
  if (options.explains)
    solution.why = explainPlacement(problem, solution.home);
  return solution;
}

} // namespace windlass::planning
