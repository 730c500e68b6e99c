// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- PrefetchWindow.h - how far ahead transfers go =======================//
//
// Duty: the answer to the question how many fetches must be under way on a link so that no computation waits
// for one that could have begun earlier, and which fetch asks for so many. The question is a ScheduleProblem:
// how long transfers take (latency, and bytes at the rate of a link) and what computes before their users.
//
// A window is what is under way: by Little's law (L = lambda W; J. D. C. Little, "A Proof for the Queuing
// Formula", Operations Research 9, 1961) the rate at which users take what was fetched, times the time from a
// fetch's beginning to its user. If every user has as much computation before it, a period, that is
// ceil(W / period) groups: the bandwidth-delay product of RFC 1072, with groups for packets. Steps are not
// that even, so both factors are taken from a schedule of the problem: all Work begins as early as it can
// where memory and credits are no limit, every fetch as late as it can without delaying any of that. The most
// that is then under way at once is enough; and with one less, the fetch that begins as the last of so many
// would wait for an older group's user, and be late for its own.
// Units: seconds. Task numbers are indices. Threads: values; no sharing.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "planning/Schedule/ScheduleProblem.h"
#include <optional>

namespace windlass::planning {

/// Of a schedule's length: what two moments that are one may differ by after rounding.
inline constexpr double kOneMoment = 1e-9;

struct LinkWindow {
  int64_t credits = 1;           ///< groups under way at once, at most; one where nothing is fetched
  std::optional<uint32_t> fetch; ///< that begins as the last of so many; of several the longest under way
  uint32_t user = 0;             ///< the first Work that uses its group
  double seconds = 0;            ///< from the fetch's beginning to its user's: all hops between tiers
  double late = 0;               ///< by which it would begin too late with one credit less
  uint32_t longest = 0;          ///< of those under way then, itself among them, the fetch that takes longest
  double longestAhead = 0;       ///< seconds from its beginning to its user's
};

struct PrefetchWindow {
  std::array<LinkWindow, kLinks.size()> links; ///< by Link
  std::vector<double> start;                   ///< per task, in the schedule that needs no more

  const LinkWindow &of(Link link) const { return links[static_cast<size_t>(link)]; }
};

} // namespace windlass::planning
