// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- TcpLink.h - one connection between two places of a group ==============//
//
// Duty: one connection between two places, which carries the pieces of an exchange in order, both ways. A
// near link, whose ends may read each other's memory (NearMemory.h), carries only the addresses of pieces:
// the receiver reads the pieces there, and acknowledges them. No call waits. Threads: that of its place.
// Errors: a link closes for good; end() says why.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/transport/tcp/NearMemory.h"
#include "runtime/wire/Socket.h"
#include <vector>

namespace windlass {

class TcpLink {
public:
  /// Why a link is closed: the other end closed it, or the other machine does not respond.
  enum class End { Open, Closed, Unreachable };

  TcpLink() = default;
  /// `near`: the memory of the process at the other end, if either may read the other's; else null.
  TcpLink(Socket connected, FarMemory *near);

  /// Forgets the pieces of the last exchange.
  void begin();
  void send(std::span<const std::byte> piece);
  void receive(std::span<std::byte> piece) { receiving.push_back(piece); }
  /// Near links: the other end will show one piece of this size, which slice() reads.
  void look(int64_t bytes);
  /// Sends the addresses of near pieces. Called once, when all pieces of the exchange were added.
  void start();
  /// Sends and receives what the system can take and has.
  void move();
  /// Whether the piece of look() can be read, if there is one.
  bool isShown() const { return !isLooking || received > 0; }
  /// Bytes of the shown piece from `begin` on, as many as `room` has: in place, or copied to `room`. If
  /// reading fails, the link is closed and the bytes are not valid.
  const std::byte *slice(int64_t begin, std::span<std::byte> room);
  /// Tells the other end that all of its pieces were read.
  void acknowledge();
  bool isDone() const {
    return !(isLooking && !isTaken) && sent == outgoing.size() && received == incoming.size();
  }
  /// Whether pieces are to come, and no byte has come in this exchange.
  bool waitsForFirstWord() const { return !incoming.empty() && !hasHeard; }
  End end() const { return closed; }
  /// The events for poll; 0: none.
  short waitsFor() const;
  int number() const { return socket.number(); }
  void shutDown() const;

private:
  bool isNear() const { return near != nullptr; }
  void moveOut();
  void moveIn();
  void take();
  void close(int error);

  Socket socket;
  FarMemory *near = nullptr;
  End closed = End::Open;
  std::vector<std::span<const std::byte>> outgoing; ///< over the connection
  std::vector<std::span<std::byte>> incoming;
  size_t sent = 0, received = 0;               ///< pieces of these
  std::vector<std::span<std::byte>> receiving; ///< where pieces go, from the connection or copied
  std::vector<FarSpan> shown, seen;            ///< near: addresses of this end's and the other end's pieces
  std::byte taken = {}, given = {};            ///< near: "all is read", from here and from there
  bool isLooking = false, isTaken = false, hasHeard = false;
  Deadline lastMoved;
};

} // namespace windlass
