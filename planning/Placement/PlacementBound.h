// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- PlacementBound.h - a lower bound of every placement ===================//
//
// Duty: a lower bound of the cost of every placement, by Lagrangian relaxation. A price per second of each
// resource and per byte of each tier replaces capacities and the maximum over resources. Under prices every
// item has the cheapest home of its own, and the sum
//     base * prices of seconds + sum over items of the cheapest price - capacities * prices of bytes
// is a lower bound, for any prices. The prices are the dual values of the linear program in which items may
// be split between tiers; with them the bound is as high as the value of that program. Rounding errors of the
// program make the bound lower, and never wrong. Two items that an update joins cost traffic if they are
// apart. That cost is in the prices of their homes, too.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "planning/Placement/PlacementKinds.h"

namespace windlass::planning {

class PlacementBound {
public:
  explicit PlacementBound(const PlacementKinds &model);

  /// False: no placement fits, even if items are split between tiers.
  bool isFeasible() const { return feasible; }
  /// Price of one member of a kind in a tier.
  double price(size_t kind, size_t tier) const;
  /// The price of so many pairs that are apart, beyond the prices of their homes: zero or more.
  double rest(size_t traffic, int64_t apart) const;
  /// The bound of an empty placement: the price of the base work less that of all capacities.
  double constant() const;
  /// The lower bound of every placement's cost.
  double bound() const;
  /// The linear program's solution, rounded to whole items: the start of a search.
  const std::vector<Counts> &rounded() const { return start; }

private:
  double price(const Loads &loads) const;
  void joinPrices(const std::vector<double> &prices, double second);
  void round(const std::vector<double> &share);

  const PlacementKinds &model;
  bool feasible = true;
  Loads second{};                    ///< prices of a second: zero or more, with a sum of at most 1 in a span
  std::array<double, kTiers> byte{}; ///< prices of a byte: zero or more
  std::vector<double>
      joined; ///< per traffic: added to the price of a worker on the device, subtracted from its operand's
  std::vector<double> onDevice; ///< per kind: the sum of `joined` on its price on the device
  std::vector<Counts> start;
};

} // namespace windlass::planning
