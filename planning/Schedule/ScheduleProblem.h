// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- ScheduleProblem.h - the problem of the order of operations ============//
//
// Duty: the problem (the tasks of one section in program order, the predecessors and buffers of each, credits
// that limit how far fetches run ahead, capacities), the solution (an order) and the text form of the
// problem.
// Units: seconds, bytes of one rank. Task and buffer numbers are indices. Threads: values; no sharing.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/base/Status.h"
#include "runtime/plan/Enums.h"
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace windlass::planning {

enum class TaskKind : uint8_t {
  Work,  ///< launch, feed, report
  Fetch, ///< read, upload, all_gather: moves forward as far as credits and memory allow
  Drain, ///< reduce_scatter, offload, write: later Work may be issued before it
};

/// The phase of updates; the passes have smaller numbers.
inline constexpr int32_t kUpdatePhase = 2;

struct Task {
  plan::Lane lane = plan::Lane::Compute;
  TaskKind kind = TaskKind::Work;
  double seconds = 0;
  int32_t group = -1;                 ///< Fetch: the number of its group, whose fetches have one user
  std::vector<uint32_t> predecessors; ///< tasks that must be complete first; all earlier in program order
  std::vector<uint32_t> buffers;      ///< buffers it reads or writes
  int32_t phase = 0;                  ///< Work: forward 0, backward 1, kUpdatePhase
  int32_t notBefore = 0;              ///< Fetch: issued behind the first Work of this phase or a later one
};

/// A buffer that is live from its first user in the order to its last.
struct TaskBuffer {
  plan::Tier tier = plan::Tier::Device;
  int64_t bytes = 0;
};

/// A link that fetches use. Each has one lane, except Gg, the link of gathers from other ranks, which has a
/// second lane for groups of ranks that are no neighbours.
enum class Link : uint8_t { Nc, Cg, Gg };
inline constexpr std::array kLinks = {Link::Nc, Link::Cg, Link::Gg};

/// Per link: how many groups may be under way. A group is under way from its first fetch on, until the first
/// Work that uses it is issued.
struct Credits {
  int64_t nc = 2, cg = 2, gg = 2;

  int64_t &of(Link link) { return link == Link::Nc ? nc : link == Link::Cg ? cg : gg; }
  int64_t of(Link link) const { return Credits(*this).of(link); }
  bool operator==(const Credits &) const = default;
};

struct ScheduleProblem {
  std::vector<Task> tasks;
  std::vector<TaskBuffer> buffers;
  Credits credits;
  std::array<int64_t, 3> capacity{}; ///< bytes per tier for buffers, without homes
  bool overlap = true;               ///< false: program order is kept
  /// Whether forward and backward passes fetch no farther ahead than is of use where live bytes fill a tier.
  bool sparesPasses = false;
};

struct ScheduleSolution {
  std::vector<uint32_t> order; ///< task numbers; a topological order
  std::vector<double> start;   ///< per task, if lanes run in this order
  double makespan = 0;
  double lowerBound = 0;                   ///< max(critical path, busiest lane)
  std::array<double, plan::kLanes> busy{}; ///< seconds per plan::Lane
  std::array<int64_t, 3> peak{};           ///< largest sum of live bytes per tier, along the order
  Credits credits;                         ///< with which the order was found
  Credits reach{1, 1, 1}; ///< the most groups under way in the order found with all credits of the problem
  bool fits = true;       ///< peak <= capacity; false only if program order does not fit either
  /// With these bytes per tier, or any more up to the capacity, the problem has the same solution. With fewer
  /// than all bytes of the capacity it has this solution whether passes are spared or not.
  std::array<int64_t, 3> enough{};
};

std::string printSchedule(const ScheduleProblem &problem);
Result<ScheduleProblem> parseSchedule(std::string_view text);

} // namespace windlass::planning
