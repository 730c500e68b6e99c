//===- PlacementKinds.h - equal items, counted ============================//
//
// Duty: items of one class with equal costs are one kind; a placement is then
// how many of each kind lie in each tier. Layers repeat, so kinds are few.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/planning/Placement/PlacementProblem.h"

namespace windlass::planning {

using Counts = std::array<int64_t, kTiers>; ///< members of one kind per tier

struct PlacementKind {
  size_t cls = 0;
  std::vector<uint32_t> members; ///< items, in their order
  struct Home {
    bool allowed = false;
    std::array<int64_t, kTiers> resident{}, staging{};
    std::array<double, kResources> seconds{};
  };
  std::array<Home, kTiers> home;

  int64_t count() const { return static_cast<int64_t>(members.size()); }
};

/// What the kinds placed so far take.
struct PlacementLoad {
  std::array<double, kResources> seconds{};
  std::array<int64_t, kTiers> resident{};
  std::vector<std::array<int64_t, kTiers>> staging; ///< largest per class

  void add(const PlacementKind &kind, const Counts &counts);
  int64_t bytes(size_t tier) const;
};

class PlacementKinds {
public:
  explicit PlacementKinds(const PlacementProblem &problem);

  PlacementLoad emptyLoad() const;
  PlacementLoad load(const std::vector<Counts> &counts) const;
  /// By how much the load is over the capacities, as a sum of shares of them; 0: it fits.
  double excess(const PlacementLoad &load) const;
  /// The first members of a kind lie in the nearest of its tiers.
  std::vector<plan::Tier> homes(const std::vector<Counts> &counts) const;

  std::vector<PlacementKind> kinds;
  std::array<int64_t, kTiers> capacity{};

private:
  size_t classes = 0, items = 0;
  std::array<double, kResources> base{};
};

} // namespace windlass::planning
