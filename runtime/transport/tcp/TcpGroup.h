// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- TcpGroup.h - the connections of one group =============================//
//
// Duty: the ByteGroup of TcpNetwork: of every place of this process a socket to each other place.
// Ownership: must not outlive its network. Threads, errors: as ByteGroup.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/transport/tcp/TcpLink.h"
#include "runtime/transport/tcp/TcpNetwork.h"
#include <atomic>
#include <poll.h>

namespace windlass {

class TcpGroup final : public ByteGroup {
public:
  /// `processes`: of each place. `looks`: each may read the memory of all others.
  TcpGroup(TcpNetwork &network, std::span<const int64_t> processes, bool looks);
  ~TcpGroup() override;

  void connect(int64_t place, int64_t other, TcpLink link);
  Status exchange(int64_t place, std::span<const Outgoing> outgoing,
                  std::span<const Incoming> incoming) override;
  bool looks() const override { return isLooking; }
  Status exchangeSlices(int64_t place, const Slices &slices) override;
  void abort() override;

private:
  struct Place {
    std::vector<TcpLink> links; ///< to each place
    std::vector<pollfd> wait;
  };
  Status finish(Place &mine, const Slices *slices);
  static void useSlices(Place &mine, const Slices &slices);
  /// Moves bytes of all links; says of which the end has come.
  TcpLink::End moveAll(Place &mine) const;
  std::string namesOf(const Place &from, const std::function<bool(const TcpLink &)> &which) const;
  std::string absent(const Place &from) const;
  void noteUnreachable(const Place &from) const;
  Status giveUp(const Place &from, TcpLink::End end, const std::string &why) const;

  TcpNetwork &network;
  std::vector<int64_t> processes;
  bool isLooking;
  std::vector<Place> held; ///< by place; without links where another process has it
  std::atomic<bool> aborted = false;
};

} // namespace windlass
