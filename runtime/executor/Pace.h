// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Pace.h - links that take as long as they would elsewhere ==============//
//
// Duty: on a CPU, copies between tiers are made by the cores that compute, so
// overlap measures nothing. A pace gives every link one clock, shared by all
// ranks and depths on it: a transfer is complete at
//   max(real completion, max(start, link free) + bytes / rate + latency),
// and the waiting thread sleeps. Kernels are never paced; numbers stay the same.
// Units: bytes, seconds. Threads: any, after the links are set.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/plan/Enums.h"
#include <array>
#include <chrono>
#include <cstdint>
#include <mutex>

namespace windlass {

struct Pace {
  using Clock = std::chrono::steady_clock;

  /// Gives the link behind a transfer lane its rate; lanes without a rate are not paced.
  void setLink(plan::Lane lane, double bytesPerSecond, double latencySeconds);

  /// Books a transfer that starts now and returns the earliest moment it may be complete. The link is
  /// busy for bytes / rate; latencies of transfers in flight overlap.
  Clock::time_point book(plan::Lane lane, int64_t bytes);

private:
  struct Link {
    double bytesPerSecond = 0, latencySeconds = 0;
    Clock::time_point free{};
  };
  /// One node has no links to others: what crosses groups then goes over those inside.
  Link &linkOf(plan::Lane lane);

  std::mutex mutex;
  std::array<Link, plan::kLanes> links{};
};

} // namespace windlass
