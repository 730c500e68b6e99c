// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "model/ProgramRuns.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

namespace windlass::model {
namespace {

using plan::Lane;

constexpr double kNever = std::numeric_limits<double>::infinity();

size_t at(Lane lane) { return static_cast<size_t>(lane); }
bool isNvme(size_t lane) { return lane == at(Lane::NcIn) || lane == at(Lane::NcOut); }
bool isCollective(size_t lane) { return lane == at(Lane::Gg) || lane == at(Lane::Nodes); }
bool carriesMessages(size_t lane) {
  return lane == at(Lane::ActOut) || lane == at(Lane::ActIn) || lane == at(Lane::GradOut) ||
         lane == at(Lane::GradIn);
}
/// Lanes whose tasks start on several ranks at once.
bool meets(size_t lane) { return isCollective(lane) || carriesMessages(lane); }

class Player {
public:
  Player(const TimedStep &step, Spans spans) : step(step), keepsSpans(spans == Spans::Kept) {}

  Result<PlayedTasks> run();

private:
  void unroll();
  const ProgramRuns &runsOf(const RankState &rank) const { return programs[rank.program]; }
  TimeSpan &spanOf(size_t rank, const Flight &flight) {
    return result.spans[rank][runsOf(ranks[rank]).spanBase(flight.run) + flight.number];
  }
  const TimedTask *nextTask(const RankState &rank, size_t index) const;
  bool awaitsOthers(const RankState &rank, size_t index) const;
  void skipEmptyRuns(RankState &rank, size_t index) const;
  void passCompleteRuns(RankState &rank) const;
  bool mayStart(RankState &rank, size_t index) const;
  uint64_t completedBehind(const RankState &rank, uint64_t run, const TimedWait &wait) const;
  bool start(size_t rank, size_t index);
  void request(RankState &rank, LaneState &lane, Flight &flight, bool isRun);
  bool startCollectives(size_t program, Lane lane);
  bool startMeeting(int64_t channel);
  bool mayMeet(size_t rank, Lane lane, int64_t channel);
  void startAll();
  void touch(size_t rank);
  void complete(size_t rank);
  void completeOne(size_t rank, LaneState &lane);
  double plan(RankState &rank) const;
  bool sharesLink(const RankState &rank) const;
  void passAlikeRuns();
  Status checkComplete() const;

  const TimedStep &step;
  bool keepsSpans;
  std::vector<ProgramRuns> programs;
  std::vector<RankState> ranks;
  std::vector<double> due; ///< by rank: when the next task under way ends, if nothing else changes
  std::vector<size_t> touched;
  /// Collectives: by program and lane a rank that was not there when last asked.
  std::vector<std::array<size_t, kLanes>> blockers;
  std::optional<Moment> earlier; ///< the last at which a run of those that repeat ended
  double now = 0;
  PlayedTasks result;
};

void Player::unroll() {
  for (const TimedProgram &program : step.programs) {
    const ProgramRuns &runs = programs.emplace_back(program, ranks.size());
    blockers.emplace_back().fill(runs.firstRank);
    ranks.resize(runs.behindRank);
    for (size_t number = runs.firstRank; number < runs.behindRank; ++number) {
      RankState &rank = ranks[number];
      rank.program = programs.size() - 1;
      for (size_t index = 0; index < kLanes; ++index)
        skipEmptyRuns(rank, index);
      for (uint64_t run = 0; run < std::min<uint64_t>(2, runs.runs()); ++run)
        rank.open[run] = runs.taskCount(run);
      passCompleteRuns(rank);
    }
    if (keepsSpans)
      result.spans.resize(ranks.size(), std::vector<TimeSpan>(runs.allTasks()));
  }
}

/// Null where the lane has started all of its tasks.
const TimedTask *Player::nextTask(const RankState &rank, size_t index) const {
  const LaneState &lane = rank.lanes[index];
  const ProgramRuns &runs = runsOf(rank);
  if (lane.run == runs.runs())
    return nullptr;
  return &runs.section(lane.run).tasks[runs.tasksOf(lane.run, index)[lane.place]];
}

/// Whether the next task of the lane starts on several ranks at once.
bool Player::awaitsOthers(const RankState &rank, size_t index) const {
  if (!meets(index))
    return false;
  const TimedTask *task = nextTask(rank, index);
  return !task || task->channel != kAtOnePlace;
}

void Player::skipEmptyRuns(RankState &rank, size_t index) const {
  LaneState &lane = rank.lanes[index];
  const ProgramRuns &runs = runsOf(rank);
  while (lane.run < runs.runs() && lane.place == runs.tasksOf(lane.run, index).size()) {
    ++lane.run;
    lane.place = 0;
  }
}

void Player::passCompleteRuns(RankState &rank) const {
  const ProgramRuns &runs = runsOf(rank);
  while (rank.completeRuns < runs.runs() && rank.open[rank.completeRuns % 2] == 0) {
    const uint64_t afterNext = rank.completeRuns + 2;
    rank.open[rank.completeRuns % 2] = afterNext < runs.runs() ? runs.taskCount(afterNext) : 0;
    ++rank.completeRuns;
  }
}

/// How many tasks of the wait's lane are complete when the wait is over.
uint64_t Player::completedBehind(const RankState &rank, uint64_t run, const TimedWait &wait) const {
  if (wait.before != kSameRun) {
    if (run == 0 || runsOf(rank).sectionOf(run - 1) != wait.before)
      return 0;
    --run;
  }
  return runsOf(rank).before(run)[at(wait.lane)] + wait.ordinal;
}

bool Player::mayStart(RankState &rank, size_t index) const {
  LaneState &lane = rank.lanes[index];
  const size_t depth = isNvme(index) ? static_cast<size_t>(std::max<int64_t>(1, step.nvmeDepth)) : 1;
  if (lane.flights.size() >= depth || lane.run > rank.completeRuns + 1 ||
      rank.lanes[lane.awaited].completed < lane.awaitedTasks)
    return false;
  const TimedTask *task = nextTask(rank, index);
  if (!task)
    return false;
  for (; lane.reached < task->waits.size(); ++lane.reached) {
    const TimedWait &wait = task->waits[lane.reached];
    const uint64_t tasks = completedBehind(rank, lane.run, wait);
    if (rank.lanes[at(wait.lane)].completed >= tasks)
      continue;
    lane.awaited = at(wait.lane);
    lane.awaitedTasks = tasks;
    return false;
  }
  return true;
}

/// Brings the remaining work of the rank's tasks under way up to `now`, before any of them changes.
void Player::touch(size_t number) {
  RankState &rank = ranks[number];
  if (rank.isTouched)
    return;
  for (size_t index = 0; index < kLanes; ++index)
    if (LaneState &lane = rank.lanes[index]; !isNvme(index) && !lane.flights.empty())
      lane.flights.front().left -= (now - rank.settled) / rank.slowdown[index];
  rank.settled = now;
  rank.isTouched = rank.mayEnd = true;
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

/// Starts the tasks of the lane that may start.
bool Player::start(size_t number, size_t index) {
  RankState &rank = ranks[number];
  LaneState &lane = rank.lanes[index];
  bool any = false;
  for (; mayStart(rank, index); any = true) {
    touch(number);
    const TimedTask *task = nextTask(rank, index);
    const ProgramRuns &runs = runsOf(rank);
    Flight flight{lane.run, runs.tasksOf(lane.run, index)[lane.place], task};
    const bool isRun = task->owner == kAllRanks || runs.behindRank - runs.firstRank == 1 ||
                       task->owner == static_cast<int64_t>(number - runs.firstRank);
    flight.left = isRun ? task->seconds : 0;
    if (isNvme(index))
      request(rank, lane, flight, isRun && task->seconds > 0);
    if (keepsSpans)
      spanOf(number, flight).start = now;
    lane.flights.push_back(flight);
    rank.mayEnd = true;
    ++lane.place;
    lane.reached = lane.awaitedTasks = 0;
    skipEmptyRuns(rank, index);
  }
  return any;
}

/// Whether a rank's lane has come to a task of the channel, or to one that is no meeting.
bool Player::mayMeet(size_t rank, Lane lane, int64_t channel) {
  const TimedTask *task = nextTask(ranks[rank], at(lane));
  return task && task->channel == channel && mayStart(ranks[rank], at(lane));
}

/// Starts the next collectives of a lane between the ranks of one program.
bool Player::startCollectives(size_t program, Lane lane) {
  size_t &missing = blockers[program][at(lane)];
  if (!mayMeet(missing, lane, kNoMeeting))
    return false;
  const ProgramRuns &runs = programs[program];
  for (size_t rank = runs.firstRank; rank < runs.behindRank; ++rank)
    if (!mayMeet(rank, lane, kNoMeeting)) {
      missing = rank;
      return false;
    }
  for (size_t rank = runs.firstRank; rank < runs.behindRank; ++rank)
    start(rank, at(lane));
  return true;
}

/// Starts the next meeting of a channel, between the ranks of several programs.
bool Player::startMeeting(int64_t channel) {
  auto forEachMember = [&](auto visit) {
    for (const auto &[program, lane] : step.channels[static_cast<size_t>(channel)].ends)
      for (size_t rank = programs[program].firstRank; rank < programs[program].behindRank; ++rank)
        if (!visit(rank, lane))
          return false;
    return true;
  };
  if (!forEachMember([&](size_t rank, Lane lane) { return mayMeet(rank, lane, channel); }))
    return false;
  return forEachMember([&](size_t rank, Lane lane) { return start(rank, at(lane)); });
}

/// Starts tasks on ranks where something changed, until no more may start. Tasks that take no time are
/// complete at once. The lanes of a rank start more tasks only after one has ended on it, since that is all
/// they wait for.
void Player::startAll() {
  for (bool any = true; any;) {
    any = false;
    for (size_t program = 0; program < programs.size(); ++program)
      for (Lane lane : {Lane::Gg, Lane::Nodes})
        any |= startCollectives(program, lane);
    for (int64_t channel = 0; channel < std::ssize(step.channels); ++channel)
      any |= startMeeting(channel);
    for (size_t i = 0; i < touched.size(); ++i)
      if (std::exchange(ranks[touched[i]].mayBegin, false))
        for (size_t index = 0; index < kLanes; ++index)
          if (!awaitsOthers(ranks[touched[i]], index))
            any |= start(touched[i], index);
    if (any)
      for (size_t rank : touched)
        if (ranks[rank].mayEnd)
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
  rank.mayBegin = true;
  lane.flights.erase(lane.flights.begin());
  passCompleteRuns(rank);
}

/// Completes the tasks of a rank that end now.
void Player::complete(size_t number) {
  ranks[number].mayEnd = false;
  const double grain = 1e-12 + now * 1e-12; // what rounding leaves over
  for (size_t index = 0; index < kLanes; ++index) {
    LaneState &lane = ranks[number].lanes[index];
    while (!lane.flights.empty() &&
           (isNvme(index) ? lane.flights.front().end <= now : lane.flights.front().left <= grain))
      completeOne(number, lane);
  }
}

/// Whether collectives of both lanes are under way on the same link, so that each has half of it.
bool Player::sharesLink(const RankState &rank) const {
  const std::vector<Flight> &inside = rank.lanes[at(Lane::Gg)].flights,
                            &across = rank.lanes[at(Lane::Nodes)].flights;
  return !inside.empty() && !across.empty() && inside.front().task->link == across.front().task->link;
}

/// Sets the slowdown of the tasks under way, and returns the time at which the first of them ends. Disk
/// requests take their share of the cores first, as far as kMostForRequests. A lane that could use more than
/// all of the cores asks for all of them: what it could do beyond that takes nothing from the other lanes.
double Player::plan(RankState &rank) const {
  double asked = 0, disk = 0;
  for (size_t index = 0; index < kLanes; ++index)
    if (const std::vector<Flight> &flights = rank.lanes[index].flights; !flights.empty())
      (isNvme(index) ? disk : asked) +=
          isNvme(index) ? flights.front().weight : std::min(1.0, step.sharedWeight[index]);
  const double onCores = std::max(1.0, asked / (1 - std::min(disk, kMostForRequests)));
  const double onLink = sharesLink(rank) ? 2 : 1;
  double next = kNever;
  for (size_t index = 0; index < kLanes; ++index) {
    const double weight = step.sharedWeight[index];
    rank.slowdown[index] = weight > 0 ? onCores * std::max(1.0, weight) : isCollective(index) ? onLink : 1;
    if (const std::vector<Flight> &flights = rank.lanes[index].flights; !flights.empty())
      next = std::min(next, isNvme(index) ? flights.front().end
                                          : now + flights.front().left * rank.slowdown[index]);
  }
  return next;
}

/// Skips runs of a section once a run has ended in the same state as the run before it, since the following
/// runs then do, too. The last two runs are played, as they also depend on the next section. Programs with
/// meetings are played in full.
void Player::passAlikeRuns() {
  if (programs.size() > 1)
    return;
  const ProgramRuns &runs = programs.front();
  const auto [slowest, fastest] = std::ranges::minmax_element(ranks, {}, &RankState::completeRuns);
  const uint64_t run = slowest->completeRuns;
  if (run == runs.runs() || (earlier && earlier->atRun() == run))
    return;
  const RunRange &repeated = runs.rangeOf(run);
  if (run <= repeated.begin || fastest->completeRuns + 2 >= repeated.end)
    return;
  for (size_t rank = 0; rank < ranks.size(); ++rank)
    touch(rank);
  Moment moment(ranks, run, repeated, runs.before(run), now);
  if (earlier && earlier->atRun() + 1 == run && earlier->atRun() > repeated.begin &&
      moment.isAlike(*earlier)) {
    const uint64_t passed = repeated.end - 2 - fastest->completeRuns; // it may be in the run after that
    TaskCounts tasks;
    for (size_t lane = 0; lane < kLanes; ++lane)
      tasks[lane] = runs.tasksOf(run, lane).size();
    const double period = now - earlier->time();
    passRuns(ranks, passed, period, repeated, tasks);
    now += static_cast<double>(passed) * period;
    for (RankState &rank : ranks) {
      rank.mayBegin = true;
      for (size_t index = 0; index < kLanes; ++index)
        skipEmptyRuns(rank, index); // lanes that continue after the repeated runs
    }
  }
  earlier = std::move(moment);
}

Status Player::checkComplete() const {
  for (const RankState &rank : ranks)
    for (size_t index = 0; index < kLanes; ++index)
      if (const LaneState &lane = rank.lanes[index]; lane.run < runsOf(rank).runs()) {
        const ProgramRuns &runs = runsOf(rank);
        return Status::badInput("instruction " + std::to_string(runs.tasksOf(lane.run, index)[lane.place]) +
                                " of section \"" + runs.section(lane.run).name +
                                "\" waits for ever on lane \"" +
                                std::string(plan::textOf(static_cast<Lane>(index))) + "\"");
      }
  return Status::ok();
}

Result<PlayedTasks> Player::run() {
  unroll();
  due.assign(ranks.size(), kNever);
  for (size_t rank = 0; rank < ranks.size(); ++rank)
    touch(rank);
  while (true) {
    startAll();
    for (size_t rank : touched) {
      due[rank] = plan(ranks[rank]);
      ranks[rank].isTouched = false;
    }
    touched.clear();
    const double next = *std::ranges::min_element(due);
    if (next == kNever)
      break;
    now = next;
    for (size_t rank = 0; rank < ranks.size(); ++rank)
      if (due[rank] <= now)
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
    step.sharedWeight[lane] = machine.sharedWeight(static_cast<Lane>(lane));
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
    task.link = bindingLinkOf(machine, work).rate;
  return task;
}

Result<PlayedTasks> play(const TimedStep &step, Spans spans) { return Player(step, spans).run(); }

} // namespace windlass::model
