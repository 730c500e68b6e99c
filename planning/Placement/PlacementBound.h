// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- PlacementBound.h - how cheap can a placement be at best ============//
//
// Duty: prices for seconds on each resource and bytes of each tier, under which
// every item chooses its home alone; the sum is a lower bound of every placement
// (Lagrangian dual). Of items that updates join, what it costs to have them apart
// is in the prices of their homes. The prices are those of the linear program in
// which items may be split between tiers, which makes the bound as high as that
// program's value; the bound itself holds for any prices, so rounding cannot
// spoil it.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "planning/Placement/PlacementKinds.h"

namespace windlass::planning {

class PlacementBound {
public:
  explicit PlacementBound(const PlacementKinds &model);

  /// False only if no placement fits, however items are split.
  bool isFeasible() const { return feasible; }
  /// Price of one member of a kind in a tier.
  double price(size_t kind, size_t tier) const;
  /// What so many pairs that are apart cost beyond the prices of their homes: zero or more.
  double rest(size_t traffic, int64_t apart) const;
  /// What the prices say of an empty placement: base work less the worth of all capacities.
  double constant() const;
  /// No placement costs less.
  double bound() const;
  /// The linear program's answer in whole items: where a search begins.
  const std::vector<Counts> &rounded() const { return start; }

private:
  double price(const std::array<double, kResources> &seconds) const;
  void joinPrices(const std::vector<double> &prices, double second);
  void round(const std::vector<double> &share);

  const PlacementKinds &model;
  bool feasible = true;
  std::array<double, kResources> second{}; ///< zero or more, at most 1 together
  std::array<double, kTiers> byte{};       ///< zero or more
  std::vector<double> joined; ///< per traffic: on the price of a worker on the device, and off its operand's
  std::vector<double> onDevice; ///< per kind: the sum of these
  std::vector<Counts> start;
};

} // namespace windlass::planning
