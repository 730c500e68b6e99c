// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "planning/Schedule/ScheduleSolver.h"

#include "planning/Schedule/ListScheduler.h"
#include "runtime/base/Units.h"
#include <algorithm>
#include <cmath>
#include <numeric>

namespace windlass::planning {
namespace {

/// The numbers of groups are below this.
constexpr int32_t kMostGroups = 1 << 24;
/// The most settings of credits for which an order is made.
constexpr int kMostSettings = 4;
/// After so many orders in a row that are no better, orders with fewer credits are not tried.
constexpr int kMostFruitless = 3;
/// An order that takes no larger share of its bound more than the bound is good enough.
constexpr double kNearBound = 1e-3;
/// Credits of the groups of passes that are tried, on every link.
constexpr std::array<int64_t, 3> kFewOfPasses = {4, 16, 64};
/// A tier is full where live bytes leave less than one part in so many.
constexpr int64_t kFullBelow = 4;

Status validate(const ScheduleProblem &problem) {
  auto wrong = [](size_t task, const std::string &what) {
    return Status::badInput("task " + std::to_string(task) + ": " + what);
  };
  for (size_t i = 0; i < problem.tasks.size(); ++i) {
    const Task &task = problem.tasks[i];
    if (!(task.seconds >= 0) || !std::isfinite(task.seconds))
      return wrong(i, "seconds must be zero or more");
    if (task.group >= kMostGroups)
      return wrong(i, "group must be below " + std::to_string(kMostGroups) + ", is " +
                          std::to_string(task.group));
    for (uint32_t before : task.predecessors)
      if (before >= i)
        return wrong(i, "predecessor " + std::to_string(before) + " does not stand before it");
    for (uint32_t buffer : task.buffers)
      if (buffer >= problem.buffers.size())
        return wrong(i, "there is no buffer " + std::to_string(buffer));
    std::vector<uint32_t> sorted = task.buffers;
    std::sort(sorted.begin(), sorted.end());
    if (std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end())
      return wrong(i, "a buffer is named twice");
  }
  int64_t total = 0;
  for (size_t i = 0; i < problem.buffers.size(); ++i) {
    if (problem.buffers[i].bytes < 0 || problem.buffers[i].bytes > (int64_t(1) << 60) - total)
      return Status::badInput("buffer " + std::to_string(i) +
                              ": bytes must be zero or more and 2^60 in all, is " +
                              std::to_string(problem.buffers[i].bytes));
    total += problem.buffers[i].bytes;
  }
  return Status::ok();
}

/// The longest chain of predecessors, or the busiest lane.
double lowerBound(const ScheduleProblem &problem) {
  std::vector<double> end(problem.tasks.size());
  std::array<double, plan::kLanes> busy{};
  double bound = 0;
  for (size_t i = 0; i < problem.tasks.size(); ++i) {
    const Task &task = problem.tasks[i];
    for (uint32_t before : task.predecessors)
      end[i] = std::max(end[i], end[before]);
    end[i] += task.seconds;
    busy[static_cast<size_t>(task.lane)] += task.seconds;
    bound = std::max(bound, end[i]);
  }
  return std::max(bound, *std::max_element(busy.begin(), busy.end()));
}

bool isNearBound(const ScheduleSolution &solution) {
  return solution.makespan <= solution.lowerBound * (1 + kNearBound);
}

std::vector<uint32_t> programOrder(const ScheduleProblem &problem) {
  std::vector<uint32_t> order(problem.tasks.size());
  std::iota(order.begin(), order.end(), 0u);
  return order;
}

std::array<int64_t, 3> peakAlong(const ScheduleProblem &problem, const std::vector<uint32_t> &order) {
  std::vector<uint32_t> left(problem.buffers.size());
  std::vector<char> live(problem.buffers.size());
  for (const Task &task : problem.tasks)
    for (uint32_t buffer : task.buffers)
      ++left[buffer];
  std::array<int64_t, 3> now{}, peak{};
  for (uint32_t task : order) {
    for (uint32_t buffer : problem.tasks[task].buffers)
      if (!std::exchange(live[buffer], 1))
        now[static_cast<size_t>(problem.buffers[buffer].tier)] += problem.buffers[buffer].bytes;
    for (size_t tier = 0; tier < peak.size(); ++tier)
      peak[tier] = std::max(peak[tier], now[tier]);
    for (uint32_t buffer : problem.tasks[task].buffers)
      if (--left[buffer] == 0)
        now[static_cast<size_t>(problem.buffers[buffer].tier)] -= problem.buffers[buffer].bytes;
  }
  return peak;
}

/// Half of more than 4 credits, else one less; no more than were under way with these credits (`most`).
Credits lowered(const Credits &credits, const Credits &most) {
  Credits less;
  for (Link link : kLinks) {
    const int64_t now = credits.of(link);
    less.of(link) = std::clamp<int64_t>(now > 4 ? now / 2 : now - 1, 1, most.of(link));
  }
  return less;
}

/// The next credits to try. As many as were under way at once on every link nearly always give the same order
/// again. Nothing after 1 on every link.
std::optional<Credits> lessThan(const Credits &credits, const Credits &most) {
  Credits less = lowered(credits, most);
  if (less == most)
    less = lowered(less, most);
  return less == credits || less == most ? std::nullopt : std::optional(less);
}

} // namespace

/// `bound`: lowerBound() of the problem.
static ScheduleSolution simulate(const ScheduleProblem &problem, std::vector<uint32_t> order, double bound) {
  ScheduleSolution solution;
  solution.start.assign(problem.tasks.size(), 0);
  std::array<double, plan::kLanes> free{};
  for (uint32_t index : order) {
    const Task &task = problem.tasks[index];
    size_t lane = static_cast<size_t>(task.lane);
    double start = free[lane];
    for (uint32_t before : task.predecessors)
      start = std::max(start, solution.start[before] + problem.tasks[before].seconds);
    solution.start[index] = start;
    free[lane] = start + task.seconds;
    solution.busy[lane] += task.seconds;
    solution.makespan = std::max(solution.makespan, free[lane]);
  }
  solution.peak = peakAlong(problem, order);
  for (size_t tier = 0; tier < solution.peak.size(); ++tier)
    solution.fits &= solution.peak[tier] <= problem.capacity[tier];
  solution.lowerBound = bound;
  solution.credits = problem.credits;
  solution.order = std::move(order);
  return solution;
}

ScheduleSolution simulateOrder(const ScheduleProblem &problem, std::vector<uint32_t> order) {
  return simulate(problem, std::move(order), lowerBound(problem));
}

std::array<int64_t, 3> programOrderPeak(const ScheduleProblem &problem) {
  return peakAlong(problem, programOrder(problem));
}

namespace {

/// The orders of one problem that are tried, and the best of them.
class OrderSearch {
public:
  explicit OrderSearch(const ScheduleProblem &problem)
      : problem(problem), best(simulateOrder(problem, programOrder(problem))) {}

  ScheduleSolution run() {
    if (best.fits)
      best.enough = best.peak;
    if (problem.overlap && best.fits) {
      lowerCredits();
      sparePasses();
    }
    return std::move(best);
  }

private:
  /// Tries fewer and fewer credits.
  void lowerCredits() {
    std::optional<Credits> credits = problem.credits;
    for (Link link : kLinks)
      credits->of(link) = std::max<int64_t>(1, credits->of(link));
    best.reach = *credits; // of which no order needs any
    int fruitless = 0;     // orders in a row
    for (int tried = 0; credits && tried < kMostSettings && fruitless < kMostFruitless && !isNearBound(best);
         ++tried) {
      ListScheduler scheduler(problem, *credits, problem.capacity);
      ScheduleSolution next = orderOf(scheduler, *credits);
      if (tried == 0)
        next.reach = best.reach = scheduler.most();
      ++fruitless;
      if (next.fits && next.makespan < best.makespan) {
        take(std::move(next));
        fruitless = 0;
      }
      credits = lessThan(*credits, scheduler.most());
    }
  }

  /// Where live bytes fill a tier, takes an order about as fast as the best in which passes fetch less far
  /// ahead: what is fetched early lives long, and long lives pack badly. Credits are as many as the updates
  /// need, which wait for all gradients and then for their states.
  void sparePasses() {
    raiseEnough();
    if (!problem.sparesPasses || !mayBeSpared() || !isFull())
      return;
    const Credits credits = best.credits;
    const double most = best.makespan * (1 + kNearBound);
    for (int64_t few : kFewOfPasses) {
      if (few >= mostOf(credits))
        return;
      ListScheduler scheduler(problem, credits, problem.capacity, few);
      ScheduleSolution next = orderOf(scheduler, credits);
      if (next.fits && next.makespan <= most)
        return take(std::move(next));
    }
  }

  static int64_t mostOf(const Credits &credits) { return std::max({credits.nc, credits.cg, credits.gg}); }

  /// Whether the best order fetches ahead, and by more than the fewest credits of passes.
  bool mayBeSpared() const {
    return kFewOfPasses.front() < mostOf(best.credits) && !std::ranges::is_sorted(best.order);
  }

  /// Counts that passes may be spared with fewer bytes: enough bytes leave no tier full. If one is full with
  /// all bytes, and passes are not spared, no fewer bytes are enough.
  void raiseEnough() {
    if (!mayBeSpared())
      return;
    const bool isFilled = isFull();
    for (size_t tier = 0; tier < best.enough.size(); ++tier) {
      const int64_t room = (best.peak[tier] + kFullBelow - 2) / (kFullBelow - 1);
      if (!isFilled)
        best.enough[tier] =
            std::max(best.enough[tier], std::min(best.peak[tier] + room, problem.capacity[tier]));
      else if (!problem.sparesPasses)
        best.enough[tier] = problem.capacity[tier];
    }
  }

  /// Whether live bytes of the best order fill some tier.
  bool isFull() const {
    for (size_t tier = 0; tier < best.peak.size(); ++tier)
      if (best.peak[tier] > problem.capacity[tier] - problem.capacity[tier] / kFullBelow)
        return true;
    return false;
  }

  ScheduleSolution orderOf(ListScheduler &scheduler, const Credits &credits) {
    ScheduleSolution next = simulate(problem, scheduler.order(), best.lowerBound);
    next.credits = credits;
    next.reach = best.reach;
    for (size_t tier = 0; tier < best.enough.size(); ++tier)
      best.enough[tier] = std::max({best.enough[tier], scheduler.enough()[tier],
                                    next.peak[tier] <= problem.capacity[tier] ? next.peak[tier] : 0});
    return next;
  }

  void take(ScheduleSolution next) {
    next.enough = best.enough;
    best = std::move(next);
  }

  const ScheduleProblem &problem;
  ScheduleSolution best;
};

} // namespace

Result<ScheduleSolution> solveSchedule(const ScheduleProblem &problem) {
  WINDLASS_TRY(validate(problem));
  return OrderSearch(problem).run();
}

} // namespace windlass::planning
