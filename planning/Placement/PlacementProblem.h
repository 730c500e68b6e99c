// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- PlacementProblem.h - which tier is home to what ====================//
//
// Duty: the question (items, what each costs at home in each tier, what updates bring from one to
// another, capacities, rates), the answer (one tier per item) and the text form of both.
// Cost: a lower bound of the step time: the busiest resource, plus a tiny weight on each, so that of two
// equal bounds the one with less work wins, and of two nearly equal ones that which spares the disk.
// Units: bytes of one rank, seconds per step.
// Threads: values; no sharing.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/base/Status.h"
#include "runtime/plan/Plan.h"
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace windlass::planning {

inline constexpr size_t kTiers = 3;

/// What may be the bottleneck of a step.
using plan::Resource;
inline constexpr size_t kResources = static_cast<size_t>(Resource::Cores) + 1;

/// What an item asks for when its home is one certain tier.
struct TierCost {
  std::array<int64_t, kTiers> resident{}; ///< bytes taken for good in each tier
  /// Bytes taken while it passes through: of each class only its largest is counted, for items follow each
  /// other.
  std::array<int64_t, kTiers> staging{};
  int64_t cgIn = 0, cgOut = 0, ncIn = 0, ncOut = 0; ///< bytes moved per step
  double compute = 0, hostCompute = 0;              ///< seconds per step
  bool allowed = false;                             ///< a forbidden tier is never chosen

  bool operator==(const TierCost &) const = default;
};

struct PlacementItem {
  std::string id;                      ///< "h.3.moments"
  std::string cls;                     ///< "param", "grad", "master", "moments", "checkpoint"
  std::array<TierCost, kTiers> cost{}; ///< by plan::Tier of its home
};

/// An update runs on the device, or on the host, as the home of its worker says. What it reads and writes of
/// an operand that rests on the other side of the link between them comes and goes over that link.
struct UpdateTraffic {
  uint32_t worker = 0, operand = 0; ///< items
  int64_t reads = 0, writes = 0;    ///< bytes of the operand per step

  /// Of an update on the device whose operand is away from it, or the other way about.
  TierCost cost(bool isWorkerOnDevice) const;
  bool operator==(const UpdateTraffic &) const = default;
};

/// A link's rate, and how to quote it in a reason.
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
  std::array<double, kResources> base{}; ///< seconds of work whatever the placement (Cores: ignored, derived)
  /// Seconds of the shared cores per second of a resource (Machine::coreWeight of its lane); 0: hardware of
  /// its own.
  std::array<double, kResources> coreWeight{};
};

struct PlacementUse {
  std::array<int64_t, kTiers> bytes{};      ///< resident and staging
  std::array<double, kResources> seconds{}; ///< per step
  double cost = 0;                          ///< see above
  Resource bottleneck = Resource::Compute;
};

struct PlacementSolution {
  std::vector<plan::Tier> home; ///< per item
  PlacementUse use;
  double lowerBound = 0;         ///< no placement costs less
  bool optimal = false;          ///< proven; else the gap is cost / lowerBound - 1
  std::vector<plan::Reason> why; ///< of each class
};

/// Seconds per resource of an item at home in a tier, Cores included.
std::array<double, kResources> secondsOf(const PlacementProblem &problem, const TierCost &cost);
/// Seconds of work whatever the placement, Cores included.
std::array<double, kResources> baseSeconds(const PlacementProblem &problem);
/// Of two placements with the same bound, the one with less work in all is better.
inline constexpr double kTieWeight = 1e-6;
/// What is written wears the disk, and a thousandth of the time that moving it takes is no gain that a step
/// shows.
inline constexpr double kDiskWeight = 1e-3;
/// Seconds of the cost per second of a resource that is not the busiest.
inline constexpr std::array<double, kResources> kWeight = {kTieWeight,  kTieWeight,  kTieWeight, kTieWeight,
                                                           kDiskWeight, kDiskWeight, kTieWeight, kTieWeight};
/// The cost that solvers minimise: the busiest resource, and kWeight times each.
double placementCost(const std::array<double, kResources> &seconds);

/// What a placement uses and costs. The solver's own bookkeeping is compared with it by the checker.
PlacementUse usePlacement(const PlacementProblem &problem, const std::vector<plan::Tier> &home);

/// One line per fact; see test/planning/Placement for the grammar by example.
std::string printPlacement(const PlacementProblem &problem);
Result<PlacementProblem> parsePlacement(std::string_view text);

} // namespace windlass::planning
