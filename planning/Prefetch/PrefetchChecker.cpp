// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "planning/Prefetch/PrefetchChecker.h"

#include "runtime/plan/Enums.h"
#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

namespace windlass::planning {
namespace {

std::string task(size_t index) { return "task " + std::to_string(index); }

/// A group on a link: the begin of its first fetch there, and its user.
struct Stay {
  double begin = 0, end = 0;
  int32_t group = 0;
  uint32_t user = 0, fetch = 0;
};

class Checker {
public:
  Checker(const ScheduleProblem &problem, const PrefetchWindow &window)
      : tasks(problem.tasks), window(window), start(window.start), successors(problem.tasks.size()) {}

  Status run() {
    if (start.size() != tasks.size())
      return Status::internal(std::to_string(start.size()) + " of " + std::to_string(tasks.size()) +
                              " tasks have a start");
    for (uint32_t index = 0; index < tasks.size(); ++index) {
      last = std::max(last, end(index));
      onLane[tasks[index].lane].emplace(start[index], end(index), index);
      for (uint32_t before : tasks[index].predecessors)
        successors[before].push_back(index);
    }
    grain = kOneMoment * last;
    WINDLASS_TRY(checkTimes());
    for (uint32_t index = 0; index < tasks.size(); ++index)
      if (tasks[index].kind == TaskKind::Fetch && !isLatest(index))
        return Status::internal(task(index) + " could begin later");
    findUsers();
    using plan::Lane;
    WINDLASS_TRY(checkWindow(window.of(Link::Nc), {Lane::NcIn}).in("link nc"));
    WINDLASS_TRY(checkWindow(window.of(Link::Cg), {Lane::CgIn}).in("link cg"));
    return checkWindow(window.of(Link::Gg), {Lane::Gg, Lane::Nodes}).in("link gg");
  }

private:
  double end(uint32_t index) const { return start[index] + tasks[index].seconds; }

  Status checkTimes() const {
    for (uint32_t index = 0; index < tasks.size(); ++index)
      for (uint32_t before : tasks[index].predecessors)
        if (end(before) > start[index] + grain)
          return Status::internal(task(index) + " starts before its predecessor, " + task(before) + ", ends");
    for (const auto &[lane, placed] : onLane)
      for (auto now = placed.begin(), next = now; ++next != placed.end(); now = next)
        if (std::get<1>(*now) > std::get<0>(*next) + grain)
          return Status::internal(task(std::get<2>(*next)) + " starts before " + task(std::get<2>(*now)) +
                                  " leaves lane \"" + std::string(plan::textOf(lane)) + "\"");
    return Status::ok();
  }

  /// Whether something begins where the fetch ends: a successor, another task of its lane, or nothing any
  /// more.
  bool isLatest(uint32_t index) const {
    const double ends = end(index);
    if (ends >= last - grain)
      return true;
    for (uint32_t next : successors[index])
      if (start[next] <= ends + grain)
        return true;
    const std::set<Placed> &lane = onLane.at(tasks[index].lane);
    auto next = lane.lower_bound({ends - grain, 0, 0});
    if (next != lane.end() && std::get<2>(*next) == index)
      ++next;
    return next != lane.end() && std::get<0>(*next) <= ends + grain;
  }

  /// Finds the users: each task passes the groups of its predecessors on, until some Work uses them.
  void findUsers() {
    std::vector<std::set<int32_t>> carries(tasks.size());
    for (uint32_t index = 0; index < tasks.size(); ++index) {
      const Task &now = tasks[index];
      if (now.kind == TaskKind::Fetch && now.group >= 0)
        carries[index].insert(now.group);
      for (uint32_t before : now.predecessors)
        for (int32_t group : carries[before])
          if (now.kind == TaskKind::Work)
            users.emplace(group, index);
          else
            carries[index].insert(group);
    }
  }

  std::vector<Stay> staysOn(const std::set<plan::Lane> &lanes) const {
    std::map<int32_t, Stay> stays;
    for (uint32_t index = 0; index < tasks.size(); ++index) {
      auto user = users.find(tasks[index].group);
      if (!lanes.contains(tasks[index].lane) || tasks[index].kind != TaskKind::Fetch || user == users.end())
        continue;
      Stay now{start[index], start[user->second], user->first, user->second, index};
      Stay &first = stays.emplace(user->first, now).first->second;
      if (now.begin < first.begin)
        first = now;
    }
    std::vector<Stay> all;
    for (auto &[group, stay] : stays)
      if (stay.begin + grain < stay.end)
        all.push_back(stay);
    return all;
  }

  Status checkWindow(const LinkWindow &claimed, const std::set<plan::Lane> &lanes) const {
    const std::vector<Stay> stays = staysOn(lanes);
    if (stays.empty() || !claimed.fetch)
      return stays.empty() && !claimed.fetch && claimed.credits == 1
                 ? Status::ok()
                 : Status::internal("a fetch is named where there are none, or none where there are");
    std::vector<double> begins, ends;
    for (const Stay &stay : stays) {
      begins.push_back(stay.begin);
      ends.push_back(stay.end);
    }
    std::sort(begins.begin(), begins.end());
    std::sort(ends.begin(), ends.end());
    auto underWay = [&](double now) {
      return (std::upper_bound(begins.begin(), begins.end(), now) - begins.begin()) -
             (std::upper_bound(ends.begin(), ends.end(), now + grain) - ends.begin());
    };
    int64_t most = 1;
    for (double begin : begins)
      most = std::max<int64_t>(most, underWay(begin));
    if (most != claimed.credits)
      return Status::internal(std::to_string(most) + " groups are under way at once, not " +
                              std::to_string(claimed.credits));
    auto decided = std::find_if(stays.begin(), stays.end(), [&](const Stay &stay) {
      return *claimed.fetch < tasks.size() && stay.group == tasks[*claimed.fetch].group;
    });
    if (decided == stays.end() || (most > 1 && underWay(decided->begin) != most))
      return Status::internal(task(*claimed.fetch) + " is not the last of " + std::to_string(most));
    return checkDecided(claimed, *decided, stays);
  }

  Status checkDecided(const LinkWindow &claimed, const Stay &decided, const std::vector<Stay> &stays) const {
    if (decided.user != claimed.user || std::abs(decided.end - decided.begin - claimed.seconds) > grain)
      return Status::internal(task(*claimed.fetch) + " begins " +
                              std::to_string(decided.end - decided.begin) + " s before its user, task " +
                              std::to_string(decided.user));
    double first = last; // the earliest user of the groups under way when it begins
    for (const Stay &stay : stays)
      if (stay.group != decided.group && stay.begin <= decided.begin && stay.end > decided.begin + grain)
        first = std::min(first, stay.end);
    const double late = claimed.credits > 1 ? first - decided.begin : 0;
    if (std::abs(late - claimed.late) > grain)
      return Status::internal("with one credit less " + task(*claimed.fetch) + " begins " +
                              std::to_string(late) + " s later, not " + std::to_string(claimed.late));
    return checkLongest(claimed, decided, stays);
  }

  Status checkLongest(const LinkWindow &claimed, const Stay &decided, const std::vector<Stay> &stays) const {
    double longest = 0, ahead = -1;
    for (const Stay &stay : stays) {
      if (stay.begin > decided.begin || stay.end <= decided.begin + grain)
        continue;
      longest = std::max(longest, tasks[stay.fetch].seconds);
      if (stay.fetch == claimed.longest)
        ahead = stay.end - stay.begin;
    }
    if (ahead < 0 || tasks[claimed.longest].seconds < longest)
      return Status::internal(task(claimed.longest) + " is not the longest that is under way with " +
                              task(*claimed.fetch));
    if (std::abs(ahead - claimed.longestAhead) > grain)
      return Status::internal(task(claimed.longest) + " begins " + std::to_string(ahead) +
                              " s before its user");
    return Status::ok();
  }

  using Placed = std::tuple<double, double, uint32_t>; ///< start, end, task

  const std::vector<Task> &tasks;
  const PrefetchWindow &window;
  const std::vector<double> &start;
  std::vector<std::vector<uint32_t>> successors;
  std::map<plan::Lane, std::set<Placed>> onLane;
  std::map<int32_t, uint32_t> users; ///< by group: the first Work that uses it
  double last = 0, grain = 0;
};

} // namespace

Status checkPrefetch(const ScheduleProblem &problem, const PrefetchWindow &window) {
  return Checker(problem, window).run();
}

} // namespace windlass::planning
