// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- FetchGroups.h - what is fetched together, and for whom ==============//
//
// Duty: the links over which fetches come, and the user that each group of fetches is for.
// Threads: pure functions.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "planning/Schedule/ScheduleProblem.h"
#include <limits>
#include <optional>

namespace windlass::planning {

/// A task that does not exist.
inline constexpr uint32_t kNobody = std::numeric_limits<uint32_t>::max();

/// The link whose lane it is; none of lanes that fetch nothing.
std::optional<Link> linkOf(plan::Lane lane);

/// Per group: the first Work that uses what it brings, at once or through other tasks; or kNobody.
std::vector<uint32_t> firstUsers(const ScheduleProblem &problem);

} // namespace windlass::planning
