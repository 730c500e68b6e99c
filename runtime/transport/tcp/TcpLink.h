// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- TcpLink.h - one connection between two places of a group ===========//
//  Duty: what one connection carries in an exchange: pieces in order, both ways. A link between machines
// carries the pieces themselves. A near link, whose ends may read each other's memory (NearMemory.h), carries
// only their places: the receiver reads the pieces there, and acknowledges them. Nothing here waits. Threads:
// that of its place. Errors: a link closes for good, and says how.
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/transport/tcp/NearMemory.h"
#include "runtime/wire/Socket.h"
#include <vector>

namespace windlass {

class TcpLink {
public:
  /// How a link came to its end: the other end is gone, or nothing answers there.
  enum class End { Open, Closed, Unreachable };

  TcpLink() = default;
  /// `near`: the memory of the process at the other end, if either may read the other's; else null.
  TcpLink(Socket connected, FarMemory *near);

  /// Empties it for the next exchange.
  void begin();
  void send(std::span<const std::byte> piece);
  void receive(std::span<std::byte> piece) { receiving.push_back(piece); }
  /// Near: one piece of this size will be shown, and not copied but by slice().
  void look(int64_t bytes);
  /// Says where near pieces lie; called once, when all of the exchange are known.
  void start();
  /// As far as the system takes and has bytes.
  void move();
  /// Whether what look() asked for can be copied, if anything.
  bool isShown() const { return !isLooking || received > 0; }
  /// As many bytes as the room has, from `begin` on of what is shown: where they lie, or copied to the room.
  /// Where that fails the link closes.
  const std::byte *slice(int64_t begin, std::span<std::byte> room);
  /// Tells the other end that all was read.
  void acknowledge();
  bool isDone() const {
    return !(isLooking && !isTaken) && sent == outgoing.size() && received == incoming.size();
  }
  /// Whether bytes are to come, and none has in this exchange.
  bool waitsForFirstWord() const { return !incoming.empty() && !hasHeard; }
  End end() const { return closed; }
  /// For poll: 0 where it waits for nothing.
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
  std::vector<std::span<std::byte>> receiving; ///< what is to arrive, be it over the connection or copied
  std::vector<FarSpan> shown, seen;            ///< near: where pieces lie, here and there
  std::byte taken = {}, given = {};            ///< near: "all is read", from here and from there
  bool isLooking = false, isTaken = false, hasHeard = false;
  Deadline lastMoved;
};

} // namespace windlass
