// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- ParameterGroups.h - groups of parameters with one update rule =========//
//
// Duty: the names of parameter groups. Each parameter is in one group; all parameters of a group are updated
// by one rule. Threads: pure functions.
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
/// The default group of a trained parameter: matrices decay, vectors do not.
inline llvm::StringRef groupOfRank(int64_t rank) { return rank >= 2 ? kDecayGroup : kNoDecayGroup; }

/// The name of the group of parameters whose weight decay is said by name: "decay=0.05". StateOp::getDecay()
/// has the number.
inline std::string groupOfDecay(double decay) {
  if (decay == 0)
    return kNoDecayGroup.str();
  char digits[32]; // the fewest digits from which the same number is read
  return "decay=" + std::string(digits, std::to_chars(digits, digits + sizeof digits, decay).ptr);
}

/// The group of frozen parameters: no gradient, no master, no optimizer state.
inline constexpr llvm::StringLiteral kFrozenGroup = "frozen";

/// The group of running statistics. In place of a gradient a statistic gets the change that batches make, and
/// the update adds the change.
inline constexpr llvm::StringLiteral kStatisticsGroup = "statistics";

} // namespace windlass::graph
