//===- ParameterGroups.h - how parameters are trained alike ================//
//
// Duty: the groups that passes ask for by name; a parameter has one. Those of a group are updated alike.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "llvm/ADT/StringRef.h"
#include <cstdint>

namespace windlass::graph {

/// With and without weight decay.
inline constexpr llvm::StringLiteral kDecayGroup = "decay", kNoDecayGroup = "no_decay";
/// The group of a trained parameter of which nobody says another: matrices decay.
inline llvm::StringRef groupOfRank(int64_t rank) { return rank >= 2 ? kDecayGroup : kNoDecayGroup; }

/// No gradient, no master, no optimizer state.
inline constexpr llvm::StringLiteral kFrozenGroup = "frozen";

/// Running statistics: what takes the place of a gradient is how much batches change them, and is added.
inline constexpr llvm::StringLiteral kStatisticsGroup = "statistics";

} // namespace windlass::graph
