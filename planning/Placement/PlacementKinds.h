// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- PlacementKinds.h - equal items, counted ============================//
//
// Duty: items of one class with equal costs are one kind; a placement is then
// how many of each kind lie in each tier. Layers repeat, so kinds are few.
// Items that updates join are equal if all that is joined with them is; their
// kinds then have equally many members, in one order. Of every kind the first lie
// nearest, so that no more of them are apart than must be.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "planning/Placement/PlacementProblem.h"
#include <map>

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

/// What updates bring from one kind to another, of each pair of members that lie on different sides.
struct KindTraffic {
  size_t worker = 0, operand = 0; ///< kinds
  /// With the worker away from the device, and on it.
  std::array<std::array<double, kResources>, 2> seconds{};

  /// Pairs with the worker on the device and the operand away; below zero: the other way about.
  static int64_t apart(const Counts &worker, const Counts &operand) { return worker[0] - operand[0]; }
};

/// What the kinds placed so far take.
struct PlacementLoad {
  std::array<double, kResources> seconds{};
  std::array<int64_t, kTiers> resident{};
  std::vector<std::array<int64_t, kTiers>> staging; ///< largest per class

  void add(const PlacementKind &kind, const Counts &counts);
  void add(const KindTraffic &traffic, int64_t apart);
  int64_t bytes(size_t tier) const;
};

/// Items that updates join, directly or through others: the states of one bucket.
struct PlacementCluster {
  std::vector<uint32_t> items;
  std::vector<UpdateTraffic> updates; ///< workers and operands by their place in `items`
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
  std::vector<KindTraffic> traffic;
  std::array<int64_t, kTiers> capacity{};

private:
  void addKinds(const PlacementProblem &problem, const PlacementCluster &cluster,
                const std::map<std::string, size_t> &classOf);

  size_t classes = 0, items = 0;
  std::array<double, kResources> base{};
};

} // namespace windlass::planning
