// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- LoopNetwork.h - threads in place of processes =========================//
//
// Duty: makes TcpNetworks on the loopback interface of this machine, each as if it were that of another
// process.
// Errors: fail the calling test if a network cannot listen.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/transport/tcp/TcpNetwork.h"
#include <gtest/gtest.h>
#include <memory>
#include <vector>

namespace windlass::test {

/// `near`: the id of this process, if the networks may read the memory of each other, except those of
/// `apart`; 0: they may not.
inline std::vector<std::unique_ptr<TcpNetwork>> loopNetworks(int64_t processes,
                                                             double exchangeSeconds = kExchangeSeconds,
                                                             int64_t near = 0,
                                                             const std::vector<int64_t> &apart = {}) {
  std::vector<Socket> listening;
  TcpNetwork::Config config = {.process = 0, .token = "secret", .addresses = {}, .near = {}};
  config.near.assign(static_cast<size_t>(processes), std::vector(static_cast<size_t>(processes), near));
  for (int64_t one : apart)
    for (int64_t other = 0; other < processes; ++other)
      config.near[static_cast<size_t>(one)][static_cast<size_t>(other)] =
          config.near[static_cast<size_t>(other)][static_cast<size_t>(one)] = 0;
  for (int64_t process = 0; process < processes; ++process) {
    Result<Socket> socket = Socket::listenAt({"127.0.0.1", 0});
    EXPECT_TRUE(socket.isOk()) << socket.status().message();
    config.addresses.push_back(socket->local());
    listening.push_back(socket.take());
  }
  std::vector<std::unique_ptr<TcpNetwork>> networks;
  for (; config.process < processes; ++config.process) {
    networks.push_back(std::make_unique<TcpNetwork>(
        Door(std::move(listening[static_cast<size_t>(config.process)]), "secret"), config));
    networks.back()->setPatience(exchangeSeconds);
  }
  return networks;
}

} // namespace windlass::test
