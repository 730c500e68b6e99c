// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- FrameLine.h - messages over one connection ============================//
//
// Duty: cuts what comes over a connection into the frames that were sent: a kind, a length, bytes. Nothing
// here waits: what cannot be sent yet stays in the outbox, what came in part in the inbox.
// Errors: a line breaks where the other end closed it, or sent a frame of more than 1 GiB; for good.
// Threads: one.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/wire/Socket.h"
#include <optional>
#include <utility>

namespace windlass {

struct Frame {
  uint32_t kind = 0;
  std::string bytes;
};

class FrameLine {
public:
  /// Of a frame.
  static constexpr size_t kMostBytes = size_t{1} << 30;

  FrameLine() = default;
  explicit FrameLine(Socket socket) : socket(std::move(socket)) {}

  int number() const { return socket.number(); }
  bool isBroken() const { return broken || !socket.isOpen(); }
  bool hasUnsent() const { return !outbox.empty(); }

  /// At most kMostBytes.
  void put(uint32_t kind, std::string_view bytes);
  /// Sends and receives what the system takes and has.
  void move();
  /// Whether anything has come since this was asked last, in whatever call of move().
  bool hasHeard() { return std::exchange(heard, false); }
  /// The next whole frame that came; also from a line that has broken since.
  std::optional<Frame> take();

private:
  void receive();
  void send();

  Socket socket;
  std::string outbox, inbox;
  size_t taken = 0; ///< of the inbox
  bool broken = false, heard = false;
};

} // namespace windlass
