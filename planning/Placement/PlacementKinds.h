// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- PlacementKinds.h - equal items, counted ===============================//
//
// Duty: groups equal items into kinds. Two items of one class with equal costs are of one kind, and a
// placement is the number of members of each kind in each tier: with 96 equal layers, 96 items are one kind
// and their 2^96 homes on two tiers are 97 counts. Items that updates join are of one kind only if their
// whole clusters are equal; the kinds of such clusters have equally many members, in the same order. The
// first members of a kind have the nearest homes, so that the fewest pairs of joined members are apart.
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
    Loads loads{};
  };
  std::array<Home, kTiers> home;

  int64_t count() const { return static_cast<int64_t>(members.size()); }
};

/// The traffic of the updates that join two kinds: of each pair of members that are apart, one on the device
/// and the other away from it.
struct KindTraffic {
  size_t worker = 0, operand = 0; ///< kinds
  /// The loads of one pair: [0] the worker is away from the device, [1] the worker is on it.
  std::array<Loads, 2> loads{};

  /// The number of pairs that are apart with the worker on the device; negative: with the operand on the
  /// device.
  static int64_t apart(const Counts &worker, const Counts &operand) { return worker[0] - operand[0]; }
};

/// The resources and bytes of the kinds that are placed so far.
struct PlacementLoad {
  Loads loads{};
  std::array<int64_t, kTiers> resident{};
  std::vector<std::array<int64_t, kTiers>> staging; ///< per class, the largest item's

  void add(const PlacementKind &kind, const Counts &counts);
  /// `times`: -1 takes the traffic away.
  void add(const KindTraffic &traffic, int64_t apart, double times = 1);
  int64_t bytes(size_t tier) const;
};

/// Items that updates join, directly or through others: the states of one bucket.
struct PlacementCluster {
  std::vector<uint32_t> items;
  std::vector<UpdateTraffic> updates; ///< workers and operands by their place in `items`
};

/// One member of a kind goes from one tier to another.
struct PlacementMove {
  size_t kind = 0, from = 0, to = 0;
};

class PlacementKinds {
public:
  explicit PlacementKinds(const PlacementProblem &problem);

  PlacementLoad emptyLoad() const;
  PlacementLoad load(const std::vector<Counts> &counts) const;
  /// Makes a move in counts and in their load; up to rounding, it is then load(counts).
  void make(const PlacementMove &move, std::vector<Counts> &counts, PlacementLoad &load) const;
  /// The sum over tiers of the bytes over the capacity, divided by the capacity; 0: the load fits.
  double excess(const PlacementLoad &load) const;
  /// The homes of items that counts stand for: the first members of a kind have the nearest tiers.
  std::vector<plan::Tier> homes(const std::vector<Counts> &counts) const;

  std::vector<PlacementKind> kinds;
  std::vector<KindTraffic> traffic;
  std::array<int64_t, kTiers> capacity{};

private:
  void addKinds(const PlacementProblem &problem, const PlacementCluster &cluster,
                const std::map<std::string, size_t> &classOf);

  size_t classes = 0, items = 0;
  Loads base{};
  std::vector<std::vector<size_t>> ofClass; ///< kinds
  std::vector<std::vector<size_t>> joins;   ///< per kind: its traffic
};

} // namespace windlass::planning
