// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/support/cuda/SimTimeline.h"
#include <algorithm>
#include <chrono>
#include <utility>

namespace windlass::test {

namespace {

/// How long the random policy waits at times, so that more is enqueued before it chooses.
constexpr std::chrono::microseconds kGlance(50);

} // namespace

SimTimeline::SimTimeline(SimPolicy policy, uint64_t seed, SimReport given)
    : policy(policy), random(seed), report(std::move(given)), accesses(report), streams(1),
      thread([this] { serve(); }) {}

SimTimeline::~SimTimeline() {
  {
    Lock held = lock();
    closing = true;
  }
  changed.notify_all();
  thread.join();
}

size_t SimTimeline::addStream(bool isSlow) {
  Stream &made = streams.emplace_back();
  made.isSlow = isSlow;
  made.favour = random();
  return streams.size() - 1;
}

void SimTimeline::push(size_t stream, Operation operation) {
  operation.serial = ++operations;
  operation.host = host;
  streams[stream].queue.push_back(std::move(operation));
  changed.notify_all();
}

void SimTimeline::enqueue(size_t stream, SimWork work) { push(stream, {0, std::move(work), {}, {}}); }

SimMarkPointer SimTimeline::mark(size_t stream) {
  auto made = std::make_shared<SimMark>();
  made->stream = stream;
  push(stream, {0, {}, made, {}});
  return made;
}

void SimTimeline::keep(size_t stream, const SimMarkPointer &mark) {
  mark->stream = stream;
  push(stream, {0, {}, mark, {}});
}

void SimTimeline::fulfil(const SimMarkPointer &mark) {
  if (mark->stream == kSimHost)
    mark->isComplete = true;
  changed.notify_all();
}

void SimTimeline::waitFor(size_t stream, const SimMarkPointer &mark) {
  mark->isUsed = true;
  push(stream, {0, {}, {}, mark});
}

void SimTimeline::hold(size_t stream, int room) { push(stream, {0, {}, {}, {}, room}); }
void SimTimeline::letGo(size_t stream, int room) { push(stream, {0, {}, {}, {}, {}, room}); }

bool SimTimeline::lookAtAll(size_t stream) {
  const std::deque<Operation> &queue = streams[stream].queue;
  if (!isIdle(stream)) // repeated questions share one mark
    return look(queue.empty() || !queue.back().marks ? mark(stream) : SimMarkPointer(queue.back().marks));
  host.join(streams[stream].clock);
  return true;
}

bool SimTimeline::look(const SimMarkPointer &mark) {
  mark->isUsed = true;
  if (mark->isComplete) {
    host.join(mark->clock);
    return true;
  }
  if (!std::exchange(mark->isDemanded, true)) {
    demands.push_back(mark);
    changed.notify_all();
  }
  return false;
}

void SimTimeline::wait(Lock &lock, const SimMarkPointer &mark) {
  while (!look(mark) && dead == cuda::CuResult::Success)
    changed.wait(lock);
}

void SimTimeline::touchFromHost(const SimAccess &access, const std::string &name) {
  host.advance(kSimHost);
  accesses.touch(access, {kSimHost, host, name});
}

//===----------------------------------------------------------------------===//
// The choice of the next operation
//===----------------------------------------------------------------------===//

bool SimTimeline::mayRun(const Stream &stream) const {
  if (stream.queue.empty())
    return false;
  const Operation &first = stream.queue.front();
  return !first.work.neverEnds && !isHeld(first) && (!first.awaits || first.awaits->isComplete);
}

bool SimTimeline::isHeld(const Operation &operation) const {
  return operation.holds && rooms.contains(*operation.holds);
}

/// The stream that ranks highest among those that may run; slow streams rank below all others.
template <typename Rank> std::optional<size_t> SimTimeline::best(Rank rank) const {
  std::optional<std::pair<std::pair<bool, uint64_t>, size_t>> chosen;
  for (size_t i = 1; i < streams.size(); ++i)
    if (mayRun(streams[i]))
      chosen = std::max(chosen, std::optional(std::pair(std::pair(!streams[i].isSlow, rank(streams[i])), i)));
  return chosen ? std::optional(chosen->second) : std::nullopt;
}

/// The stream for which this stream waits; nothing if it waits for none.
std::optional<size_t> SimTimeline::awaitedBy(size_t stream) const {
  const std::deque<Operation> &queue = streams[stream].queue;
  if (queue.empty())
    return std::nullopt;
  const Operation &first = queue.front();
  if (isHeld(first))
    return rooms.at(*first.holds);
  return first.awaits ? std::optional(first.awaits->stream) : std::nullopt;
}

/// The stream that must run for a mark to complete. Nothing if only endless work could complete it, or if
/// streams wait for each other.
std::optional<size_t> SimTimeline::neededBy(const SimMarkPointer &mark) const {
  size_t needed = mark->stream;
  for (size_t step = 0; step < streams.size(); ++step) {
    if (mayRun(streams[needed]))
      return needed;
    const std::optional<size_t> next = awaitedBy(needed);
    if (!next)
      return std::nullopt;
    needed = *next;
  }
  return std::nullopt;
}

/// Reports streams that wait for each other, and ends the context. A real device would hang.
void SimTimeline::noticeDeadlock() {
  forgetMet();
  for (const SimMarkPointer &demand : demands) {
    std::vector<size_t> path = {demand->stream};
    for (std::optional<size_t> next = awaitedBy(path.back()); next; next = awaitedBy(*next)) {
      const auto met = std::ranges::find(path, *next);
      if (met == path.end()) {
        path.push_back(*next);
        continue;
      }
      std::string circle = "stream " + std::to_string(*next);
      for (auto each = met + 1; each != path.end(); ++each)
        circle += " waits for " + std::to_string(*each);
      circle += " waits for " + std::to_string(*next);
      report(SimRule::Deadlock, circle);
      dead = cuda::CuResult::Unknown;
      return;
    }
  }
}

void SimTimeline::forgetMet() {
  std::erase_if(demands, [](const SimMarkPointer &mark) { return mark->isComplete; });
}

/// The stream that the first demand needs, or else a later demand. The first demand stays the first until a
/// demand is met; then another one is drawn.
std::optional<size_t> SimTimeline::firstNeeded() {
  const size_t before = demands.size();
  forgetMet();
  if (demands.size() != before && demands.size() > 1)
    std::swap(demands.front(), demands[random() % demands.size()]);
  for (const SimMarkPointer &demand : demands)
    if (const std::optional<size_t> stream = neededBy(demand))
      return stream;
  return std::nullopt;
}

std::optional<size_t> SimTimeline::choose() {
  switch (policy) {
  case SimPolicy::Eager:
    return best([](const Stream &stream) { return ~stream.queue.front().serial; });
  case SimPolicy::Random:
    return best([this](const Stream &) { return random(); });
  case SimPolicy::Lazy:
    return firstNeeded();
  case SimPolicy::OneStreamAhead:
    return firstNeeded() ? best([](const Stream &stream) { return stream.favour; }) : std::nullopt;
  }
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// The thread
//===----------------------------------------------------------------------===//

void SimTimeline::serve() {
  Lock held = lock();
  while (!closing) {
    if (policy == SimPolicy::Random && random() % 8 == 0)
      changed.wait_for(held, kGlance);
    const std::optional<size_t> next = dead == cuda::CuResult::Success ? choose() : std::nullopt;
    if (next)
      runFirst(held, *next);
    else if (!closing) {
      if (dead == cuda::CuResult::Success)
        noticeDeadlock();
      changed.wait(held);
    }
  }
}

void SimTimeline::runFirst(Lock &lock, size_t stream) {
  Operation operation = std::move(streams[stream].queue.front());
  streams[stream].queue.pop_front();
  SimOutcome outcome;
  if (operation.work.run) {
    streams[stream].isRunning = true;
    lock.unlock();
    outcome = operation.work.run();
    lock.lock();
    streams[stream].isRunning = false;
  }
  if (outcome.neverEnds) {
    operation.work.neverEnds = true;
    streams[stream].queue.push_front(std::move(operation));
    return;
  }
  finish(stream, operation, outcome);
  changed.notify_all();
}

void SimTimeline::finish(size_t stream, const Operation &operation, const SimOutcome &outcome) {
  SimClock &clock = streams[stream].clock;
  clock.join(operation.host);
  if (operation.awaits)
    clock.join(operation.awaits->clock);
  if (operation.marks) {
    operation.marks->clock = clock;
    operation.marks->isComplete = true;
  }
  if (operation.holds)
    rooms[*operation.holds] = stream;
  if (operation.letsGo)
    rooms.erase(*operation.letsGo);
  if (!operation.work.run)
    return;
  clock.advance(stream);
  for (const SimViolation &violation : outcome.violations)
    report(violation.rule, violation.what);
  for (const SimAccess &access : outcome.accesses)
    accesses.touch(access, {stream, clock, operation.work.name});
  if (outcome.result != cuda::CuResult::Success)
    dead = outcome.result;
}

} // namespace windlass::test
