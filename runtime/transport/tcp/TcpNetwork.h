// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- TcpNetwork.h - bytes between processes over TCP =======================//
//
// Duty: the ByteNetwork that needs nothing but the system: one connection for each two places of a group. Of
// two places the later one connects. On one machine it carries only where bytes lie, if processes may read
// each other's memory (TcpLink.h). If a connection ends, exchanges wait ten seconds for the
// verdict of the control channel, which knows the cause. Ownership: owns its door and connections.
// Threads, errors: as ByteNetwork.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/transport/ByteNetwork.h"
#include "runtime/wire/Door.h"
#include <atomic>
#include <map>
#include <mutex>
#include <set>
#include <vector>

namespace windlass {

class FarMemory;
class TcpGroup;
class TcpLink;

class TcpNetwork final : public ByteNetwork {
public:
  struct Config {
    int64_t process = 0;
    std::string token;
    std::vector<Endpoint> addresses; ///< of each process's door
    /// near[i][j]: the process id of process j in the system of process i, if each may read the memory of the
    /// other; else 0. Empty: no process may.
    std::vector<std::vector<int64_t>> near;
  };
  TcpNetwork(Door door, Config config);
  ~TcpNetwork() override;

  Result<std::unique_ptr<ByteGroup>> makeGroup(int64_t number, std::span<const int64_t> processes) override;
  /// Whether each of `processes` may read the memory of all others.
  bool areAllNear(std::span<const int64_t> processes) const;
  void closeDoor() override { door = Door({}, {}); }
  std::optional<int64_t> unreachable() const override;
  void abort() override;

private:
  friend class TcpGroup;
  /// One end of a connection: of which group, from which place, to which.
  struct Key {
    int64_t group, from, to;
    auto operator<=>(const Key &) const = default;
  };
  TcpLink linkTo(int64_t process, Socket socket) const;
  Result<Socket> awaitGuest(const Key &key, Deadline deadline);

  Door door;
  Config config;
  std::vector<std::unique_ptr<FarMemory>> near; ///< by process; null where it cannot be read
  std::map<Key, Socket> guests;                 ///< that came before they were asked for
  std::atomic<int64_t> lost = -1;               ///< a process that is out of reach
  std::mutex mutex;                             ///< over all below
  std::set<TcpGroup *> groups;                  ///< that live
  bool aborted = false;
};

} // namespace windlass
