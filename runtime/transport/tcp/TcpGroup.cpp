// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/transport/tcp/TcpGroup.h"

#include <algorithm>
#include <utility>

namespace windlass {
namespace {

/// How long an exchange with a lost process waits for the verdict of the job.
constexpr double kExplanationSeconds = 10;
constexpr int kNapMilliseconds = 200;

} // namespace

TcpGroup::TcpGroup(TcpNetwork &network, std::span<const int64_t> processes, bool looks)
    : network(network), processes(processes.begin(), processes.end()), isLooking(looks),
      held(processes.size()) {
  std::lock_guard lock(network.mutex);
  network.groups.insert(this);
  aborted = network.aborted;
}

TcpGroup::~TcpGroup() {
  std::lock_guard lock(network.mutex);
  network.groups.erase(this);
}

void TcpGroup::connect(int64_t place, int64_t other, TcpLink link) {
  std::lock_guard lock(network.mutex); // which abort() holds
  Place &mine = held[static_cast<size_t>(place)];
  mine.links.resize(held.size());
  mine.links[static_cast<size_t>(other)] = std::move(link);
}

void TcpGroup::abort() {
  aborted = true;
  for (const Place &place : held)
    std::ranges::for_each(place.links, &TcpLink::shutDown);
}

std::string TcpGroup::namesOf(const Place &from, const std::function<bool(const TcpLink &)> &which) const {
  std::set<int64_t> chosen;
  for (size_t other = 0; other < from.links.size(); ++other)
    if (const TcpLink &link = from.links[other]; !link.isDone() && which(link))
      chosen.insert(processes[other]);
  std::string names;
  for (int64_t process : chosen)
    names += (names.empty() ? "" : ", ") + network.nameOf(process);
  return names;
}

/// The processes from which nothing has come in this exchange, since the others may wait for these; else all
/// that are not done.
std::string TcpGroup::absent(const Place &from) const {
  const std::string silent = namesOf(from, [](const TcpLink &link) { return link.waitsForFirstWord(); });
  return silent.empty() ? namesOf(from, [](const TcpLink &) { return true; }) : silent;
}

Status TcpGroup::giveUp(const Place &from, TcpLink::End end, const std::string &why) const {
  return Status::runFailed(namesOf(from, [end](const TcpLink &link) { return link.end() == end; }) + " " +
                           why);
}

void TcpGroup::noteUnreachable(const Place &from) const {
  for (size_t other = 0; other < from.links.size(); ++other)
    if (from.links[other].end() == TcpLink::End::Unreachable)
      network.lost = processes[other];
}

TcpLink::End TcpGroup::moveAll(Place &mine) const {
  TcpLink::End worst = TcpLink::End::Open;
  mine.wait.clear();
  for (TcpLink &link : mine.links) {
    if (!link.isDone())
      link.move();
    if (link.isDone())
      continue;
    worst = std::max(worst, link.end());
    if (link.end() == TcpLink::End::Open)
      mine.wait.push_back({link.number(), link.waitsFor(), 0});
  }
  return worst;
}

Status TcpGroup::exchange(int64_t place, std::span<const Outgoing> outgoing,
                          std::span<const Incoming> incoming) {
  Place &mine = held[static_cast<size_t>(place)];
  std::ranges::for_each(mine.links, &TcpLink::begin);
  for (const Outgoing &each : outgoing)
    mine.links[static_cast<size_t>(each.to)].send(each.bytes);
  for (const Incoming &each : incoming)
    mine.links[static_cast<size_t>(each.from)].receive(each.bytes);
  return finish(mine, nullptr);
}

Status TcpGroup::exchangeSlices(int64_t place, const Slices &slices) {
  Place &mine = held[static_cast<size_t>(place)];
  std::ranges::for_each(mine.links, &TcpLink::begin);
  for (const Outgoing &each : slices.outgoing)
    mine.links[static_cast<size_t>(each.to)].send(each.bytes);
  for (const Incoming &each : slices.rooms)
    mine.links[static_cast<size_t>(each.from)].look(slices.bytes);
  return finish(mine, &slices);
}

/// Passes the other places' pieces to `slices.use`, slice by slice. All others have shown their pieces, and
/// wait for acknowledgements.
void TcpGroup::useSlices(Place &mine, const Slices &slices) {
  const int64_t room = slices.rooms.empty() ? slices.bytes : std::ssize(slices.rooms.front().bytes);
  for (int64_t begin = 0; slices.use && begin < slices.bytes; begin += room) {
    const int64_t count = std::min(room, slices.bytes - begin);
    for (const Incoming &each : slices.rooms)
      slices.pieces[static_cast<size_t>(each.from)] = mine.links[static_cast<size_t>(each.from)].slice(
          begin, each.bytes.first(static_cast<size_t>(count)));
    slices.use(begin, count);
  }
  for (const Incoming &each : slices.rooms)
    mine.links[static_cast<size_t>(each.from)].acknowledge();
}

Status TcpGroup::finish(Place &mine, const Slices *slices) {
  std::ranges::for_each(mine.links, &TcpLink::start);
  const Deadline deadline = afterSeconds(network.exchangeSeconds());
  Deadline explained = Deadline::max();
  for (;;) {
    if (aborted)
      return Status::runFailed("collective given up because another rank failed");
    const TcpLink::End end = moveAll(mine);
    if (slices && end == TcpLink::End::Open && std::ranges::all_of(mine.links, &TcpLink::isShown)) {
      useSlices(mine, *std::exchange(slices, nullptr));
      continue;
    }
    if (mine.wait.empty() && end == TcpLink::End::Open)
      return Status::ok();
    if (end == TcpLink::End::Unreachable)
      noteUnreachable(mine);
    if (end != TcpLink::End::Open && explained == Deadline::max())
      explained = afterSeconds(kExplanationSeconds);
    if (WireClock::now() >= explained)
      return giveUp(mine, end,
                    end == TcpLink::End::Closed ? "has closed its connection" : "cannot be reached any more");
    if (WireClock::now() >= deadline)
      return tooLate(absent(mine), network.exchangeSeconds());
    ::poll(mine.wait.data(), mine.wait.size(), kNapMilliseconds);
  }
}

} // namespace windlass
