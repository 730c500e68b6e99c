// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/transport/ExchangeTransport.h"
#include "runtime/transport/InProcessTransport.h"
#include "runtime/transport/SplitNetwork.h"
#include "test/conformance/TransportSuite.h"
#include "test/runtime/transport/LoopNetwork.h"
#include <functional>
#include <thread>
#include <unistd.h>

namespace windlass::test {
namespace {

/// Ranks as threads, each running `body`.
void onRanks(int64_t ranks, const std::function<void(int64_t)> &body) {
  std::vector<std::jthread> threads;
  for (int64_t r = 0; r < ranks; ++r)
    threads.emplace_back([&, r] { body(r); });
}

void runInProcess(int64_t ranks, const TransportCase &one) {
  InProcessTransport transport(ranks);
  onRanks(ranks, [&](int64_t r) { one.run({transport, r, ranks}); });
}

/// Each process its networks, groups and transport, over connections on the loop.
void runOverTcp(int64_t ranks, int64_t ranksOfEach, const TransportCase &one, int64_t near = 0) {
  std::vector<std::unique_ptr<TcpNetwork>> networks =
      loopNetworks(ranks / ranksOfEach, kExchangeSeconds, near);
  std::vector<int64_t> processes;
  for (int64_t r = 0; r < ranks; ++r)
    processes.push_back(r / ranksOfEach);
  std::vector<std::unique_ptr<ExchangeTransport>> transports(networks.size());
  onRanks(std::ssize(networks), [&](int64_t process) {
    Result<std::unique_ptr<ByteGroup>> group =
        networks[static_cast<size_t>(process)]->makeGroup(3, processes);
    ASSERT_TRUE(group.isOk()) << group.status().message();
    transports[static_cast<size_t>(process)] = std::make_unique<ExchangeTransport>(ranks, group.take());
  });
  onRanks(ranks, [&](int64_t r) {
    one.run({*transports[static_cast<size_t>(processes[static_cast<size_t>(r)])], r, ranks});
  });
}

class TransportSuite : public testing::TestWithParam<std::tuple<int64_t, TransportCase>> {};

TEST_P(TransportSuite, inOneProcess) {
  const auto &[ranks, one] = GetParam();
  runInProcess(ranks, one);
}

TEST_P(TransportSuite, overTcpWithAProcessForEachRank) {
  const auto &[ranks, one] = GetParam();
  runOverTcp(ranks, 1, one);
}

TEST_P(TransportSuite, overTcpWithTwoRanksAProcess) {
  const auto &[ranks, one] = GetParam();
  if (ranks % 2 == 0)
    runOverTcp(ranks, 2, one);
}

TEST_P(TransportSuite, fromMemoryToMemory) {
  const auto &[ranks, one] = GetParam();
  runOverTcp(ranks, 1, one, ::getpid());
}

INSTANTIATE_TEST_SUITE_P(All, TransportSuite,
                         testing::Combine(testing::Values(1, 2, 3, 4), testing::ValuesIn(kTransportCases)));

/// Of three processes the first two read each other's memory.
TEST(SplitNetwork, groupsThatSpanHostsAreTheFarNetworks) {
  std::vector<std::unique_ptr<TcpNetwork>> near = loopNetworks(3, kExchangeSeconds, ::getpid(), {2}),
                                           far = loopNetworks(3);
  std::vector<std::unique_ptr<SplitNetwork>> networks;
  for (size_t process = 0; process < near.size(); ++process)
    networks.push_back(std::make_unique<SplitNetwork>(std::move(near[process]), std::move(far[process])));
  onRanks(3, [&](int64_t process) {
    SplitNetwork &mine = *networks[static_cast<size_t>(process)];
    const std::vector<int64_t> onHost = {0, 1}, all = {0, 1, 2};
    for (const auto &[number, processes, looks] : {std::tuple(0, onHost, true), {1, all, false}}) {
      if (process == 2 && looks)
        continue;
      Result<std::unique_ptr<ByteGroup>> group = mine.makeGroup(number, processes);
      ASSERT_TRUE(group.isOk()) << group.status().message();
      EXPECT_EQ((*group)->looks(), looks);
      ExchangeTransport transport(std::ssize(processes), group.take());
      transport_suite::gatherPutsEveryPieceAtItsRank({transport, process, std::ssize(processes)});
      transport_suite::sumsAreInRankOrder({transport, process, std::ssize(processes)});
    }
  });
}

/// Two ranks; `body` runs on the first, of which the second brings nothing.
void onTheFirstOfTwo(double exchangeSeconds, const std::function<void(TcpNetwork &, Transport &)> &body,
                     const std::function<void(std::unique_ptr<ExchangeTransport> &)> &second) {
  std::vector<std::unique_ptr<TcpNetwork>> networks = loopNetworks(2, exchangeSeconds);
  const std::vector<int64_t> processes = {0, 1};
  onRanks(2, [&](int64_t process) {
    Result<std::unique_ptr<ByteGroup>> group =
        networks[static_cast<size_t>(process)]->makeGroup(0, processes);
    ASSERT_TRUE(group.isOk()) << group.status().message();
    auto transport = std::make_unique<ExchangeTransport>(2, group.take());
    if (process == 0)
      body(*networks[0], *transport);
    else
      second(transport);
  });
}

TEST(TcpNetwork, anExchangeOverItsDeadlineNamesWhoDidNotCome) {
  std::atomic<bool> isDone = false;
  onTheFirstOfTwo(
      0.2,
      [&](TcpNetwork &, Transport &transport) {
        std::vector<std::byte> shard(4), whole(8);
        const WholeTensor tensors[] = {{whole.data(), 4}};
        const Status late = transport.allGather(0, shard, tensors);
        EXPECT_EQ(late.code(), ExitCode::RunFailed);
        EXPECT_EQ(late.message(), "process 1 did not come to this exchange within 200 ms, all that "
                                  "--collective-timeout allows");
        isDone = true;
        isDone.notify_all();
      },
      [&](std::unique_ptr<ExchangeTransport> &) { isDone.wait(false); });
}

TEST(TcpNetwork, abortReleasesWhoeverWaitsAndRefusesNewCalls) {
  std::atomic<TcpNetwork *> waiting = nullptr;
  onTheFirstOfTwo(
      60,
      [&](TcpNetwork &network, Transport &transport) {
        waiting = &network;
        waiting.notify_all();
        std::vector<std::byte> shard(4), whole(8);
        const WholeTensor tensors[] = {{whole.data(), 4}};
        EXPECT_EQ(transport.allGather(0, shard, tensors).code(), ExitCode::RunFailed);
        EXPECT_EQ(transport.allGather(0, shard, tensors).code(), ExitCode::RunFailed);
      },
      [&](std::unique_ptr<ExchangeTransport> &) {
        waiting.wait(nullptr);
        waiting.load()->abort();
      });
}

} // namespace
} // namespace windlass::test
