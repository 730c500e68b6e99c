// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/transport/tcp/TcpNetwork.h"

#include "runtime/transport/tcp/TcpGroup.h"
#include <algorithm>

namespace windlass {

/// While every process connects, and nobody computes.
static constexpr double kConnectSeconds = 60;

TcpNetwork::TcpNetwork(Door opened, Config given)
    : door(std::move(opened)), config(std::move(given)), near(config.addresses.size()) {
  for (size_t process = 0; !config.near.empty() && process < near.size(); ++process)
    if (const int64_t number = config.near[static_cast<size_t>(config.process)][process]; number != 0)
      near[process] = std::make_unique<FarMemory>(number);
}

TcpNetwork::~TcpNetwork() = default;

/// All connect before anybody waits for a guest: doors are open, so no two processes wait for each other.
Result<std::unique_ptr<ByteGroup>> TcpNetwork::makeGroup(int64_t number, std::span<const int64_t> processes) {
  const Deadline deadline = afterSeconds(kConnectSeconds);
  const auto places = std::ssize(processes);
  auto group = std::make_unique<TcpGroup>(*this, processes, areAllNear(processes));
  const auto processOf = [&](int64_t place) { return processes[static_cast<size_t>(place)]; };
  const auto isMine = [&](int64_t place) { return processOf(place) == config.process; };
  for (int64_t place = 0; place < places; ++place)
    for (int64_t earlier = 0; isMine(place) && earlier < place; ++earlier) {
      const Endpoint &there = config.addresses[static_cast<size_t>(processOf(earlier))];
      Result<Socket> socket = Door::enter(there, config.token, {number, place, earlier}, deadline);
      if (!socket)
        return socket.status().in(nameOf(processOf(earlier)));
      group->connect(place, earlier, linkTo(processOf(earlier), socket.take()));
    }
  for (int64_t place = 0; place < places; ++place)
    for (int64_t later = place + 1; isMine(place) && later < places; ++later) {
      Result<Socket> guest = awaitGuest({number, later, place}, deadline);
      if (!guest)
        return guest.status().in(nameOf(processOf(later)));
      group->connect(place, later, linkTo(processOf(later), guest.take()));
    }
  return std::unique_ptr<ByteGroup>(std::move(group));
}

std::optional<int64_t> TcpNetwork::unreachable() const {
  const int64_t process = lost;
  return process < 0 ? std::nullopt : std::optional(process);
}

TcpLink TcpNetwork::linkTo(int64_t process, Socket socket) const {
  return {std::move(socket), near[static_cast<size_t>(process)].get()};
}

bool TcpNetwork::areAllNear(std::span<const int64_t> processes) const {
  const auto isNear = [&](int64_t one, int64_t other) {
    return config.near[static_cast<size_t>(one)][static_cast<size_t>(other)] != 0;
  };
  return !config.near.empty() && std::ranges::all_of(processes, [&](int64_t one) {
    return std::ranges::all_of(processes, [&](int64_t other) { return isNear(one, other); });
  });
}

Result<Socket> TcpNetwork::awaitGuest(const Key &key, Deadline deadline) {
  for (;;) {
    if (auto known = guests.extract(key); known)
      return std::move(known.mapped());
    {
      std::lock_guard lock(mutex);
      if (aborted)
        return Status::runFailed("given up because another rank failed");
    }
    if (std::optional<Door::Guest> guest = door.next(std::min(deadline, afterSeconds(0.2))))
      guests[{guest->greeting.purpose, guest->greeting.from, guest->greeting.to}] = std::move(guest->socket);
    else if (WireClock::now() >= deadline)
      return Status::runFailed("no connection came within " +
                               std::to_string(static_cast<int>(kConnectSeconds)) + " s");
  }
}

void TcpNetwork::abort() {
  std::lock_guard lock(mutex);
  aborted = true;
  for (TcpGroup *group : groups)
    group->abort();
}

} // namespace windlass
