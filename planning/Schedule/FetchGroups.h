// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- FetchGroups.h - groups of fetches and their users =====================//
//
// Duty: finds the link of a lane, and the first user of each group of fetches.
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

/// The link that a lane fetches over; none for lanes that do not fetch.
std::optional<Link> linkOf(plan::Lane lane);

/// Per group: the first Work that depends on one of its fetches, directly or through other tasks; or kNobody.
std::vector<uint32_t> firstUsers(const ScheduleProblem &problem);

} // namespace windlass::planning
