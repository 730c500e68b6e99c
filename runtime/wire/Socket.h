// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Socket.h - a TCP connection, or where one is waited for ===============//
//
// Duty: opens, accepts and closes TCP sockets. All of them are non-blocking, send at once what they are
// given, and are closed where another program is started. Ownership: a Socket closes its descriptor. Threads:
// one owner; `shutDown` from any. Errors: RunFailed with the address and the system's reason.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/base/Status.h"
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace windlass {

using WireClock = std::chrono::steady_clock;
using Deadline = WireClock::time_point;

inline Deadline afterSeconds(double seconds) {
  return WireClock::now() +
         std::chrono::duration_cast<WireClock::duration>(std::chrono::duration<double>(seconds));
}
/// For poll: at least 0, at most `most`.
int millisecondsUntil(Deadline deadline, int most = 1000);

/// A host, by name or number, and a port.
struct Endpoint {
  std::string host;
  uint16_t port = 0;
  std::string text() const { return host + ":" + std::to_string(port); }
};

class Socket {
public:
  Socket() = default;
  /// Takes what another process opened.
  explicit Socket(int descriptor) : descriptor(descriptor) {}
  Socket(Socket &&other) noexcept : descriptor(other.descriptor) { other.descriptor = -1; }
  Socket &operator=(Socket &&other) noexcept;
  ~Socket();

  /// Waits for connections at that address alone; port 0 takes any that is free.
  static Result<Socket> listenAt(const Endpoint &endpoint);
  /// Tries until the deadline: whoever listens there may not have begun.
  static Result<Socket> connectTo(const Endpoint &endpoint, Deadline deadline);
  /// A connection that waits, or a closed socket where none does.
  Socket accept() const;

  bool isOpen() const { return descriptor >= 0; }
  int number() const { return descriptor; }
  /// Where it listens, or its own end of a connection.
  Endpoint local() const;
  /// Sends all of it by the deadline.
  Status send(std::span<const std::byte> bytes, Deadline deadline) const;
  /// Has the system ask the other machine for a sign of life while nothing comes: the connection breaks where
  /// none comes for so long. A process that is busy, or stopped, needs not answer itself.
  void askForSigns(int seconds) const;
  /// Whether bytes that were sent have waited for so long for the other machine to say that they came.
  bool isUnanswered(double seconds) const;
  /// Wakes whoever waits for the connection, at both ends.
  void shutDown() const;

private:
  int descriptor = -1;
};

/// The name of this machine, as hosts are called in messages.
std::string hostName();
/// The boot id of the system; "": there is none. No other machine has this id, nor this machine after another
/// start. All containers and namespaces of a machine share it.
std::string bootId();
/// The number of a network interface, by its name, or an address that is already one; "" takes the first that
/// leads to other machines, or the loop where there is none. BadInput: this machine has no such interface.
Result<std::string> addressOfInterface(const std::string &interface);

} // namespace windlass
