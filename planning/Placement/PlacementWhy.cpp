// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Says why classes lie where they do: the other half of PlacementSolver.h.
#include "planning/Placement/PlacementSearch.h"
#include "planning/Placement/PlacementSolver.h"
#include "runtime/base/Units.h"
#include "runtime/plan/Enums.h"
#include <algorithm>
#include <cmath>
#include <cstdio>

namespace windlass::planning {
namespace {

using plan::Tier;

/// An alternative is a search of its own; it is only for words, so it is a short one.
constexpr int64_t kAlternativeNodes = 20'000;

std::string tierName(size_t tier) { return std::string(plan::textOf(static_cast<Tier>(tier))); }

std::string quoteOf(const PlacementProblem &problem, Resource resource) {
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
    return "";
  }
  return "";
}

/// "nc_in is busy 1.20 s at nvme.read 3.80 GB/s (measured)"
std::string busy(const PlacementProblem &problem, Resource resource, double seconds) {
  std::string quote = quoteOf(problem, resource);
  return std::string(resourceName(resource)) + " is busy " + formatSeconds(seconds) +
         (quote.empty() ? "" : " at " + quote);
}

/// ", 300 us more": two nearly equal times would print alike.
std::string more(double seconds) {
  return ", " + formatSeconds(std::abs(seconds)) + (seconds < 0 ? " less" : " more");
}

double longest(const PlacementUse &use) { return use.seconds[static_cast<size_t>(use.bottleneck)]; }

/// "device 2 of 6, nvme 4 of 6 (1.2 MiB)"
std::string whereabouts(const PlacementProblem &problem, const std::vector<Tier> &home,
                        const std::string &cls) {
  std::array<int64_t, kTiers> count{}, bytes{};
  int64_t all = 0;
  for (size_t i = 0; i < home.size(); ++i)
    if (problem.items[i].cls == cls) {
      size_t tier = static_cast<size_t>(home[i]);
      ++count[tier];
      bytes[tier] += problem.items[i].cost[tier].resident[tier];
      ++all;
    }
  std::string text;
  for (size_t tier = 0; tier < kTiers; ++tier)
    if (count[tier] > 0)
      text += (text.empty() ? "" : ", ") + tierName(tier) +
              (count[tier] < all ? " " + std::to_string(count[tier]) + " of " + std::to_string(all) : "") +
              " (" + formatBytes(bytes[tier]) + " on each rank)";
  return text;
}

/// By how many bytes each tier is exceeded with the class in `tier` and the rest where it is.
std::string shortage(const PlacementProblem &problem, std::vector<Tier> home, const std::string &cls,
                     size_t tier) {
  for (size_t i = 0; i < home.size(); ++i)
    if (problem.items[i].cls == cls)
      home[i] = static_cast<Tier>(tier);
  PlacementUse use = usePlacement(problem, home);
  std::string text;
  for (size_t t = 0; t < kTiers; ++t)
    if (use.bytes[t] > problem.capacity[t])
      text += (text.empty() ? "" : ", ") + tierName(t) + " is " +
              formatBytes(use.bytes[t] - problem.capacity[t]) + " short of it";
  return text;
}

/// What the best placement with all of the class in `tier` would cost.
std::string alternative(const PlacementProblem &problem, const std::vector<Tier> &home,
                        const PlacementUse &use, const std::string &cls, size_t tier) {
  PlacementProblem pinned = problem;
  for (PlacementItem &item : pinned.items)
    for (size_t t = 0; item.cls == cls && t < kTiers; ++t)
      item.cost[t].allowed &= t == tier;
  std::string opening = "all on " + tierName(tier) + ": ";
  std::string missing = shortage(problem, home, cls, tier);
  std::optional<PlacementFound> found = PlacementSearch(pinned, kAlternativeNodes).best();
  if (!found)
    return opening + (missing.empty() ? "nothing fits" : missing + ", whatever else moves");
  PlacementUse other = usePlacement(problem, found->home);
  size_t most = 0; // the resource that pays
  for (size_t r = 0; r + 1 < kResources; ++r)
    if (other.seconds[r] - use.seconds[r] > other.seconds[most] - use.seconds[most])
      most = r;
  std::string price = busy(problem, static_cast<Resource>(most), other.seconds[most]) +
                      (use.seconds[most] > 0 ? more(other.seconds[most] - use.seconds[most]) : ", idle now");
  if (!missing.empty())
    opening += missing + "; making room, ";
  if (longest(other) > longest(use) * (1 + 1e-6))
    return opening + "a step takes at least " + formatSeconds(longest(other)) +
           more(longest(other) - longest(use)) + ", for " + price;
  if (longest(other) < longest(use) * (1 - 1e-6))
    return opening + "the busiest resource takes " + formatSeconds(longest(use) - longest(other)) +
           " less a step, but " + price;
  return opening + "no faster, and " + price;
}

} // namespace

std::string explainGap(const PlacementSolution &solution) {
  std::string text = "the busiest resource takes " + formatSeconds(longest(solution.use)) + " a step; ";
  if (solution.optimal)
    return text + "no placement does better (proven)";
  char percent[32];
  std::snprintf(percent, sizeof(percent), "%.2g %%", 100 * (solution.use.cost / solution.lowerBound - 1));
  return text + "no placement does better by more than " + percent;
}

std::vector<PlacementWhy> explainPlacement(const PlacementProblem &problem, const std::vector<Tier> &home) {
  PlacementUse use = usePlacement(problem, home);
  std::vector<PlacementWhy> all;
  for (const PlacementItem &item : problem.items) {
    if (std::any_of(all.begin(), all.end(), [&](const PlacementWhy &why) { return why.cls == item.cls; }))
      continue;
    std::string text = whereabouts(problem, home, item.cls);
    for (size_t tier = 0; tier < kTiers; ++tier) {
      bool isThere = true, isAllowed = true;
      for (size_t i = 0; i < home.size(); ++i) {
        isThere &= problem.items[i].cls != item.cls || home[i] == static_cast<Tier>(tier);
        isAllowed &= problem.items[i].cls != item.cls || problem.items[i].cost[tier].allowed;
      }
      if (!isThere && isAllowed)
        text += "; " + alternative(problem, home, use, item.cls, tier);
    }
    all.push_back({item.cls, text});
  }
  return all;
}

} // namespace windlass::planning
