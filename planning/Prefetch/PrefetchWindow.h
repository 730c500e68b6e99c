// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- PrefetchWindow.h - how far ahead transfers go =========================//
//
// Duty: the solution of the prefetch problem: how many groups of fetches must be under way on a link at once,
// so that no computation waits for a fetch that could have begun earlier; and the fetch that needs so many.
// The problem is a ScheduleProblem, whose transfers take a latency and their bytes at the rate of a link.
//
// The window of a link is the number of groups under way. By Little's law (L = lambda W; J. D. C. Little, "A
// Proof for the Queuing Formula", Operations Research 9, 1961) it is the rate lambda at which users consume
// groups, times the time W from a fetch's begin to its user. If the users follow each other at one period,
// the window is ceil(W / period): the bandwidth-delay product of RFC 1072, in groups instead of packets. The
// users of a step do not, so that both factors are taken from a schedule of the problem. In that schedule
// memory and credits are unlimited, all Work begins as early as it can, and every fetch begins as late as it
// can without delaying any Work. The largest number of groups that are under way at once in it is enough.
// With one credit less, the fetch that begins as the last of so many would wait for the user of an older
// group, and be late for its own user.
// Units: seconds. Task numbers are indices. Threads: values; no sharing.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "planning/Schedule/ScheduleProblem.h"
#include <optional>

namespace windlass::planning {

/// Two moments are equal if they differ by no larger share of the schedule's length.
inline constexpr double kOneMoment = 1e-9;

struct LinkWindow {
  int64_t credits = 1; ///< the largest number of groups under way at once; 1 where nothing is fetched
  std::optional<uint32_t>
      fetch; ///< the one that begins as the last of so many; of several, the one that is under way longest
  uint32_t user = 0;  ///< the first Work that uses its group
  double seconds = 0; ///< from the fetch's begin to its user's begin: all hops between tiers
  double late = 0;    ///< by which it would be late with one credit less
  uint32_t longest =
      0; ///< the fetch that takes longest, of those under way when `fetch` begins, `fetch` included
  double longestAhead = 0; ///< seconds from its begin to its user's begin
};

struct PrefetchWindow {
  std::array<LinkWindow, kLinks.size()> links; ///< by Link
  std::vector<double> start;                   ///< per task, in that schedule

  const LinkWindow &of(Link link) const { return links[static_cast<size_t>(link)]; }
};

} // namespace windlass::planning
