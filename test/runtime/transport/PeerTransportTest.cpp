// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ranks on one GPU exchange the same bytes as ranks in one memory do, and events alone order their work.
#include "runtime/transport/peer/PeerTransport.h"
#include "runtime/tiers/cuda/CudaMemory.h"
#include "runtime/transport/OrderedSum.h"
#include "test/support/cuda/driver/SimDriver.h"
#include "test/support/cuda/plans/CudaBuiltins.h"
#include <cstring>
#include <gtest/gtest.h>
#include <random>
#include <thread>

using namespace windlass;
using namespace windlass::test;
using plan::ElementType;

namespace {

using Bytes = std::vector<std::byte>;

constexpr int64_t kPiece = 6000; // bytes: no multiple of the bytes that a block of threads sums
constexpr int64_t kPadded = 8192;

/// Ranks with memory and a stream each, on a simulated GPU.
class Gpu {
public:
  Gpu(int64_t ranks, SimPolicy policy, uint64_t seed) : sim(optionsOf(policy, seed)) {
    context = cuda::Context::create(SimDriver::table()).take();
    cuda::CuModule module = nullptr;
    EXPECT_TRUE(context->call<&cuda::Driver::loadModule>(&module, static_cast<const void *>(image().c_str()),
                                                         0u, static_cast<cuda::JitOption *>(nullptr),
                                                         static_cast<void **>(nullptr)));
    for (DeviceSum &sum : sums)
      EXPECT_TRUE(context->call<&cuda::Driver::function>(&sum.function, module, sum.symbol));
    for (int64_t rank = 0; rank < ranks; ++rank) {
      memories.push_back(CudaMemory::create(context, kPadded + ranks * kPiece, 0x5A).take());
      streams.push_back(memories.back()->makeStream(4).take());
      handles.push_back(streams.back().get());
    }
    transport = PeerTransport::create(context, handles, sums).take();
  }

  /// The shard of a rank lies before its whole tensor.
  std::span<std::byte> shard(int64_t rank) { return {memories[rank]->data(), kPadded}; }
  WholeTensor whole(int64_t rank) { return {memories[rank]->data() + kPadded, kPiece}; }
  void write(std::byte *to, const Bytes &from, int64_t rank) {
    ASSERT_TRUE(memories[rank]->upload(to, from.data(), std::ssize(from), nullptr));
  }
  Bytes read(const std::byte *from, int64_t bytes, int64_t rank) {
    Bytes out(static_cast<size_t>(bytes));
    EXPECT_TRUE(memories[rank]->offload(out.data(), from, bytes, nullptr));
    return out;
  }
  /// Every rank calls, and then waits for its stream.
  template <typename Call> void onRanks(Call call) {
    std::vector<std::jthread> threads;
    for (int64_t rank = 0; rank < std::ssize(memories); ++rank)
      threads.emplace_back([&, rank] {
        const Status status = call(rank);
        EXPECT_TRUE(status) << status.message();
        EXPECT_TRUE(streams[rank]->mark(1));
        EXPECT_TRUE(streams[rank]->finish(1));
      });
  }

  SimDriver sim;
  std::shared_ptr<cuda::Context> context;
  DeviceSums sums = kDeviceSums;
  std::vector<std::unique_ptr<DeviceMemory>> memories;
  std::unique_ptr<Transport> transport;
  std::vector<std::unique_ptr<Stream>> streams;
  std::vector<Stream *> handles;

private:
  static const std::string &image() {
    static const std::string text = [] {
      std::string names;
      for (const DeviceSum &sum : kDeviceSums)
        names += ".entry " + std::string(sum.symbol) + "(\n";
      return names;
    }();
    return text;
  }
  static SimOptions optionsOf(SimPolicy policy, uint64_t seed) {
    SimOptions options;
    options.policy = policy;
    options.seed = seed;
    SimHostCode::Functions functions;
    addBuiltins(functions);
    options.loader = SimHostCode::loader(std::move(functions));
    return options;
  }
};

Bytes dice(int64_t bytes, uint64_t seed) {
  std::mt19937_64 random(seed);
  Bytes made(static_cast<size_t>(bytes));
  for (std::byte &each : made) // halves and floats of moderate size: no infinities and no NaNs
    each = static_cast<std::byte>(random() & 0x3F);
  return made;
}

class PeerTransports : public testing::TestWithParam<SimPolicy> {};

TEST_P(PeerTransports, gatherPutsEveryPieceAtItsRankAgainAndAgain) {
  for (int64_t ranks : {1, 2, 3}) {
    Gpu gpu(ranks, GetParam(), static_cast<uint64_t>(ranks));
    for (uint64_t round = 0; round < 3; ++round) {
      Bytes expected;
      for (int64_t rank = 0; rank < ranks; ++rank) {
        const Bytes mine = dice(kPiece, 10 * round + static_cast<uint64_t>(rank));
        gpu.write(gpu.shard(rank).data(), mine, rank);
        expected.insert(expected.end(), mine.begin(), mine.end());
      }
      gpu.onRanks([&](int64_t rank) {
        const WholeTensor whole[] = {gpu.whole(rank)};
        return gpu.transport->allGather(rank, gpu.shard(rank), whole);
      });
      for (int64_t rank = 0; rank < ranks; ++rank)
        EXPECT_TRUE(gpu.read(gpu.whole(rank).data, ranks * kPiece, rank) == expected) << rank;
    }
    EXPECT_TRUE(gpu.sim.violations().empty()) << gpu.sim.violations()[0].what;
  }
}

TEST_P(PeerTransports, sumsOfEveryTypeHaveTheBitsOfRankOrderAndAZeroTail) {
  constexpr int64_t kRanks = 3;
  for (const DeviceSum &sum : kDeviceSums) {
    Gpu gpu(kRanks, GetParam(), 7);
    std::vector<Bytes> values;
    for (int64_t rank = 0; rank < kRanks; ++rank) {
      values.push_back(dice(kRanks * kPiece, static_cast<uint64_t>(rank)));
      gpu.write(gpu.whole(rank).data, values.back(), rank);
    }
    gpu.onRanks([&](int64_t rank) {
      const WholeTensor whole[] = {gpu.whole(rank)};
      return gpu.transport->reduceScatter(rank, sum.type, gpu.shard(rank), whole, {});
    });
    for (int64_t rank = 0; rank < kRanks; ++rank) {
      std::vector<const std::byte *> sources;
      for (const Bytes &each : values)
        sources.push_back(each.data() + rank * kPiece);
      Bytes expected(kPadded);
      sumInOrder(sum.type, sources, expected.data(), kPiece);
      EXPECT_TRUE(gpu.read(gpu.shard(rank).data(), kPadded, rank) == expected) << sum.symbol << " " << rank;
    }
    EXPECT_TRUE(gpu.sim.violations().empty()) << gpu.sim.violations()[0].what;
  }
}

TEST_P(PeerTransports, whatOneRankOwnsGoesToAllAndBack) {
  constexpr int64_t kRanks = 3, kRoot = 1;
  Gpu gpu(kRanks, GetParam(), 5);
  const Bytes value = dice(kPiece, 99);
  gpu.write(gpu.shard(kRoot).data(), value, kRoot);
  auto owned = [&](int64_t rank) { return rank == kRoot ? gpu.shard(rank) : std::span<std::byte>(); };
  gpu.onRanks([&](int64_t rank) {
    const WholeTensor whole[] = {gpu.whole(rank)};
    WINDLASS_TRY(gpu.transport->broadcast(rank, kRoot, owned(rank), whole));
    return gpu.transport->reduce(rank, kRoot, ElementType::F32, owned(rank), whole, {});
  });
  for (int64_t rank = 0; rank < kRanks; ++rank)
    EXPECT_TRUE(gpu.read(gpu.whole(rank).data, kPiece, rank) == value);
  Bytes thrice(kPadded);
  sumInOrder(ElementType::F32, std::vector<const std::byte *>(kRanks, value.data()), thrice.data(), kPiece);
  EXPECT_TRUE(gpu.read(gpu.shard(kRoot).data(), kPadded, kRoot) == thrice);
  EXPECT_TRUE(gpu.sim.violations().empty()) << gpu.sim.violations()[0].what;
}

INSTANTIATE_TEST_SUITE_P(Policies, PeerTransports, testing::ValuesIn(kSimPolicies));

TEST(PeerTransport, abortReleasesWaitingRanks) {
  Gpu gpu(2, SimPolicy::Eager, 1);
  std::jthread waiting([&] {
    const WholeTensor whole[] = {gpu.whole(0)};
    const Status status = gpu.transport->allGather(0, gpu.shard(0), whole);
    EXPECT_EQ(status.message(), "collective given up because another rank failed");
  });
  gpu.transport->abort();
}

TEST(PeerTransport, aSumWithoutCodeAndACrowdAreRefused) {
  Gpu gpu(1, SimPolicy::Eager, 1);
  const DeviceSums none = kDeviceSums;
  auto bare = PeerTransport::create(gpu.context, gpu.handles, none).take();
  const WholeTensor whole[] = {gpu.whole(0)};
  EXPECT_EQ(bare->reduceScatter(0, ElementType::BF16, gpu.shard(0), whole, {}).message(),
            "the plan has no code to sum bf16 on a GPU: 'windlass_ordered_sum_bf16'");
  const std::vector<Stream *> crowd(kMostPeers + 1, gpu.handles[0]);
  EXPECT_EQ(PeerTransport::create(gpu.context, crowd, none).status().message(),
            "17 ranks share a GPU: 16 may exchange bytes there");
}

} // namespace
