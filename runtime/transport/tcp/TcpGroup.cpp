// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/transport/tcp/TcpGroup.h"

#include <algorithm>
#include <cerrno>
#include <sys/socket.h>

namespace windlass {
namespace {

/// In which the control channel says why somebody is gone.
constexpr double kExplanationSeconds = 10;
constexpr int kNapMilliseconds = 200;

} // namespace

TcpGroup::TcpGroup(TcpNetwork &network, int64_t places)
    : network(network), held(static_cast<size_t>(places)) {
  std::lock_guard lock(network.mutex);
  network.groups.insert(this);
  aborted = network.aborted;
}

TcpGroup::~TcpGroup() {
  std::lock_guard lock(network.mutex);
  network.groups.erase(this);
}

void TcpGroup::connect(int64_t place, int64_t other, Socket socket) {
  Place &mine = held[static_cast<size_t>(place)];
  mine.links.resize(held.size());
  mine.links[static_cast<size_t>(other)].socket = std::move(socket);
}

void TcpGroup::abort() {
  aborted = true;
  for (const Place &place : held)
    for (const Link &link : place.links)
      if (link.socket.isOpen())
        link.socket.shutDown();
}

/// Sends and receives as much as the system takes and has.
void TcpGroup::Link::move() {
  while (sent < sending.size()) {
    std::span<const std::byte> &piece = sending[sent];
    const ssize_t now = piece.empty() ? 0 : ::send(socket.number(), piece.data(), piece.size(), MSG_NOSIGNAL);
    if (now < 0) {
      isClosed |= errno != EAGAIN && errno != EINTR;
      break;
    }
    piece = piece.subspan(static_cast<size_t>(now));
    sent += piece.empty() ? 1 : 0;
  }
  while (received < receiving.size()) {
    std::span<std::byte> &piece = receiving[received];
    const ssize_t now = piece.empty() ? 0 : ::recv(socket.number(), piece.data(), piece.size(), 0);
    if (now < 0 || (now == 0 && !piece.empty())) {
      isClosed |= now == 0 || (errno != EAGAIN && errno != EINTR);
      break;
    }
    piece = piece.subspan(static_cast<size_t>(now));
    received += piece.empty() ? 1 : 0;
  }
}

/// Empties it for the next exchange.
void TcpGroup::Link::load() {
  sending.clear();
  receiving.clear();
  sent = received = 0;
}

Status TcpGroup::giveUp(const Place &from, const std::string &why) const {
  std::string places;
  for (size_t other = 0; other < from.links.size(); ++other)
    if (!from.links[other].isDone())
      places += (places.empty() ? "" : ", ") + std::to_string(other);
  return Status::runFailed("place " + places + " of " + std::to_string(held.size()) + " in the group " + why);
}

Status TcpGroup::exchange(int64_t place, std::span<const Outgoing> outgoing,
                          std::span<const Incoming> incoming) {
  Place &mine = held[static_cast<size_t>(place)];
  std::ranges::for_each(mine.links, &Link::load);
  for (const Outgoing &each : outgoing)
    mine.links[static_cast<size_t>(each.to)].sending.push_back(each.bytes);
  for (const Incoming &each : incoming)
    mine.links[static_cast<size_t>(each.from)].receiving.push_back(each.bytes);
  const Deadline deadline = afterSeconds(network.config.exchangeSeconds);
  Deadline explained = Deadline::max();
  for (;;) {
    if (aborted)
      return Status::runFailed("collective given up because another rank failed");
    mine.wait.clear();
    bool isClosed = false;
    for (Link &link : mine.links) {
      if (!link.isClosed && !link.isDone())
        link.move();
      if (link.isDone())
        continue;
      isClosed |= link.isClosed;
      const int wanted = (link.sent < link.sending.size() ? POLLOUT : 0) |
                         (link.received < link.receiving.size() ? POLLIN : 0);
      if (!link.isClosed)
        mine.wait.push_back({link.socket.number(), static_cast<short>(wanted), 0});
    }
    if (mine.wait.empty() && !isClosed)
      return Status::ok();
    if (isClosed && explained == Deadline::max())
      explained = afterSeconds(kExplanationSeconds);
    if (WireClock::now() >= explained)
      return giveUp(mine, "has closed its connection");
    if (WireClock::now() >= deadline)
      return giveUp(mine, "did not come in time");
    ::poll(mine.wait.data(), mine.wait.size(), kNapMilliseconds);
  }
}

} // namespace windlass
