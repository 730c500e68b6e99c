// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/transport/tcp/TcpLink.h"

#include <cerrno>
#include <poll.h>
#include <sys/socket.h>

namespace windlass {
namespace {

/// Without a word of the other machine.
constexpr double kSilenceSeconds = 5;

bool isPatience(int error) { return error == EAGAIN || error == EINTR; }

bool isUnreachable(int error) {
  return error == ETIMEDOUT || error == EHOSTUNREACH || error == ENETUNREACH || error == ENETDOWN;
}

} // namespace

TcpLink::TcpLink(Socket connected, FarMemory *near) : socket(std::move(connected)), near(near) {
  socket.askForSigns(static_cast<int>(kSilenceSeconds));
}

void TcpLink::begin() {
  outgoing.clear();
  incoming.clear();
  receiving.clear();
  shown.clear();
  sent = received = 0;
  isLooking = isTaken = hasHeard = false;
  lastMoved = WireClock::now();
}

void TcpLink::send(std::span<const std::byte> piece) {
  if (isNear())
    shown.push_back(shownToOthers(piece));
  else
    outgoing.push_back(piece);
}

void TcpLink::look(int64_t bytes) {
  isLooking = true;
  receiving.push_back({static_cast<std::byte *>(nullptr), static_cast<size_t>(bytes)});
}

/// A near link carries, each way: where the pieces are, then the word that all of the other way are read.
void TcpLink::start() {
  if (!isNear()) {
    incoming = receiving;
    return;
  }
  if (!shown.empty()) {
    outgoing.push_back(std::as_bytes(std::span(shown)));
    incoming.push_back({&given, 1});
  }
  if (!receiving.empty()) {
    seen.resize(receiving.size());
    incoming.insert(incoming.begin(), std::as_writable_bytes(std::span(seen)));
  }
}

void TcpLink::close(int error) { closed = isUnreachable(error) ? End::Unreachable : End::Closed; }

void TcpLink::move() {
  if (closed != End::Open)
    return;
  moveIn();
  const bool isShown = isNear() && !receiving.empty() && received > 0;
  if (isShown && !isTaken && !isLooking && closed == End::Open)
    take();
  moveOut();
  const bool isStuck =
      !isDone() && WireClock::now() - lastMoved >= std::chrono::duration<double>(kSilenceSeconds);
  if (isStuck && closed == End::Open && socket.isUnanswered(kSilenceSeconds))
    close(ETIMEDOUT);
}

/// Copies what the other end has shown.
void TcpLink::take() {
  if (!near->copy(seen, receiving))
    return close(0);
  acknowledge();
}

const std::byte *TcpLink::slice(int64_t begin, std::span<std::byte> room) {
  const FarSpan &piece = seen.front();
  const auto skipped = static_cast<uint64_t>(begin);
  const bool isInside = piece.bytes == receiving.front().size() && skipped + room.size() <= piece.bytes;
  const FarSpan from = {piece.address + skipped, room.size(), {}};
  const std::byte *const here = isInside ? near->find(piece) : nullptr;
  if (closed == End::Open && !here && (!isInside || !near->copy({&from, 1}, {&room, 1})))
    close(0);
  return here ? here + begin : room.data();
}

void TcpLink::acknowledge() {
  isTaken = true;
  outgoing.push_back({&taken, 1});
}

void TcpLink::moveOut() {
  while (sent < outgoing.size()) {
    std::span<const std::byte> &piece = outgoing[sent];
    const ssize_t now = piece.empty() ? 0 : ::send(socket.number(), piece.data(), piece.size(), MSG_NOSIGNAL);
    if (now < 0) {
      if (!isPatience(errno))
        close(errno);
      return;
    }
    lastMoved = WireClock::now();
    piece = piece.subspan(static_cast<size_t>(now));
    sent += piece.empty() ? 1 : 0;
  }
}

void TcpLink::moveIn() {
  while (received < incoming.size()) {
    std::span<std::byte> &piece = incoming[received];
    const ssize_t now = piece.empty() ? 0 : ::recv(socket.number(), piece.data(), piece.size(), 0);
    if (now < 0 && isPatience(errno))
      return;
    if (now < 0 || (now == 0 && !piece.empty()))
      return close(now < 0 ? errno : 0);
    hasHeard = hasHeard || now > 0;
    lastMoved = WireClock::now();
    piece = piece.subspan(static_cast<size_t>(now));
    received += piece.empty() ? 1 : 0;
  }
}

short TcpLink::waitsFor() const {
  return static_cast<short>((sent < outgoing.size() ? POLLOUT : 0) |
                            (received < incoming.size() ? POLLIN : 0));
}

void TcpLink::shutDown() const {
  if (socket.isOpen())
    socket.shutDown();
}

} // namespace windlass
