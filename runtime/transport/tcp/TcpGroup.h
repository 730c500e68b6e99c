// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- TcpGroup.h - the connections of one group ==========================//
//
// Duty: the ByteGroup of TcpNetwork: of every place of this process a socket to each other place.
// Ownership: must not outlive its network. Threads, errors: as ByteGroup.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/transport/tcp/TcpNetwork.h"
#include <atomic>
#include <poll.h>

namespace windlass {

class TcpGroup final : public ByteGroup {
public:
  TcpGroup(TcpNetwork &network, int64_t places);
  ~TcpGroup() override;

  void connect(int64_t place, int64_t other, Socket socket);
  Status exchange(int64_t place, std::span<const Outgoing> outgoing,
                  std::span<const Incoming> incoming) override;
  void abort() override;

private:
  /// What one connection has to carry in an exchange: the pieces in order.
  struct Link {
    Socket socket;
    std::vector<std::span<const std::byte>> sending;
    std::vector<std::span<std::byte>> receiving;
    size_t sent = 0, received = 0; ///< pieces
    bool isClosed = false;
    bool isDone() const { return sent == sending.size() && received == receiving.size(); }
    void load();
    void move();
  };
  struct Place {
    std::vector<Link> links; ///< to each place
    std::vector<pollfd> wait;
  };
  Status giveUp(const Place &from, const std::string &why) const;

  TcpNetwork &network;
  std::vector<Place> held; ///< by place; without links where another process has it
  std::atomic<bool> aborted = false;
};

} // namespace windlass
