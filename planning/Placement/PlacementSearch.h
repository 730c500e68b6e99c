// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- PlacementSearch.h - branch and bound over counts ======================//
//
// Duty: searches the counts per kind and tier with the least cost. A first placement is the rounded bound,
// repaired until it fits and improved by exchanges. Branch and bound then goes depth first, with the
// Lagrangian bound, until the best placement is proven or a limit of nodes in a row brings nothing better.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "planning/Placement/PlacementBound.h"
#include <optional>

namespace windlass::planning {

struct PlacementFound {
  std::vector<plan::Tier> home;
  double lowerBound = 0;
  bool proven = false;
};

class PlacementSearch {
public:
  PlacementSearch(const PlacementProblem &problem, int64_t nodeLimit);

  /// The best placement; nothing if none that fits was found.
  std::optional<PlacementFound> best();
  /// Whether a placement that fits is found within the node limit.
  bool fits();

private:
  struct Choice {
    Counts counts{};
    double price = 0;
  };

  void repairAndImprove(std::vector<Counts> counts);
  bool repairStep(std::vector<Counts> &counts);
  bool improveStep(std::vector<Counts> &counts);
  void offer(const std::vector<Counts> &counts);
  void prepare();
  /// Nodes that are left from a better placement on.
  int64_t nodesToGo() const;
  void descend(size_t depth, double price);

  PlacementKinds model;
  int64_t nodeLimit, nodesLeft, trialsLeft = 200'000;
  bool firstWillDo = false;
  std::optional<PlacementBound> bound;
  double least = 0; ///< of every placement's cost
  double bestCost;
  std::vector<Counts> bestCounts;
  std::vector<Counts> current;
  std::vector<size_t> sequence;             ///< kinds, largest first
  std::vector<std::vector<Choice>> choices; ///< per depth, cheapest price first
  std::vector<PlacementLoad>
      rest; ///< per depth: a lower bound of each resource and tier that the kinds below take
  std::vector<double> restPrice;
  std::vector<std::vector<size_t>> joins; ///< per depth: traffic whose second kind is placed there
  std::vector<PlacementLoad> reached;     ///< per depth: the load of the kinds above, on the present path
};

} // namespace windlass::planning
