// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "planning/Schedule/ListScheduler.h"

#include <algorithm>

namespace windlass::planning {
namespace {

/// A lane stays idle if so many of its first ready tasks may not be issued.
constexpr int kLookPast = 8;

size_t at(plan::Tier tier) { return static_cast<size_t>(tier); }
size_t at(Link link) { return static_cast<size_t>(link); }

} // namespace

ListScheduler::ListScheduler(const ScheduleProblem &problem, const Credits &credits,
                             const std::array<int64_t, 3> &capacity, int64_t ofPasses)
    : problem(problem), credits(credits), ofPasses(ofPasses), capacity(capacity), lanes(plan::kLanes),
      successors(problem.tasks.size()), missing(problem.tasks.size()), issued(problem.tasks.size()),
      consumes(problem.tasks.size()) {
  for (uint32_t task = 0; task < problem.tasks.size(); ++task) {
    missing[task] = static_cast<uint32_t>(problem.tasks[task].predecessors.size());
    for (uint32_t before : problem.tasks[task].predecessors)
      successors[before].push_back(task);
  }
  findFed();
  findConsumers();
  findBuffers();
}

void ListScheduler::findFed() {
  feeds.resize(problem.tasks.size());
  for (uint32_t task = 0; task < problem.tasks.size(); ++task)
    if (problem.tasks[task].kind == TaskKind::Drain && !successors[task].empty())
      if (const plan::Lane lane = problem.tasks[successors[task].front()].lane;
          lane != problem.tasks[task].lane)
        feeds[task] = lane;
}

void ListScheduler::findConsumers() {
  consumer = firstUsers(problem);
  isOfPasses.assign(consumer.size(), 0);
  for (size_t group = 0; group < consumer.size(); ++group)
    if (consumer[group] != kNobody) {
      consumes[consumer[group]].push_back(static_cast<int32_t>(group));
      isOfPasses[group] = problem.tasks[consumer[group]].phase < kUpdatePhase;
    }
  for (std::vector<char> &groups : openGroups)
    groups.assign(consumer.size(), 0);
}

void ListScheduler::findBuffers() {
  buffers.resize(problem.buffers.size());
  for (size_t tier = 0; tier < problem.capacity.size(); ++tier) {
    const bool hasBuffers = std::any_of(problem.buffers.begin(), problem.buffers.end(),
                                        [&](const TaskBuffer &buffer) { return at(buffer.tier) == tier; });
    profile.emplace_back(hasBuffers ? problem.tasks.size() : 0);
  }
  for (uint32_t task = 0; task < problem.tasks.size(); ++task)
    for (uint32_t index : problem.tasks[task].buffers) {
      BufferState &buffer = buffers[index];
      if (buffer.unfinished++ == 0)
        buffer.first = task;
      buffer.last = task;
    }
  for (size_t i = 0; i < buffers.size(); ++i)
    if (buffers[i].unfinished > 0)
      profile[at(problem.buffers[i].tier)].add(buffers[i].first, buffers[i].last + 1,
                                               problem.buffers[i].bytes);
}

void ListScheduler::makeReady(uint32_t task) {
  LaneState &lane = lanes[static_cast<size_t>(problem.tasks[task].lane)];
  (problem.tasks[task].kind == TaskKind::Fetch ? lane.fetches : lane.others).insert(task);
  lane.waiting += problem.tasks[task].seconds;
  if (feeds[task])
    lane.feeding.insert(task);
}

bool ListScheduler::creditsAllow(uint32_t index) const {
  const Task &task = problem.tasks[index];
  if (task.kind != TaskKind::Fetch || index == frontier)
    return true;
  if (task.notBefore > phase)
    return false;
  std::optional<Link> link = linkOf(task.lane);
  if (!link || task.group < 0)
    return true;
  size_t group = static_cast<size_t>(task.group);
  bool counts = consumer[group] != kNobody && !issued[consumer[group]] && !openGroups[at(*link)][group];
  return !counts || (openCount.of(*link) < credits.of(*link) &&
                     (!isOfPasses[group] || openOfPasses.of(*link) < ofPasses));
}

/// Reserves the memory that the task begins to use. False: the task, or the remaining tasks, would not fit.
bool ListScheduler::reserve(uint32_t index) {
  std::vector<uint32_t> taken;
  for (uint32_t buffer : problem.tasks[index].buffers)
    if (!buffers[buffer].live)
      taken.push_back(buffer);
  auto take = [&](int64_t sign) {
    for (uint32_t buffer : taken) {
      size_t tier = at(problem.buffers[buffer].tier);
      int64_t bytes = sign * problem.buffers[buffer].bytes;
      live[tier] += bytes;
      profile[tier].add(0, buffers[buffer].first, bytes);
    }
  };
  take(1);
  for (uint32_t buffer : taken) {
    size_t tier = at(problem.buffers[buffer].tier);
    if (live[tier] > capacity[tier] || profile[tier].largest() > capacity[tier]) {
      take(-1);
      needed[tier] = capacity[tier];
      return false;
    }
  }
  for (uint32_t buffer : taken) {
    const size_t tier = at(problem.buffers[buffer].tier);
    needed[tier] = std::max({needed[tier], live[tier], profile[tier].largest()});
    buffers[buffer].live = true;
  }
  return true;
}

/// Whether a lane runs out of work within so many seconds.
bool ListScheduler::isStarving(plan::Lane lane, double seconds) const {
  const LaneState &state = lanes[static_cast<size_t>(lane)];
  return std::max(state.until - now, 0.0) + state.waiting <= seconds;
}

/// The first drain that feeds a lane which would run out of work meanwhile; its memory is then reserved.
std::optional<uint32_t> ListScheduler::urgent(const LaneState &lane) {
  int looked = 0;
  for (uint32_t task : lane.feeding) {
    if (looked++ == kLookPast)
      break;
    if (isStarving(*feeds[task], problem.tasks[task].seconds) && reserve(task))
      return task;
  }
  return std::nullopt;
}

/// The first ready task of the lane that may be issued now; its memory is then reserved.
std::optional<uint32_t> ListScheduler::candidate(LaneState &lane) {
  if (std::optional<uint32_t> task = urgent(lane))
    return task;
  auto fetch = lane.fetches.begin(), other = lane.others.begin();
  for (int looked = 0; looked < 2 * kLookPast; ++looked) {
    bool noFetch = fetch == lane.fetches.end() || looked >= kLookPast;
    if (noFetch && other == lane.others.end())
      return std::nullopt;
    bool takeFetch = !noFetch && (other == lane.others.end() || *fetch < *other);
    uint32_t task = takeFetch ? *fetch++ : *other++;
    if (!creditsAllow(task))
      continue;
    if (reserve(task))
      return task;
    if (takeFetch)
      fetch = lane.fetches.end(); // a later fetch must not take the memory that an earlier fetch waits for
  }
  return std::nullopt;
}

void ListScheduler::issue(uint32_t index) {
  const Task &task = problem.tasks[index];
  LaneState &lane = lanes[static_cast<size_t>(task.lane)];
  lane.busy = true;
  lane.until = now + task.seconds;
  lane.waiting -= task.seconds;
  lane.feeding.erase(index);
  (task.kind == TaskKind::Fetch ? lane.fetches : lane.others).erase(index);
  issued[index] = 1;
  while (frontier < issued.size() && issued[frontier])
    ++frontier;
  for (LiveProfile &tier : profile)
    if (!tier.isEmpty())
      tier.retire(index);
  running.push({now + task.seconds, index});
  if (std::optional<Link> link = linkOf(task.lane); task.kind == TaskKind::Fetch && link && task.group >= 0)
    open(*link, static_cast<size_t>(task.group));
  if (task.kind != TaskKind::Work)
    return;
  phase = std::max(phase, task.phase);
  for (int32_t group : consumes[index])
    for (Link each : kLinks)
      if (std::exchange(openGroups[at(each)][static_cast<size_t>(group)], 0)) {
        --openCount.of(each);
        openOfPasses.of(each) -= isOfPasses[static_cast<size_t>(group)];
      }
}

void ListScheduler::open(Link link, size_t group) {
  char &isOpen = openGroups[at(link)][group];
  if (isOpen || consumer[group] == kNobody || issued[consumer[group]])
    return;
  isOpen = 1;
  openOfPasses.of(link) += isOfPasses[group];
  mostOpen.of(link) = std::max(mostOpen.of(link), ++openCount.of(link));
}

void ListScheduler::complete(uint32_t index) {
  const Task &task = problem.tasks[index];
  lanes[static_cast<size_t>(task.lane)].busy = false;
  for (uint32_t i : task.buffers) {
    BufferState &buffer = buffers[i];
    if (--buffer.unfinished > 0)
      continue;
    size_t tier = at(problem.buffers[i].tier);
    live[tier] -= problem.buffers[i].bytes;
    profile[tier].add(0, buffer.last + 1, -problem.buffers[i].bytes);
  }
  for (uint32_t next : successors[index])
    if (--missing[next] == 0)
      makeReady(next);
}

std::vector<uint32_t> ListScheduler::order() {
  std::vector<uint32_t> result;
  result.reserve(problem.tasks.size());
  for (uint32_t task = 0; task < problem.tasks.size(); ++task)
    if (missing[task] == 0)
      makeReady(task);
  while (true) {
    size_t batch = result.size();
    for (bool any = true; any;) {
      any = false;
      for (LaneState &lane : lanes)
        if (!lane.busy)
          if (std::optional<uint32_t> task = candidate(lane)) {
            issue(*task);
            result.push_back(*task);
            any = true;
          }
    }
    std::sort(result.begin() + static_cast<int64_t>(batch),
              result.end()); // tasks issued at one moment keep program order
    if (running.empty())
      return result;
    now = running.top().time;
    while (!running.empty() && running.top().time <= now) {
      uint32_t task = running.top().task;
      running.pop();
      complete(task);
    }
  }
}

} // namespace windlass::planning
