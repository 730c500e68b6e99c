// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- SplitNetwork.h - one network on a host, another between hosts =========//
//
// Duty: of two networks the one for each group: where all its processes may read each other's memory, they do
// (TcpNetwork), which is faster than a library's messages; every other group is the other network's alone.
// Ownership: owns both. Threads, errors: as ByteNetwork.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/transport/tcp/TcpNetwork.h"

namespace windlass {

class SplitNetwork final : public ByteNetwork {
public:
  SplitNetwork(std::unique_ptr<TcpNetwork> near, std::unique_ptr<ByteNetwork> far)
      : near(std::move(near)), far(std::move(far)) {}

  Result<std::unique_ptr<ByteGroup>> makeGroup(int64_t number, std::span<const int64_t> processes) override {
    return near->areAllNear(processes) ? near->makeGroup(number, processes)
                                       : far->makeGroup(number, processes);
  }
  void setNames(NameOfProcess given) override {
    near->setNames(given);
    far->setNames(std::move(given));
  }
  void setPatience(double seconds) override {
    near->setPatience(seconds);
    far->setPatience(seconds);
  }
  std::optional<int64_t> unreachable() const override {
    const std::optional<int64_t> lost = near->unreachable();
    return lost ? lost : far->unreachable();
  }
  void closeDoor() override {
    near->closeDoor();
    far->closeDoor();
  }
  void abort() override {
    near->abort();
    far->abort();
  }

private:
  std::unique_ptr<TcpNetwork> near;
  std::unique_ptr<ByteNetwork> far;
};

} // namespace windlass
