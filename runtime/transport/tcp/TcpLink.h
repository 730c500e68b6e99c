// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- TcpLink.h - one connection between two places of a group ===========//
//
// Duty: what one connection carries in an exchange: pieces in order, both ways. On a link between machines
// the pieces themselves; on a near one, where either end may read the other's memory (NearMemory.h), only
// where they lie: who receives them copies them, and says so.
// Nothing here waits. Threads: that of its place. Errors: a link closes for good, and says how.
//
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
  /// `near`: the process at the other end, if either may read the other's memory; else 0.
  TcpLink(Socket connected, int64_t near);

  /// Empties it for the next exchange.
  void begin();
  void send(std::span<const std::byte> piece);
  void receive(std::span<std::byte> piece) { receiving.push_back(piece); }
  /// Near: one piece of this size will be shown, and not copied but by copySlice().
  void look(int64_t bytes);
  /// Says where near pieces lie; called once, when all of the exchange are known.
  void start();
  /// As far as the system takes and has bytes.
  void move();
  /// Whether what look() asked for can be copied, if anything.
  bool isShown() const { return !isLooking || received > 0; }
  /// Bytes from `begin` on of what is shown. Where that fails the link closes.
  void copySlice(int64_t begin, std::span<std::byte> room);
  /// Tells the other end that all was copied.
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
  bool isNear() const { return near != 0; }
  void moveOut();
  void moveIn();
  void take();
  void close(int error);

  Socket socket;
  int64_t near = 0;
  End closed = End::Open;
  std::vector<std::span<const std::byte>> outgoing; ///< over the connection
  std::vector<std::span<std::byte>> incoming;
  size_t sent = 0, received = 0;               ///< pieces of these
  std::vector<std::span<std::byte>> receiving; ///< what is to arrive, be it over the connection or copied
  std::vector<FarSpan> shown, seen;            ///< near: where pieces lie, here and there
  std::byte taken = {}, given = {};            ///< near: "all is copied", from here and from there
  bool isLooking = false, isTaken = false, hasHeard = false;
  Deadline lastMoved;
};

} // namespace windlass
