// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "model/LaneState.h"

#include <algorithm>
#include <limits>
#include <optional>

namespace windlass::model {
namespace {

using plan::Lane;

constexpr double kNever = std::numeric_limits<double>::infinity();

size_t at(Lane lane) { return static_cast<size_t>(lane); }
bool isNvme(size_t lane) { return lane == at(Lane::NcIn) || lane == at(Lane::NcOut); }
bool isCollective(size_t lane) { return lane == at(Lane::Gg) || lane == at(Lane::Nodes); }

/// A section by lane.
struct LaneLists {
  std::array<std::vector<uint32_t>, kLanes> byLane; ///< task numbers
  uint32_t tasks = 0;
};

class Player {
public:
  Player(const TimedStep &step, Spans spans) : step(step), keepsSpans(spans == Spans::Kept) {}

  Result<PlayedTasks> run();

private:
  void unroll();
  uint32_t sectionOf(uint64_t run) const { return runs[run]; }
  TimeSpan &spanOf(size_t rank, const Flight &flight) {
    return result.spans[rank][spanBase[flight.run] + flight.number];
  }
  const TimedTask *nextTask(const LaneState &lane, size_t index) const;
  void skipEmptyRuns(LaneState &lane, size_t index) const;
  void passCompleteRuns(RankState &rank) const;
  bool mayStart(const RankState &rank, size_t index) const;
  bool isReached(const RankState &rank, uint64_t run, const TimedWait &wait) const;
  bool start(size_t rank, size_t index);
  void request(RankState &rank, LaneState &lane, Flight &flight, bool isRun);
  bool startCollectives(Lane lane);
  void startAll();
  void touch(size_t rank);
  void complete(size_t rank);
  void completeOne(size_t rank, LaneState &lane);
  void plan(RankState &rank) const;
  bool sharesLink(const RankState &rank) const;
  void passAlikeRuns();
  Status checkComplete() const;

  const TimedStep &step;
  bool keepsSpans;
  std::vector<LaneLists> lists;   ///< by section
  std::vector<uint32_t> runs;     ///< the section of each
  std::vector<TaskCounts> before; ///< of each run: tasks in the runs before it
  std::vector<size_t> spanBase;   ///< of each run: where its spans begin
  std::vector<RunRange> ranges;   ///< of each run: the runs of the schedule's entry that it is one of
  std::vector<RankState> ranks;
  std::vector<size_t> touched;
  std::array<size_t, kLanes> blocker{}; ///< collectives: a rank that was not there when last asked
  std::optional<Moment> earlier;        ///< the last at which a run of those that repeat ended
  double now = 0;
  PlayedTasks result;
};

void Player::unroll() {
  for (const TimedSection &section : step.sections) {
    lists.emplace_back();
    lists.back().tasks = static_cast<uint32_t>(section.tasks.size());
    for (uint32_t i = 0; i < section.tasks.size(); ++i)
      lists.back().byLane[at(section.tasks[i].lane)].push_back(i);
  }
  TaskCounts counts{};
  size_t spans = 0;
  for (const plan::SectionRuns &repeated : step.schedule) {
    const RunRange range{runs.size(), runs.size() + static_cast<uint64_t>(repeated.times)};
    for (int64_t i = 0; i < repeated.times; ++i) {
      ranges.push_back(range);
      runs.push_back(repeated.section);
      before.push_back(counts);
      spanBase.push_back(spans);
      spans += lists[repeated.section].tasks;
      for (size_t lane = 0; lane < kLanes; ++lane)
        counts[lane] += lists[repeated.section].byLane[lane].size();
    }
  }
  ranks.resize(static_cast<size_t>(step.ranks));
  for (RankState &rank : ranks) {
    for (size_t index = 0; index < kLanes; ++index)
      skipEmptyRuns(rank.lanes[index], index);
    for (uint64_t run = 0; run < std::min<uint64_t>(2, runs.size()); ++run)
      rank.open[run] = lists[sectionOf(run)].tasks;
    passCompleteRuns(rank);
  }
  if (keepsSpans)
    result.spans.assign(ranks.size(), std::vector<TimeSpan>(spans));
}

/// Null where the lane has started all of its tasks.
const TimedTask *Player::nextTask(const LaneState &lane, size_t index) const {
  if (lane.run == runs.size())
    return nullptr;
  const uint32_t section = sectionOf(lane.run);
  return &step.sections[section].tasks[lists[section].byLane[index][lane.place]];
}

void Player::skipEmptyRuns(LaneState &lane, size_t index) const {
  while (lane.run < runs.size() && lane.place == lists[sectionOf(lane.run)].byLane[index].size()) {
    ++lane.run;
    lane.place = 0;
  }
}

void Player::passCompleteRuns(RankState &rank) const {
  while (rank.completeRuns < runs.size() && rank.open[rank.completeRuns % 2] == 0) {
    const uint64_t afterNext = rank.completeRuns + 2;
    rank.open[rank.completeRuns % 2] = afterNext < runs.size() ? lists[sectionOf(afterNext)].tasks : 0;
    ++rank.completeRuns;
  }
}

bool Player::isReached(const RankState &rank, uint64_t run, const TimedWait &wait) const {
  if (wait.before != kSameRun) {
    if (run == 0 || sectionOf(run - 1) != wait.before)
      return true;
    --run;
  }
  return rank.lanes[at(wait.lane)].completed >= before[run][at(wait.lane)] + wait.ordinal;
}

bool Player::mayStart(const RankState &rank, size_t index) const {
  const LaneState &lane = rank.lanes[index];
  const size_t depth = isNvme(index) ? static_cast<size_t>(std::max<int64_t>(1, step.nvmeDepth)) : 1;
  const TimedTask *task = nextTask(lane, index);
  if (!task || lane.flights.size() >= depth || lane.run > rank.completeRuns + 1)
    return false;
  return std::ranges::all_of(task->waits,
                             [&](const TimedWait &wait) { return isReached(rank, lane.run, wait); });
}

/// Makes what the rank has under way hold for now, before any of it changes.
void Player::touch(size_t number) {
  RankState &rank = ranks[number];
  if (rank.isTouched)
    return;
  for (size_t index = 0; index < kLanes; ++index)
    if (LaneState &lane = rank.lanes[index]; !isNvme(index) && !lane.flights.empty())
      lane.flights.front().left -= (now - rank.settled) / rank.slowdown[index];
  rank.settled = now;
  rank.isTouched = true;
  touched.push_back(number);
}

/// A request keeps its direction's link busy for its bytes, behind a latency that overlaps with others.
void Player::request(RankState &rank, LaneState &lane, Flight &flight, bool isRun) {
  const double begin = lane.flights.empty() ? now : lane.flights.back().end;
  if (!isRun) {
    flight.end = lane.linkFree = std::max(now, lane.linkFree);
    return;
  }
  const double bytes = std::max(0.0, flight.task->seconds - step.nvmeLatency), there = now + step.nvmeLatency;
  lane.linkFree = std::max(there, lane.linkFree) + bytes;
  if (step.nvmeDuplex < 2) {
    rank.diskFree = std::max(there, rank.diskFree) + bytes / step.nvmeDuplex;
    lane.linkFree = std::max(lane.linkFree, rank.diskFree);
  }
  flight.end = lane.linkFree;
  flight.weight = flight.end > begin ? flight.task->requestWork / (flight.end - begin) : 0;
}

/// Starts what may start on the lane.
bool Player::start(size_t number, size_t index) {
  RankState &rank = ranks[number];
  LaneState &lane = rank.lanes[index];
  bool any = false;
  for (; mayStart(rank, index); any = true) {
    touch(number);
    const TimedTask *task = nextTask(lane, index);
    Flight flight{lane.run, lists[sectionOf(lane.run)].byLane[index][lane.place], task};
    const bool isRun =
        task->owner == kAllRanks || ranks.size() == 1 || task->owner == static_cast<int64_t>(number);
    flight.left = isRun ? task->seconds : 0;
    if (isNvme(index))
      request(rank, lane, flight, isRun && task->seconds > 0);
    if (keepsSpans)
      spanOf(number, flight).start = now;
    lane.flights.push_back(flight);
    ++lane.place;
    skipEmptyRuns(lane, index);
  }
  return any;
}

bool Player::startCollectives(Lane lane) {
  size_t &missing = blocker[at(lane)];
  if (!mayStart(ranks[missing], at(lane)))
    return false;
  for (size_t rank = 0; rank < ranks.size(); ++rank)
    if (!mayStart(ranks[rank], at(lane))) {
      missing = rank;
      return false;
    }
  for (size_t rank = 0; rank < ranks.size(); ++rank)
    start(rank, at(lane));
  return true;
}

/// On ranks where something changed, until nothing more may start. What takes no time is complete at once.
void Player::startAll() {
  for (bool any = true; any;) {
    any = startCollectives(Lane::Gg);
    any |= startCollectives(Lane::Nodes);
    for (size_t i = 0; i < touched.size(); ++i)
      for (size_t index = 0; index < kLanes; ++index)
        if (!isCollective(index))
          any |= start(touched[i], index);
    if (any)
      for (size_t rank : touched)
        complete(rank);
  }
}

void Player::completeOne(size_t number, LaneState &lane) {
  RankState &rank = ranks[number];
  const Flight &flight = lane.flights.front();
  if (keepsSpans)
    spanOf(number, flight).end = now;
  --rank.open[flight.run % 2];
  ++lane.completed;
  lane.flights.erase(lane.flights.begin());
  passCompleteRuns(rank);
}

/// What is due.
void Player::complete(size_t number) {
  const double grain = 1e-12 + now * 1e-12; // what rounding leaves over
  for (size_t index = 0; index < kLanes; ++index) {
    LaneState &lane = ranks[number].lanes[index];
    while (!lane.flights.empty() &&
           (isNvme(index) ? lane.flights.front().end <= now : lane.flights.front().left <= grain))
      completeOne(number, lane);
  }
}

/// Whether the collectives of both lanes are under way on the same link: each then has half of it.
bool Player::sharesLink(const RankState &rank) const {
  const std::vector<Flight> &inside = rank.lanes[at(Lane::Gg)].flights,
                            &across = rank.lanes[at(Lane::Nodes)].flights;
  return !inside.empty() && !across.empty() && inside.front().task->link == across.front().task->link;
}

/// How fast what is under way goes on, and when the first of it ends. What the disk's requests take of the
/// cores is gone for the others, who keep half: a fair scheduler gives the threads of the disk no more.
void Player::plan(RankState &rank) const {
  double asked = 0, disk = 0;
  for (size_t index = 0; index < kLanes; ++index)
    if (const std::vector<Flight> &flights = rank.lanes[index].flights; !flights.empty())
      (isNvme(index) ? disk : asked) += isNvme(index) ? flights.front().weight : step.coreWeight[index];
  const double onCores = std::max(1.0, asked / (1 - std::min(disk, 0.5)));
  const double onLink = sharesLink(rank) ? 2 : 1;
  rank.next = kNever;
  for (size_t index = 0; index < kLanes; ++index) {
    rank.slowdown[index] = step.coreWeight[index] > 0 ? onCores : isCollective(index) ? onLink : 1;
    if (const std::vector<Flight> &flights = rank.lanes[index].flights; !flights.empty())
      rank.next = std::min(rank.next, isNvme(index) ? flights.front().end
                                                    : now + flights.front().left * rank.slowdown[index]);
  }
}

/// Where one run of a section ended as the run before it did, so will the runs after it. The last two are
/// played: what happens in a run depends on the section behind it, too.
void Player::passAlikeRuns() {
  const auto [slowest, fastest] = std::ranges::minmax_element(ranks, {}, &RankState::completeRuns);
  const uint64_t run = slowest->completeRuns;
  if (run == runs.size() || (earlier && earlier->atRun() == run))
    return;
  const RunRange &repeated = ranges[run];
  if (run <= repeated.begin || fastest->completeRuns + 2 >= repeated.end)
    return;
  for (size_t rank = 0; rank < ranks.size(); ++rank)
    touch(rank);
  Moment moment(ranks, run, repeated, before[run], now);
  if (earlier && earlier->atRun() + 1 == run && earlier->atRun() > repeated.begin &&
      moment.isAlike(*earlier)) {
    const uint64_t passed = repeated.end - 2 - fastest->completeRuns; // it may be in the run after that
    TaskCounts tasks;
    for (size_t lane = 0; lane < kLanes; ++lane)
      tasks[lane] = lists[sectionOf(run)].byLane[lane].size();
    const double period = now - earlier->time();
    passRuns(ranks, passed, period, repeated, tasks);
    now += static_cast<double>(passed) * period;
    for (RankState &rank : ranks)
      for (size_t index = 0; index < kLanes; ++index)
        skipEmptyRuns(rank.lanes[index], index); // those that are to go on behind the repeated runs
  }
  earlier = std::move(moment);
}

Status Player::checkComplete() const {
  for (const RankState &rank : ranks)
    for (size_t index = 0; index < kLanes; ++index)
      if (const LaneState &lane = rank.lanes[index]; lane.run < runs.size()) {
        const uint32_t section = sectionOf(lane.run);
        return Status::badInput("instruction " + std::to_string(lists[section].byLane[index][lane.place]) +
                                " of section \"" + step.sections[section].name +
                                "\" waits for ever on lane \"" +
                                std::string(plan::textOf(static_cast<Lane>(index))) + "\"");
      }
  return Status::ok();
}

Result<PlayedTasks> Player::run() {
  unroll();
  for (size_t rank = 0; rank < ranks.size(); ++rank)
    touch(rank);
  while (true) {
    startAll();
    for (size_t rank : touched) {
      plan(ranks[rank]);
      ranks[rank].isTouched = false;
    }
    touched.clear();
    const double next = std::ranges::min_element(ranks, {}, &RankState::next)->next;
    if (next == kNever)
      break;
    now = next;
    for (size_t rank = 0; rank < ranks.size(); ++rank)
      if (ranks[rank].next <= now)
        touch(rank);
    for (size_t rank : touched)
      complete(rank);
    if (!keepsSpans)
      passAlikeRuns();
  }
  WINDLASS_TRY(checkComplete());
  result.seconds = now;
  return std::move(result);
}

} // namespace

TimedStep stepOn(const Machine &machine) {
  TimedStep step;
  for (size_t lane = 0; lane < kLanes; ++lane)
    step.coreWeight[lane] = machine.coreWeight(static_cast<Lane>(lane));
  step.nvmeDepth = machine.nvmeDepth;
  step.nvmeLatency = machine.nvmeLatency;
  step.nvmeDuplex = machine.nvmeDuplex();
  return step;
}

TimedTask taskOf(const Machine &machine, const InstructionWork &work) {
  TimedTask task;
  task.lane = work.lane;
  task.seconds = secondsOf(machine, work);
  if (isNvme(at(work.lane)))
    task.requestWork = machine.requestSeconds(work.bytes);
  if (isCollective(at(work.lane)))
    task.link = machine.bindingLink(work.group).rate;
  return task;
}

Result<PlayedTasks> play(const TimedStep &step, Spans spans) { return Player(step, spans).run(); }

} // namespace windlass::model
