// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- PlacementProblem.h - the problem of home tiers ========================//
//
// Duty: the problem (items, the cost of each item in each tier, the traffic of updates between items,
// capacities, rates), the solution (one tier per item) and the text form of the problem.
// Cost: with r[s][i] seconds on resource i in span s of the step, the sum over spans of max(r[s]), and
// kWeight[i] times each r[s][i]. Resources overlap within a span; spans do not overlap. The weights are tiny,
// so that of two equal sums the one with less work wins, and of two nearly equal ones the one with less work
// of the disk. Units: bytes of one rank, seconds per step. Threads: values; no sharing.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/base/Status.h"
#include "runtime/plan/Plan.h"
#include "runtime/plan/Reasons.h"
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace windlass::planning {

inline constexpr size_t kTiers = 3;

/// A resource that may be the bottleneck of a step; those up to Cores are what homes keep busy.
using plan::Resource;
inline constexpr size_t kResources = static_cast<size_t>(Resource::Cores) + 1;

/// Spans of a step. Where gradients are clipped, updates wait for the norm of all of them, behind the passes.
enum class Span : uint8_t { Passes, Updates };
inline constexpr size_t kSpans = 2;
/// Seconds of a resource in a span, at loadOf().
inline constexpr size_t kLoads = kSpans * kResources;
using Loads = std::array<double, kLoads>;
constexpr size_t loadOf(Span span, Resource resource) {
  return static_cast<size_t>(span) * kResources + static_cast<size_t>(resource);
}

/// Work per step.
struct PlacementWork {
  int64_t cgIn = 0, cgOut = 0, ncIn = 0, ncOut = 0; ///< bytes moved
  double compute = 0, hostCompute = 0;              ///< seconds

  bool operator==(const PlacementWork &) const = default;
};

/// The cost of an item if its home is one certain tier.
struct TierCost {
  std::array<int64_t, kTiers> resident{}; ///< bytes that it takes in each tier for the whole step
  /// Bytes that the item takes in each tier while it moves. Items of a class move one after the other, so
  /// that only the largest of each class counts.
  std::array<int64_t, kTiers> staging{};
  PlacementWork passes, updates;
  bool allowed = false; ///< whether the home may be this tier

  bool operator==(const TierCost &) const = default;
};

struct PlacementItem {
  std::string id;                      ///< "h.3.moments"
  std::string cls;                     ///< "param", "grad", "master", "moments", "checkpoint"
  std::array<TierCost, kTiers> cost{}; ///< by plan::Tier of its home
};

/// The traffic of an update over the link between device and host. The update runs on the device if the home
/// of its worker is there, else on the host. If the operand's home is on the other side of the link, the
/// bytes that the update reads and writes of the operand move over the link.
struct UpdateTraffic {
  uint32_t worker = 0, operand = 0; ///< items
  int64_t reads = 0, writes = 0;    ///< bytes of the operand per step

  /// The work if worker and operand are apart: on the device and away from it, or the reverse.
  PlacementWork work(bool isWorkerOnDevice) const;
  bool operator==(const UpdateTraffic &) const = default;
};

/// The rate of a link, and its words in a reason.
struct LinkRate {
  double bytesPerSecond = 0; ///< of one rank
  plan::QuotedRate quote;
};

struct PlacementProblem {
  std::vector<PlacementItem> items;
  std::vector<UpdateTraffic> updates;
  std::array<int64_t, kTiers> capacity{}; ///< left for items and staging on one rank
  LinkRate cgIn, cgOut, ncIn, ncOut;
  plan::QuotedRate computeQuote, hostComputeQuote; ///< the rates behind an item's seconds
  Loads base{};             ///< seconds of work that no placement changes (Cores: ignored, derived)
  bool updatesWait = false; ///< updates wait for the end of all passes; else a step is one span
  /// Seconds of the shared cores per second of a resource (Machine::sharedWeight of its lane); 0: hardware of
  /// its own.
  std::array<double, kResources> sharedWeight{};
};

struct PlacementUse {
  std::array<int64_t, kTiers> bytes{};      ///< resident and staging
  std::array<double, kResources> seconds{}; ///< per step, in all spans
  double cost = 0;                          ///< of the formula above
  Resource bottleneck = Resource::Compute;  ///< with the most seconds
};

struct PlacementSolution {
  std::vector<plan::Tier> home; ///< per item
  PlacementUse use;
  double lowerBound = 0;         ///< of the cost of every placement
  bool optimal = false;          ///< proven; false: the cost is at most cost / lowerBound - 1 from the best
  std::vector<plan::Reason> why; ///< of each class
};

/// Seconds of an item at home in a tier, Cores included.
Loads loadsOf(const PlacementProblem &problem, const TierCost &cost);
/// Seconds of one more pair that an update's traffic joins, Cores included.
Loads loadsOf(const PlacementProblem &problem, const UpdateTraffic &update, bool isWorkerOnDevice);
/// Seconds of work that no placement changes, Cores included.
Loads baseLoads(const PlacementProblem &problem);
/// Of two placements with the same bound, the one with less work in all is better.
inline constexpr double kTieWeight = 1e-6;
/// The weight of the disk, which writing wears: a placement that saves less than a thousandth of the disk's
/// seconds is not worth them.
inline constexpr double kDiskWeight = 1e-3;
/// Seconds of the cost per second of a resource that is not the busiest, in any span.
inline constexpr std::array<double, kResources> kWeight = {kTieWeight,  kTieWeight,  kTieWeight, kTieWeight,
                                                           kDiskWeight, kDiskWeight, kTieWeight, kTieWeight};
constexpr double weightOf(size_t load) { return kWeight[load % kResources]; }
/// The cost that solvers minimise: the busiest resource of each span, and kWeight times each.
double placementCost(const Loads &loads);
/// The seconds that the busiest resources of the spans take at least, where the cost is at least so much.
double leastSeconds(double cost);

/// The resources and the cost of a placement.
PlacementUse usePlacement(const PlacementProblem &problem, const std::vector<plan::Tier> &home);

/// One line per fact; see test/planning/Placement for the grammar by example.
std::string printPlacement(const PlacementProblem &problem);
Result<PlacementProblem> parsePlacement(std::string_view text);

} // namespace windlass::planning
