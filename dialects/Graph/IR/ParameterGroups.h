//===- ParameterGroups.h - how parameters are trained alike ================//
//
// Duty: the groups that passes ask for by name; a parameter has one. Those of a group are updated alike.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "llvm/ADT/StringRef.h"

namespace windlass::graph {

/// No gradient, no master, no optimizer state.
inline constexpr llvm::StringLiteral kFrozenGroup = "frozen";

} // namespace windlass::graph
