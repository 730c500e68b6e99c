// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- ListScheduler.h - one event-driven pass over the tasks ================//
//
// Duty: finds the order in which tasks are issued under one setting of credits. Each lane runs one task at a
// time. An idle lane issues the ready task that stands first in program order, of those that may be issued.
// Before that goes a drain whose first user is on another lane, if that lane would run out of work while the
// drain runs: so the host computes from its first gradients on, while results still leave the device.
// The first task of all that is not issued yet may always be issued; another task only if all remaining
// tasks, in program order behind it, still fit memory.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "planning/Schedule/FetchGroups.h"
#include "planning/Schedule/LiveProfile.h"
#include <queue>
#include <set>

namespace windlass::planning {

class ListScheduler {
public:
  /// Bytes, credits or groups without a limit; sums of a few of them do not overflow.
  static constexpr int64_t kNoLimit = int64_t(1) << 60;

  /// The problem must be well formed and fit in program order. `capacity`: live bytes per tier. `ofPasses`:
  /// the most groups under way on a link that forward and backward passes use, beside the credits of all
  /// groups.
  ListScheduler(const ScheduleProblem &problem, const Credits &credits,
                const std::array<int64_t, 3> &capacity, int64_t ofPasses = kNoLimit);

  std::vector<uint32_t> order();
  /// The largest number of groups that were under way at once, by link.
  const Credits &most() const { return mostOpen; }
  /// The bytes per tier with which the order is the same; of a tier that some task waited for, its capacity.
  const std::array<int64_t, 3> &enough() const { return needed; }

private:
  struct BufferState {
    uint32_t first = 0, last = 0; ///< users in program order
    uint32_t unfinished = 0;      ///< users
    bool live = false;
  };
  struct LaneState {
    bool busy = false;
    double until = 0;                   ///< when the last task that was issued ends
    double waiting = 0;                 ///< seconds of the ready tasks that are not issued
    std::set<uint32_t> fetches, others; ///< ready, not issued
    std::set<uint32_t> feeding;         ///< those of `others` that are drains with a lane to feed
  };
  struct Ending {
    double time = 0;
    uint32_t task = 0;
    bool operator>(const Ending &other) const {
      return std::tie(time, task) > std::tie(other.time, other.task);
    }
  };

  void findFed();
  void findConsumers();
  void open(Link link, size_t group);
  void findBuffers();
  void makeReady(uint32_t task);
  std::optional<uint32_t> candidate(LaneState &lane);
  std::optional<uint32_t> urgent(const LaneState &lane);
  bool isStarving(plan::Lane lane, double seconds) const;
  bool creditsAllow(uint32_t task) const;
  bool reserve(uint32_t task);
  void issue(uint32_t task);
  void complete(uint32_t task);

  const ScheduleProblem &problem;
  Credits credits;
  int64_t ofPasses;
  std::array<int64_t, 3> capacity;
  std::vector<LaneState> lanes;
  std::vector<std::vector<uint32_t>> successors;
  std::vector<std::optional<plan::Lane>> feeds; ///< per drain: the lane of its first user, if another
  std::vector<uint32_t> missing;                ///< predecessors not complete
  std::vector<char> issued;
  uint32_t frontier = 0; ///< the first task that is not issued
  int32_t phase = 0;     ///< latest of the Work issued
  std::vector<BufferState> buffers;
  std::vector<LiveProfile> profile;
  std::array<int64_t, 3> live{}, needed{};
  std::vector<uint32_t> consumer;                          ///< per group: first Work that uses it
  std::array<std::vector<char>, kLinks.size()> openGroups; ///< per link and group: fetched, not consumed
  std::vector<char> isOfPasses;                            ///< per group: its first Work is no update
  Credits openCount{0, 0, 0}, openOfPasses{0, 0, 0}, mostOpen{1, 1, 1};
  std::vector<std::vector<int32_t>> consumes; ///< per task: groups
  std::priority_queue<Ending, std::vector<Ending>, std::greater<>> running;
  double now = 0;
};

} // namespace windlass::planning
