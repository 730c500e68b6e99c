// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/tiers/Arena.h"
#include "runtime/transport/ExchangeTransport.h"
#include "runtime/transport/InProcessTransport.h"
#include "runtime/transport/SplitNetwork.h"
#include "runtime/transport/tcp/NearMemory.h"
#include "test/conformance/TransportSuite.h"
#include "test/runtime/transport/LoopNetwork.h"
#include <functional>
#include <memory_resource>
#include <numeric>
#include <sys/mman.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace windlass::test {
namespace {

/// Runs `body` for each rank in its own thread.
void onRanks(int64_t ranks, const std::function<void(int64_t)> &body) {
  std::vector<std::jthread> threads;
  for (int64_t r = 0; r < ranks; ++r)
    threads.emplace_back([&, r] { body(r); });
}

void runInProcess(int64_t ranks, const TransportCase &one) {
  InProcessTransport transport(ranks);
  onRanks(ranks, [&](int64_t r) { one.run({transport, r, ranks}); });
}

/// Gives each process its networks, groups and transport, over connections on the loopback interface.
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

/// The exit code of a process if the system does not permit what the test needs.
constexpr int kRefused = 77;

bool readsMemoryOf(int64_t process) {
  static const std::byte there = {}; // the twin has it, too
  std::byte here = {};
  const FarSpan from = {reinterpret_cast<uintptr_t>(&there), 1, {}};
  const std::span<std::byte> to(&here, 1);
  return FarMemory(process).copy({&from, 1}, {&to, 1});
}

/// One of several twins. It runs all cases on memory that the others see, or that they must copy from.
int runAsProcess(const TcpNetwork::Config &config, Socket listening, Arena::Seen seen) {
  const auto ranks = std::ssize(config.addresses);
  const bool isInPlace = seen == Arena::Seen::ByProcessesOfHost;
  const Arena arena = Arena::create(int64_t{64} << 20, -1, seen).take();
  if (!std::ranges::all_of(config.near.front(), readsMemoryOf) ||
      (SharedFile::placeOf(arena.span()).inode != 0) != isInPlace)
    return kRefused;
  TcpNetwork network(Door(std::move(listening), "secret"), config);
  std::vector<int64_t> processes(static_cast<size_t>(ranks));
  std::iota(processes.begin(), processes.end(), 0);
  for (int64_t group = 0; const TransportCase &one : kTransportCases) {
    SCOPED_TRACE(one.name);
    ExchangeTransport transport(ranks, network.makeGroup(group++, processes).take());
    std::pmr::monotonic_buffer_resource memory(arena.data(), static_cast<size_t>(arena.size()));
    std::pmr::set_default_resource(&memory);
    one.run({transport, config.process, ranks});
    std::pmr::set_default_resource(nullptr);
  }
  EXPECT_EQ(SharedView::bytesOfAll(), isInPlace ? (ranks - 1) * arena.size() : 0);
  return testing::Test::HasFailure() ? 1 : 0;
}

/// Each rank is a process. The processes exchange their ids in memory that they share from before the fork.
void runInProcesses(int64_t ranks, Arena::Seen seen) {
  constexpr size_t kBytes = 4096;
  void *const shared = ::mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(shared, MAP_FAILED);
  const std::span numbers(static_cast<std::atomic<int64_t> *>(shared), static_cast<size_t>(ranks));
  TcpNetwork::Config config = {.process = 0, .token = "secret", .addresses = {}, .near = {}};
  std::vector<Socket> listening;
  for (int64_t rank = 0; rank < ranks; ++rank)
    config.addresses.push_back(listening.emplace_back(Socket::listenAt({"127.0.0.1", 0}).take()).local());
  std::vector<pid_t> twins;
  for (; config.process < ranks; ++config.process) {
    const auto mine = static_cast<size_t>(config.process);
    twins.push_back(::fork());
    if (twins.back() != 0)
      continue;
    ::alarm(100);
    const MemoryMark mark; // permits other processes to read its memory, where that must be permitted
    numbers[mine] = ::getpid();
    for (const std::atomic<int64_t> &number : numbers)
      while (number == 0)
        ::usleep(1000);
    config.near.assign(numbers.size(), std::vector<int64_t>(numbers.begin(), numbers.end()));
    const int result = runAsProcess(config, std::move(listening[mine]), seen);
    std::fflush(stdout);
    ::_exit(result);
  }
  bool isRefused = false;
  for (pid_t twin : twins) {
    int ended = 0;
    ::waitpid(twin, &ended, 0);
    isRefused |= WIFEXITED(ended) && WEXITSTATUS(ended) == kRefused;
    EXPECT_TRUE(ended == 0 || isRefused) << "a process ended with " << ended;
  }
  ::munmap(shared, kBytes);
  if (isRefused)
    GTEST_SKIP() << "this system lets no process do so";
}

class ProcessesSuite : public testing::TestWithParam<int64_t> {};

TEST_P(ProcessesSuite, copyOutOfEachOthersMemory) { runInProcesses(GetParam(), Arena::Seen::ByNobody); }
TEST_P(ProcessesSuite, readEachOthersMemoryInPlace) {
  runInProcesses(GetParam(), Arena::Seen::ByProcessesOfHost);
}

INSTANTIATE_TEST_SUITE_P(All, ProcessesSuite, testing::Values(2, 3, 4));

/// The first two of three processes read each other's memory.
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

/// Two ranks: `body` runs on the first, and the second takes part in no exchange.
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
