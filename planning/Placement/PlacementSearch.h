// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- PlacementSearch.h - branch and bound over counts ===================//
//
// Duty: the best counts per kind and tier: a placement by repair and exchange
// first, then depth first with the Lagrangian bound, until it is proven or as
// many nodes as the limit says bring nothing better.
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

  /// Nothing if no placement that fits was found.
  std::optional<PlacementFound> best();
  /// Whether some placement fits, as far as the node limit lets it see.
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
  void descend(size_t depth, double price);

  PlacementKinds model;
  int64_t nodeLimit, nodesLeft, trialsLeft = 200'000;
  bool firstWillDo = false;
  std::optional<PlacementBound> bound;
  double bestCost;
  std::vector<Counts> bestCounts;
  std::vector<Counts> current;
  std::vector<size_t> sequence;             ///< kinds, largest first
  std::vector<std::vector<Choice>> choices; ///< per depth, cheapest price first
  std::vector<PlacementLoad> rest; ///< per depth: least of each resource and tier that the kinds below take
  std::vector<double> restPrice;
  std::vector<std::vector<size_t>> joins; ///< per depth: traffic whose kinds are placed with this one
  std::vector<PlacementLoad> reached;     ///< per depth: what is placed so far, on the way that is looked at
};

} // namespace windlass::planning
