// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/launch/HostLinks.h"

#include <cerrno>
#include <sys/socket.h>

namespace windlass {
namespace {

/// The purpose in the greeting of these connections; control connections have -1, those for tensors 0 and
/// more.
constexpr int64_t kLinkPurpose = -2;

} // namespace

/// Each process connects to all earlier ones before it waits for later ones, so that no two wait for each
/// other.
Result<HostLinks> HostLinks::connect(Door door, const std::string &token, const std::vector<Place> &places,
                                     size_t mine, double seconds) {
  const Deadline deadline = afterSeconds(seconds);
  HostLinks made;
  for (size_t earlier = 0; earlier < mine; ++earlier) {
    const Greeting greeting = {kLinkPurpose, static_cast<int64_t>(mine), static_cast<int64_t>(earlier)};
    Result<Socket> socket = Door::enter(places[earlier].address, token, greeting, deadline);
    if (!socket)
      return socket.status().in(places[earlier].name);
    made.links.push_back({places[earlier].process, socket.take()});
  }
  while (made.links.size() + 1 < places.size()) {
    std::optional<Door::Guest> guest = door.next(deadline);
    if (!guest)
      return Status::runFailed("other hosts did not come to " + door.address().text() + " within " +
                               std::to_string(static_cast<int>(seconds)) + " s");
    const auto from = static_cast<size_t>(guest->greeting.from);
    if (guest->greeting.purpose == kLinkPurpose && from > mine && from < places.size())
      made.links.push_back({places[from].process, std::move(guest->socket)});
  }
  for (const Link &link : made.links)
    link.socket.askForSigns(kSilenceSeconds);
  return made;
}

std::optional<int64_t> HostLinks::unreachable() {
  for (Link &link : links) {
    std::byte nothing = {};
    const ssize_t got = link.socket.isOpen() ? ::recv(link.socket.number(), &nothing, 1, 0) : 1;
    if (got > 0 || (got < 0 && (errno == EAGAIN || errno == EINTR)))
      continue;
    const int error = got < 0 ? errno : 0;
    link.socket = Socket();
    if (error == ETIMEDOUT || error == EHOSTUNREACH || error == ENETUNREACH || error == ENETDOWN)
      return link.process;
  }
  return std::nullopt;
}

} // namespace windlass
