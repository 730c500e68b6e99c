// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reasons of placements: the other half of PlacementSolver.h.
#include "planning/Placement/PlacementSearch.h"
#include "planning/Placement/PlacementSolver.h"
#include <algorithm>
#include <cmath>

namespace windlass::planning {
namespace {

using plan::Tier;

/// Nodes of the search for an alternative, which only a reason quotes.
constexpr int64_t kAlternativeNodes = 20'000;
/// Bounds that differ by a smaller share are equal.
constexpr double kSameBound = 1e-6;
/// Seconds: a smaller lower bound has no gap.
constexpr double kLargestGap = 1e6;

plan::QuotedRate quoteOf(const PlacementProblem &problem, Resource resource) {
  switch (resource) {
  case Resource::CgIn:
    return problem.cgIn.quote;
  case Resource::CgOut:
    return problem.cgOut.quote;
  case Resource::NcIn:
    return problem.ncIn.quote;
  case Resource::NcOut:
    return problem.ncOut.quote;
  case Resource::Compute:
    return problem.computeQuote;
  case Resource::HostCompute:
    return problem.hostComputeQuote;
  case Resource::Gg:
  case Resource::Cores:
  case Resource::Nodes:
  case Resource::ActOut:
  case Resource::ActIn:
  case Resource::GradOut:
  case Resource::GradIn:
    return {};
  }
  return {};
}

double longest(const PlacementUse &use) { return use.seconds[static_cast<size_t>(use.bottleneck)]; }

/// The seconds of a resource with `other`, and with the placement that was taken.
plan::Price priceOf(const PlacementProblem &problem, size_t resource, const PlacementUse &other,
                    const PlacementUse &taken) {
  return {static_cast<Resource>(resource), other.seconds[resource], taken.seconds[resource],
          quoteOf(problem, static_cast<Resource>(resource))};
}

std::vector<plan::Resting> whereabouts(const PlacementProblem &problem, const std::vector<Tier> &home,
                                       const std::string &cls) {
  std::vector<plan::Resting> all;
  for (Tier tier : {Tier::Device, Tier::Host, Tier::Nvme}) {
    plan::Resting resting{.tier = tier};
    for (size_t i = 0; i < home.size(); ++i)
      if (problem.items[i].cls == cls && home[i] == tier) {
        ++resting.items;
        resting.bytes += problem.items[i].cost[static_cast<size_t>(tier)].resident[static_cast<size_t>(tier)];
      }
    if (resting.items > 0)
      all.push_back(resting);
  }
  return all;
}

/// The bytes over each capacity if the class were in `tier` and all other items where they are.
std::vector<plan::Shortage> shortages(const PlacementProblem &problem, std::vector<Tier> home,
                                      const std::string &cls, Tier tier) {
  for (size_t i = 0; i < home.size(); ++i)
    if (problem.items[i].cls == cls)
      home[i] = tier;
  const PlacementUse use = usePlacement(problem, home);
  std::vector<plan::Shortage> all;
  for (size_t t = 0; t < kTiers; ++t)
    if (use.bytes[t] > problem.capacity[t])
      all.push_back({.of = plan::Lack::Class,
                     .tier = static_cast<Tier>(t),
                     .bytes = use.bytes[t] - problem.capacity[t]});
  return all;
}

/// The best placement that has all items of the class in `tier`.
plan::Trial alternative(const PlacementProblem &problem, const std::vector<Tier> &home,
                        const PlacementUse &use, const std::string &cls, Tier tier) {
  PlacementProblem pinned = problem;
  for (PlacementItem &item : pinned.items)
    for (size_t t = 0; item.cls == cls && t < kTiers; ++t)
      item.cost[t].allowed &= t == static_cast<size_t>(tier);
  plan::Trial trial{.value = std::string(plan::textOf(tier)), .outcome = plan::Outcome::DoesNotFit};
  trial.shortages = shortages(problem, home, cls, tier);
  const std::optional<PlacementFound> found = PlacementSearch(pinned, kAlternativeNodes).best();
  if (!found)
    return trial;
  const PlacementUse other = usePlacement(problem, found->home);
  size_t most = 0; // the resource that pays
  for (size_t r = 0; r + 1 < kResources; ++r)
    if (other.seconds[r] - use.seconds[r] > other.seconds[most] - use.seconds[most])
      most = r;
  const double more = longest(other) - longest(use);
  trial.outcome = std::abs(more) <= kSameBound * longest(use) ? plan::Outcome::Alike
                  : more > 0                                  ? plan::Outcome::Slower
                                                              : plan::Outcome::LessBusy;
  trial.clock = plan::Clock::Bound;
  trial.seconds = longest(other);
  trial.price = priceOf(problem, most, other, use);
  return trial;
}

/// Whether all items of the class have their homes in `tier`, and whether they may.
std::pair<bool, bool> isAndMayBe(const PlacementProblem &problem, const std::vector<Tier> &home,
                                 const std::string &cls, Tier tier) {
  bool isThere = true, isAllowed = true;
  for (size_t i = 0; i < home.size(); ++i) {
    isThere &= problem.items[i].cls != cls || home[i] == tier;
    isAllowed &= problem.items[i].cls != cls || problem.items[i].cost[static_cast<size_t>(tier)].allowed;
  }
  return {isThere, isAllowed};
}

plan::Reason reasonOf(const PlacementProblem &problem, const std::vector<Tier> &home, const PlacementUse &use,
                      const std::string &cls) {
  plan::Reason reason{.decision = plan::Decision::Placement, .subject = cls, .basis = plan::Basis::Solved};
  reason.rests = whereabouts(problem, home, cls);
  reason.taken = reason.rests.size() == 1 ? std::string(plan::textOf(reason.rests.front().tier))
                                          : std::string(plan::kSplit);
  reason.trials.push_back({.value = reason.taken,
                           .outcome = plan::Outcome::Taken,
                           .clock = plan::Clock::Bound,
                           .seconds = longest(use)});
  for (Tier tier : {Tier::Device, Tier::Host, Tier::Nvme})
    if (const auto [isThere, isAllowed] = isAndMayBe(problem, home, cls, tier); !isThere && isAllowed)
      reason.trials.push_back(alternative(problem, home, use, cls, tier));
  return reason;
}

} // namespace

plan::Reason explainGap(const PlacementSolution &solution, double seconds) {
  plan::Reason reason{.decision = plan::Decision::Placement,
                      .taken = std::string(plan::kLeastBusy),
                      .basis = plan::Basis::Solved};
  const double gap =
      solution.optimal ? 0 : std::clamp(solution.use.cost / solution.lowerBound - 1, 0.0, kLargestGap);
  reason.figures = {{plan::Figure::Gap, gap}};
  plan::Trial taken{.value = reason.taken, .outcome = plan::Outcome::Taken};
  if (seconds > 0) {
    taken.clock = plan::Clock::LaidOut;
    taken.seconds = seconds;
  }
  taken.price = {solution.use.bottleneck, longest(solution.use), longest(solution.use)};
  reason.trials = {taken};
  return reason;
}

std::vector<plan::Reason> explainPlacement(const PlacementProblem &problem, const std::vector<Tier> &home) {
  const PlacementUse use = usePlacement(problem, home);
  std::vector<plan::Reason> all;
  for (const PlacementItem &item : problem.items)
    if (std::ranges::find(all, item.cls, &plan::Reason::subject) == all.end())
      all.push_back(reasonOf(problem, home, use, item.cls));
  return all;
}

} // namespace windlass::planning
