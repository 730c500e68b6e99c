// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Door.h - whom a process of a job lets in ==============================//
//
// Duty: listens at one address and hands out the connections that greeted as members of this job do: 64 bytes
// with the job's token. A stranger's connection is closed without a word: one that says anything else, or
// nothing for five seconds, or that said nothing yet when 64 later ones had come. None holds up a member.
// What connects finds an open door before anybody asks for it: greetings wait in the system's queue.
// The token keeps accidents and passers-by out, not whoever can read the network.
// Threads: one. Errors: those of sockets; RunFailed where nobody came in time.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/wire/Socket.h"
#include <array>
#include <optional>
#include <vector>

namespace windlass {

/// Who comes, and what for: numbers whose meaning both ends know.
struct Greeting {
  int64_t purpose = 0, from = 0, to = 0;
};

class Door {
public:
  /// A greeting as bytes.
  static constexpr size_t kGreetingBytes = 64;
  using GreetingBytes = std::array<std::byte, kGreetingBytes>;

  struct Guest {
    Greeting greeting;
    Socket socket;
  };

  Door(Socket listening, const std::string &token) : listening(std::move(listening)), token(token) {}

  Endpoint address() const { return listening.local(); }
  /// For a poll that also waits for other things.
  int number() const { return listening.number(); }
  /// The next member of the job; none where nobody greeted before the deadline.
  std::optional<Guest> next(Deadline deadline);

  /// Connects to a door and greets.
  static Result<Socket> enter(const Endpoint &endpoint, const std::string &token, const Greeting &greeting,
                              Deadline deadline);

private:
  /// A connection that has not greeted.
  struct Waiting {
    Socket socket;
    GreetingBytes bytes = {};
    size_t read = 0;
    Deadline until;
  };
  enum class Manners { Silent, Stranger, Member };

  void letIn();
  bool makeRoom();
  Manners listenTo(Waiting &waiting) const;

  Socket listening;
  std::string token;
  std::vector<Waiting> waiting;
};

} // namespace windlass
