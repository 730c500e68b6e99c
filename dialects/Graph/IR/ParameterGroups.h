// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- ParameterGroups.h - how parameters are trained alike ================//
//
// Duty: the groups that passes ask for by name; a parameter has one. Those of a group are updated alike.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "llvm/ADT/StringRef.h"
#include <charconv>
#include <cstdint>
#include <string>

namespace windlass::graph {

/// With and without weight decay.
inline constexpr llvm::StringLiteral kDecayGroup = "decay", kNoDecayGroup = "no_decay";
/// The group of a trained parameter of which nobody says another: matrices decay.
inline llvm::StringRef groupOfRank(int64_t rank) { return rank >= 2 ? kDecayGroup : kNoDecayGroup; }

/// What stands before the number of a group that decays by one of its own: "decay=0.05".
inline constexpr llvm::StringLiteral kOwnDecay = "decay=";
/// The group of parameters that decay by this.
inline std::string groupOfDecay(double decay) {
  if (decay == 0)
    return kNoDecayGroup.str();
  char digits[32]; // the fewest that are read as the same number
  return kOwnDecay.str() + std::string(digits, std::to_chars(digits, digits + sizeof digits, decay).ptr);
}
/// By how much a group decays; `usual`: kDecayGroup.
inline double decayOf(llvm::StringRef group, double usual) {
  double own = 0;
  if (group.consume_front(kOwnDecay))
    std::from_chars(group.begin(), group.end(), own);
  else if (group == kDecayGroup)
    own = usual;
  return own;
}

/// No gradient, no master, no optimizer state.
inline constexpr llvm::StringLiteral kFrozenGroup = "frozen";

/// Running statistics: what takes the place of a gradient is how much batches change them, and is added.
inline constexpr llvm::StringLiteral kStatisticsGroup = "statistics";

} // namespace windlass::graph
