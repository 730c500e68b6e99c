// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/wire/Door.h"

#include "runtime/base/Hash.h"
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <poll.h>
#include <sys/socket.h>

namespace windlass {
namespace {

constexpr double kPatienceSeconds = 5;
constexpr size_t kMostWaiting = 64;
constexpr std::string_view kMagic = "windlass";

/// Magic, 32 digits of the token's hash, then the numbers.
Door::GreetingBytes bytesOf(const std::string &token, const Greeting &greeting) {
  Door::GreetingBytes bytes = {};
  const std::string digits = hashOfBytes(token);
  std::memcpy(bytes.data(), kMagic.data(), kMagic.size());
  std::memcpy(bytes.data() + kMagic.size(), digits.data(), std::min<size_t>(32, digits.size()));
  static_assert(kMagic.size() + 32 + sizeof(Greeting) == Door::kGreetingBytes);
  std::memcpy(bytes.data() + kMagic.size() + 32, &greeting, sizeof greeting);
  return bytes;
}

Greeting greetingOf(const Door::GreetingBytes &bytes) {
  Greeting greeting;
  std::memcpy(&greeting, bytes.data() + kMagic.size() + 32, sizeof greeting);
  return greeting;
}

} // namespace

/// Takes what the system holds ready, as far as there is room.
void Door::letIn() {
  while (waiting.size() < kMostWaiting)
    if (Socket socket = listening.accept(); socket.isOpen())
      waiting.push_back({std::move(socket), {}, 0, afterSeconds(kPatienceSeconds)});
    else
      return;
}

/// Where all that are in have been heard, and say nothing, the oldest makes room for who stands outside.
bool Door::makeRoom() {
  if (waiting.size() < kMostWaiting)
    return false;
  Socket socket = listening.accept();
  if (!socket.isOpen())
    return false;
  waiting.erase(waiting.begin());
  waiting.push_back({std::move(socket), {}, 0, afterSeconds(kPatienceSeconds)});
  return true;
}

Door::Manners Door::listenTo(Waiting &guest) const {
  while (guest.read < kGreetingBytes) {
    const ssize_t got =
        ::recv(guest.socket.number(), guest.bytes.data() + guest.read, kGreetingBytes - guest.read, 0);
    if (got > 0) {
      guest.read += static_cast<size_t>(got);
      continue;
    }
    const bool isThere = got < 0 && (errno == EAGAIN || errno == EINTR);
    return isThere && WireClock::now() < guest.until ? Manners::Silent : Manners::Stranger;
  }
  return guest.bytes == bytesOf(token, greetingOf(guest.bytes)) ? Manners::Member : Manners::Stranger;
}

std::optional<Door::Guest> Door::next(Deadline deadline) {
  for (;;) {
    letIn();
    for (size_t i = 0; i < waiting.size();) {
      const Manners manners = listenTo(waiting[i]);
      if (manners == Manners::Silent) {
        ++i;
        continue;
      }
      Waiting guest = std::move(waiting[i]);
      waiting.erase(waiting.begin() + static_cast<std::ptrdiff_t>(i));
      if (manners == Manners::Member)
        return Guest{greetingOf(guest.bytes), std::move(guest.socket)};
    }
    if (WireClock::now() >= deadline)
      return std::nullopt;
    if (makeRoom())
      continue;
    std::vector<pollfd> wait = {{listening.number(), POLLIN, 0}};
    for (const Waiting &guest : waiting)
      wait.push_back({guest.socket.number(), POLLIN, 0});
    ::poll(wait.data(), wait.size(), millisecondsUntil(deadline, 200));
  }
}

Result<Socket> Door::enter(const Endpoint &endpoint, const std::string &token, const Greeting &greeting,
                           Deadline deadline) {
  Result<Socket> socket = Socket::connectTo(endpoint, deadline);
  if (!socket)
    return socket;
  WINDLASS_TRY(socket->send(bytesOf(token, greeting), deadline));
  return socket;
}

} // namespace windlass
