// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ranks with a GPU each exchange the same bytes over NCCL as ranks in one memory do. An error of NCCL ends
// their work.
#include "runtime/transport/nccl/NcclTransport.h"
#include "runtime/base/Bf16.h"
#include "runtime/base/F16.h"
#include "runtime/tiers/cuda/CudaMemory.h"
#include "test/conformance/TransportSuite.h"
#include "test/support/cuda/driver/SimDriver.h"
#include "test/support/cuda/nccl/SimNccl.h"
#include "test/support/cuda/plans/CudaBuiltins.h"
#include <cmath>
#include <functional>

namespace windlass::test {
namespace {

constexpr int64_t kArenaBytes = 1 << 20, kLargeArenaBytes = 40 << 20;

/// The arena that the tensors of a case fit into.
int64_t arenaBytesOf(const TransportCase &one) {
  return std::string_view(one.name).find("Megabytes") != std::string_view::npos ? kLargeArenaBytes
                                                                                : kArenaBytes;
}

SimOptions optionsOf(int64_t devices, SimPolicy policy, std::vector<SimFault> faults) {
  SimOptions options;
  options.policy = policy;
  options.devices = static_cast<int>(devices);
  options.faults = std::move(faults);
  SimHostCode::Functions functions;
  addBuiltins(functions);
  options.loader = SimHostCode::loader(std::move(functions));
  return options;
}

/// Staging memory for sums. The largest sums take several chunks.
constexpr int64_t kStagingBytes = 3 << 20;

/// The GPU of a rank.
struct Gpu {
  NcclMember member;
  std::unique_ptr<DeviceMemory> memory, staging;
  std::unique_ptr<Stream> stream;

  std::span<std::byte> stagingBytes() const { return {staging->data(), static_cast<size_t>(kStagingBytes)}; }
};

Gpu gpuOf(int ordinal, int64_t arenaBytes) {
  Gpu gpu;
  gpu.member.context = cuda::Context::create(SimDriver::table(), ordinal).take();
  gpu.member.sums = kDeviceSums;
  cuda::CuModule module = nullptr;
  const std::string image = builtinEntries();
  const cuda::Context &context = *gpu.member.context;
  EXPECT_TRUE(context.call<&cuda::Driver::loadModule>(&module, static_cast<const void *>(image.c_str()), 0u,
                                                      static_cast<cuda::JitOption *>(nullptr),
                                                      static_cast<void **>(nullptr)));
  for (DeviceSum &sum : gpu.member.sums)
    EXPECT_TRUE(context.call<&cuda::Driver::function>(&sum.function, module, sum.symbol));
  gpu.memory = CudaMemory::create(gpu.member.context, arenaBytes, 0x5A).take();
  gpu.stream = gpu.memory->makeStream(4).take();
  gpu.staging = CudaMemory::create(gpu.member.context, kStagingBytes, -1).take();
  gpu.member.stream = static_cast<CudaStream *>(gpu.stream.get());
  return gpu;
}

/// The ranks of one process, each with a GPU.
class Gpus {
public:
  Gpus(int64_t ranks, SimPolicy policy, std::vector<SimFault> faults = {}, int64_t arenaBytes = kArenaBytes,
       plan::Collectives collectives = plan::Collectives::Ordered)
      : sim(optionsOf(ranks, policy, std::move(faults))) {
    std::vector<NcclMember> members;
    for (int64_t rank = 0; rank < ranks; ++rank) {
      gpus.push_back(gpuOf(static_cast<int>(rank), arenaBytes));
      members.push_back(gpus.back().member);
    }
    transport = NcclTransport::create(SimNccl::table(), std::move(members), nullptr, collectives).take();
  }
  /// Streams are destroyed before the transport, as Backend.h requires.
  ~Gpus() {
    for (Gpu &gpu : gpus)
      gpu.stream.reset();
    transport.reset();
    const std::string left = SimNccl::leftovers();
    EXPECT_TRUE(left.empty() || sim.brokeOnly(SimRule::Deadlock)) << left; // on a dead device nothing ends
  }
  void expectNothingBroken() const {
    for (const SimViolation &each : sim.violations())
      ADD_FAILURE() << nameOf(each.rule) << ": " << each.what;
  }
  void onRanks(const std::function<void(int64_t)> &body) const {
    std::vector<std::jthread> threads;
    for (int64_t rank = 0; rank < std::ssize(gpus); ++rank)
      threads.emplace_back([&body, rank] { body(rank); });
  }

  SimDriver sim;
  std::unique_ptr<Transport> transport;
  std::vector<Gpu> gpus;
};

/// A transport for bytes of the host: the bytes are uploaded to a GPU, and offloaded when the call is
/// complete.
class FromHost final : public Transport {
public:
  FromHost(Transport &under, Gpu &gpu) : under(under), gpu(gpu) {}

  Status allGather(int64_t rank, std::span<const std::byte> shard,
                   std::span<const WholeTensor> whole) override {
    return call(shard, {}, whole, ranks,
                [&](auto mine, auto tensors) { return under.allGather(rank, mine, tensors); });
  }
  Status reduceScatter(int64_t rank, plan::ElementType type, std::span<std::byte> shard,
                       std::span<const WholeTensor> whole, std::span<std::byte> /*staging*/) override {
    return call(shard, shard, whole, ranks, [&](auto mine, auto tensors) {
      return under.reduceScatter(rank, type, mine, tensors, gpu.stagingBytes());
    });
  }
  Status broadcast(int64_t rank, int64_t root, std::span<const std::byte> shard,
                   std::span<const WholeTensor> whole) override {
    return call(shard, {}, whole, 1,
                [&](auto mine, auto tensors) { return under.broadcast(rank, root, mine, tensors); });
  }
  Status reduce(int64_t rank, int64_t root, plan::ElementType type, std::span<std::byte> shard,
                std::span<const WholeTensor> whole, std::span<std::byte> /*staging*/) override {
    return call(shard, shard, whole, 1, [&](auto mine, auto tensors) {
      return under.reduce(rank, root, type, mine, tensors, gpu.stagingBytes());
    });
  }
  void abort() override { under.abort(); }

  int64_t ranks = 1;

private:
  template <typename Call>
  Status call(std::span<const std::byte> shard, std::span<std::byte> comesBack,
              std::span<const WholeTensor> whole, int64_t pieces, Call made) {
    std::byte *const begin = gpu.memory->data();
    std::byte *next = begin;
    const auto bring = [&](std::span<const std::byte> bytes) {
      std::byte *const at = next;
      next += (std::ssize(bytes) + 255) / 256 * 256;
      EXPECT_LE(next - begin, kLargeArenaBytes);
      EXPECT_TRUE(bytes.empty() || gpu.memory->upload(at, bytes.data(), std::ssize(bytes), nullptr));
      return at;
    };
    const std::span<std::byte> mine(bring(shard), shard.size());
    std::vector<WholeTensor> tensors;
    for (const WholeTensor &each : whole)
      tensors.push_back({bring({each.data, static_cast<size_t>(each.pieceBytes * pieces)}), each.pieceBytes});
    WINDLASS_TRY(made(mine, std::span<const WholeTensor>(tensors)));
    WINDLASS_TRY(gpu.stream->mark(++count));
    WINDLASS_TRY(gpu.stream->finish(count));
    if (!comesBack.empty())
      WINDLASS_TRY(gpu.memory->offload(comesBack.data(), mine.data(), std::ssize(comesBack), nullptr));
    for (size_t i = 0; i < whole.size(); ++i)
      if (const int64_t bytes = whole[i].pieceBytes * pieces; bytes > 0)
        WINDLASS_TRY(gpu.memory->offload(whole[i].data, tensors[i].data, bytes, nullptr));
    return Status::ok();
  }

  Transport &under;
  Gpu &gpu;
  uint32_t count = 0;
};

/// The number of ranks, and the order of work of their devices.
class NcclTransports
    : public testing::TestWithParam<std::tuple<std::pair<int64_t, SimPolicy>, TransportCase>> {};

TEST_P(NcclTransports, doWhatEveryTransportDoes) {
  const auto &[how, one] = GetParam();
  const auto [ranks, policy] = how;
  Gpus gpus(ranks, policy, {}, arenaBytesOf(one));
  const int64_t before = SimNccl::sends();
  gpus.onRanks([&, &one = one, ranks = ranks](int64_t rank) {
    FromHost transport(*gpus.transport, gpus.gpus[static_cast<size_t>(rank)]);
    transport.ranks = ranks;
    one.run({transport, rank, ranks});
  });
  gpus.expectNothingBroken();
  const std::string name = one.name;
  const bool isBetweenTwo = name == "aMessageIsABroadcastBetweenTwo" && ranks != 2;
  EXPECT_EQ(SimNccl::sends() > before, ranks > 1 && !isBetweenTwo && name != "aSmallShardIsRefused");
}

INSTANTIATE_TEST_SUITE_P(All, NcclTransports,
                         testing::Combine(testing::Values(std::pair(1, SimPolicy::Eager),
                                                          std::pair(2, SimPolicy::Lazy),
                                                          std::pair(3, SimPolicy::Random),
                                                          std::pair(4, SimPolicy::OneStreamAhead)),
                                          testing::ValuesIn(kTransportCases)));

//===----------------------------------------------------------------------===//
// NCCL's own sums
//===----------------------------------------------------------------------===//

constexpr plan::ElementType kSummed[] = {plan::ElementType::F32, plan::ElementType::F64,
                                         plan::ElementType::BF16, plan::ElementType::F16};

double valueOf(plan::ElementType type, const std::byte *at) {
  if (type == plan::ElementType::F64) {
    double value;
    std::memcpy(&value, at, sizeof value);
    return value;
  }
  if (type == plan::ElementType::F32) {
    float value;
    std::memcpy(&value, at, sizeof value);
    return value;
  }
  uint16_t value;
  std::memcpy(&value, at, sizeof value);
  return type == plan::ElementType::BF16 ? widenBf16(value) : widenF16(value);
}

/// Half the distance from 1 to the next number of the type.
double halfStep(plan::ElementType type) {
  return std::ldexp(1, type == plan::ElementType::F64    ? -53
                       : type == plan::ElementType::F32  ? -24
                       : type == plan::ElementType::BF16 ? -8
                                                         : -11);
}

/// Expects that `sum` is the sum of the terms of `ranks` ranks in some order. Each of the ranks - 1 additions
/// may be off by half a step of the sum so far.
void expectASum(plan::ElementType type, int64_t ranks, int64_t piece, int64_t elements, const Bytes &sum) {
  const int64_t size = plan::bytesOf(type);
  std::vector<Bytes> terms;
  for (int64_t q = 0; q < ranks; ++q)
    terms.push_back(transport_suite::numbers(type, q, 0, elements, piece * elements));
  for (int64_t i = 0; i < elements; ++i) {
    double exact = 0, large = 0;
    for (const Bytes &term : terms) {
      exact += valueOf(type, term.data() + i * size);
      large += std::abs(valueOf(type, term.data() + i * size));
    }
    EXPECT_NEAR(valueOf(type, sum.data() + i * size), exact,
                static_cast<double>(ranks - 1) * halfStep(type) * large * 1.01)
        << "element " << i << " of piece " << piece;
  }
}

/// With four ranks, different orders give different sums.
TEST(NcclTransport, sumsOfNcclsOwnAreSumsInAnotherOrder) {
  constexpr int64_t kRanks = 4, kA = 301, kB = 17;
  for (plan::ElementType type : kSummed) {
    SCOPED_TRACE(plan::textOf(type));
    Gpus gpus(kRanks, SimPolicy::Random, {}, kArenaBytes, plan::Collectives::Nccl);
    const int64_t sends = SimNccl::sends(), collectives = SimNccl::collectives();
    std::atomic<int> others = 0; // ranks whose bits differ from the sum in rank order
    gpus.onRanks([&](int64_t rank) {
      FromHost transport(*gpus.transport, gpus.gpus[static_cast<size_t>(rank)]);
      transport.ranks = kRanks;
      const int64_t size = plan::bytesOf(type);
      transport_suite::Tensors mine(type, rank, 0, kA, kB, kRanks);
      Bytes shard(static_cast<size_t>((kA + kB) * size) + 16, std::byte{7});
      const Status summed = transport.reduceScatter(rank, type, shard, mine.whole, {});
      EXPECT_TRUE(summed.isOk()) << summed.message();
      others += shard != transport_suite::expectedSum(type, kRanks, 0, kA, kB, rank, shard.size());
      expectASum(type, kRanks, rank, kA, shard);
      EXPECT_EQ(Bytes(std::span(shard).last(16)), Bytes(16));

      transport_suite::Tensors all(type, rank, 0, kA, kB, 1);
      Bytes sum(rank == 2 ? static_cast<size_t>((kA + kB) * size) : 0);
      const Status reduced = transport.reduce(rank, 2, type, sum, all.whole, {});
      EXPECT_TRUE(reduced.isOk()) << reduced.message();
      if (rank == 2)
        expectASum(type, kRanks, 0, kA, sum);
    });
    if (type != plan::ElementType::F64) // f64 holds the sums of these numbers exactly
      EXPECT_GT(others, 0);
    EXPECT_EQ(SimNccl::sends(), sends);
    EXPECT_EQ(SimNccl::collectives(), collectives + kRanks * 4); // two tensors, two sums
    gpus.expectNothingBroken();
  }
}

/// Other exchanges of the transport have the same bytes with NCCL's own sums.
TEST(NcclTransport, whatNcclGathersAndWhatIsBroadcastIsTheSame) {
  for (const TransportCase &one : kTransportCases) {
    const std::string name = one.name;
    if (name.find("um") != std::string::npos) // leaves out sums
      continue;
    SCOPED_TRACE(name);
    for (int64_t ranks : {1, 2, 3}) {
      Gpus gpus(ranks, SimPolicy::Lazy, {}, arenaBytesOf(one), plan::Collectives::Nccl);
      gpus.onRanks([&, ranks](int64_t rank) {
        FromHost transport(*gpus.transport, gpus.gpus[static_cast<size_t>(rank)]);
        transport.ranks = ranks;
        one.run({transport, rank, ranks});
      });
      gpus.expectNothingBroken();
    }
  }
}

TEST(NcclTransport, collectivesOfNcclsOwnThatDisagreeAreFoundByName) {
  Gpus gpus(2, SimPolicy::Random, {}, 4096, plan::Collectives::Nccl);
  gpus.onRanks([&](int64_t rank) {
    std::byte *const bytes = gpus.gpus[static_cast<size_t>(rank)].memory->data();
    const WholeTensor whole[] = {{bytes + 1024, 64}};
    const std::vector<std::byte> from(2048);
    EXPECT_TRUE(gpus.gpus[static_cast<size_t>(rank)].memory->upload(bytes, from.data(), 2048, nullptr));
    EXPECT_TRUE(rank == 0
                    ? gpus.transport->allGather(rank, {bytes, 64}, whole)
                    : gpus.transport->reduceScatter(rank, plan::ElementType::F32, {bytes, 64}, whole, {}));
    EXPECT_TRUE(gpus.gpus[static_cast<size_t>(rank)].stream->mark(1));
    EXPECT_TRUE(gpus.gpus[static_cast<size_t>(rank)].stream->finish(1));
  });
  EXPECT_TRUE(gpus.sim.brokeOnly(SimRule::CallsDisagree));
}

/// Gathers a few bytes, and waits until the gather is complete.
Status gather(const Gpus &gpus, int64_t rank, uint32_t round, int64_t pieceBytes = 64) {
  const Gpu &gpu = gpus.gpus[static_cast<size_t>(rank)];
  std::byte *const bytes = gpu.memory->data();
  const WholeTensor whole[] = {{bytes + 1024, pieceBytes}};
  const std::vector<std::byte> from(1024);
  if (round == 1)
    WINDLASS_TRY(gpu.memory->upload(bytes, from.data(), std::ssize(from), nullptr));
  WINDLASS_TRY(gpus.transport->allGather(rank, {bytes, 1024}, whole));
  WINDLASS_TRY(gpu.stream->mark(round));
  return gpu.stream->finish(round);
}

TEST(NcclTransport, whatNcclSaysEndsTheWorkOfAllRanks) {
  for (SimPolicy policy : kSimPolicies) {
    Gpus gpus(2, policy, {{SimFaultKind::NcclFailed, 3}}, 4096);
    gpus.onRanks([&](int64_t rank) {
      const Status first = gather(gpus, rank, 1);
      EXPECT_TRUE(first.isOk()) << first.message();
      for (uint32_t round : {2, 3}) { // the watcher or a rank that calls reports the error first
        const std::string said = gather(gpus, rank, round).message();
        const std::string why = ": remote process exited or there was a network error";
        EXPECT_TRUE(said == "NCCL, between rank 0 and rank 1" + why ||
                    said == "NCCL, between rank 1 and rank 0" + why)
            << said;
      }
    });
    gpus.expectNothingBroken();
  }
}

/// `whom`: the rank that is waited for.
std::string notDone(const std::string &whom) {
  return "NCCL is not done after 200 ms (--device-timeout): " + whom + " is missing, or the way to it hangs";
}

/// The missing rank may be the first or the last.
TEST(NcclTransport, ranksThatWaitForOneThatDoesNotJoinEndInTime) {
  for (int64_t missing : {1, 2, 3}) {
    SimDriver sim(optionsOf(3, SimPolicy::Random, {{SimFaultKind::NcclNotJoined, missing}}));
    std::vector<Gpu> gpus;
    std::vector<NcclMember> members;
    for (int ordinal : {0, 1, 2}) {
      gpus.push_back(gpuOf(ordinal, 4096));
      gpus.back().member.context->limitWaits(0.2);
      members.push_back(gpus.back().member);
    }
    const Status joined = NcclTransport::create(SimNccl::table(), std::move(members)).status();
    EXPECT_EQ(joined.code(), ExitCode::RunFailed);
    EXPECT_EQ(joined.message(), "NCCL connects no 3 ranks: " + notDone("one of ranks 1, 2"));
    EXPECT_EQ(SimNccl::leftovers(), "");
    EXPECT_TRUE(sim.violations().empty());
  }
}

TEST(NcclTransport, aCallThatNcclDoesNotComeToTheEndOfEndsInTime) {
  for (SimPolicy policy : kSimPolicies) {
    Gpus gpus(2, policy, {{SimFaultKind::NcclStuck, 3}}, 4096);
    for (const Gpu &gpu : gpus.gpus)
      gpu.member.context->limitWaits(0.2);
    std::atomic<int> late = 0;
    gpus.onRanks([&](int64_t rank) {
      EXPECT_TRUE(gather(gpus, rank, 1));
      late += gather(gpus, rank, 2).message() == notDone("rank " + std::to_string(1 - rank));
      gpus.transport->abort(); // as an executor does: this also frees the other rank's stream
    });
    EXPECT_GE(late, 1);
    gpus.expectNothingBroken();
  }
}

TEST(NcclTransport, abortEndsWhatWaitsForARankThatNeverComes) {
  Gpus gpus(2, SimPolicy::Eager, {}, 4096);
  std::byte *const bytes = gpus.gpus[0].memory->data();
  const WholeTensor whole[] = {{bytes + 1024, 64}};
  const std::vector<std::byte> from(1024);
  ASSERT_TRUE(gpus.gpus[0].memory->upload(bytes, from.data(), std::ssize(from), nullptr));
  ASSERT_TRUE(gpus.transport->allGather(0, {bytes, 1024}, whole));
  ASSERT_TRUE(gpus.gpus[0].stream->mark(1));
  gpus.transport->abort();
  EXPECT_TRUE(gpus.gpus[0].stream->finish(1)); // the stream is free, and its end does not wait
  EXPECT_EQ(gpus.transport->allGather(0, {bytes, 1024}, whole).message(),
            "collective given up because another rank failed");
  gpus.expectNothingBroken();
}

TEST(NcclTransport, callsThatDisagreeAreFoundByName) {
  Gpus gpus(2, SimPolicy::Random, {}, 4096);
  gpus.onRanks([&](int64_t rank) { EXPECT_TRUE(gather(gpus, rank, 1, rank == 0 ? 64 : 32)); });
  EXPECT_TRUE(gpus.sim.brokeOnly(SimRule::CallsDisagree));
}

/// Two communicators of the same GPUs, each on its own streams. The ranks call them in different orders.
TEST(NcclTransport, callsInDifferentOrdersAreADeadlockThatIsFoundByName) {
  Gpus gpus(2, SimPolicy::Eager, {}, 4096);
  std::vector<std::unique_ptr<Stream>> streams;
  std::vector<NcclMember> members;
  for (const Gpu &gpu : gpus.gpus) {
    streams.push_back(gpu.memory->makeStream(4).take());
    members.push_back(gpu.member);
    members.back().stream = static_cast<CudaStream *>(streams.back().get());
  }
  std::unique_ptr<Transport> other = NcclTransport::create(SimNccl::table(), std::move(members)).take();
  gpus.onRanks([&](int64_t rank) {
    const Gpu &gpu = gpus.gpus[static_cast<size_t>(rank)];
    std::byte *const bytes = gpu.memory->data();
    const std::vector<std::byte> from(1024);
    EXPECT_TRUE(gpu.memory->upload(bytes, from.data(), std::ssize(from), nullptr));
    const WholeTensor first[] = {{bytes + 1024, 64}}, second[] = {{bytes + 2048, 64}};
    EXPECT_TRUE((rank == 0 ? *gpus.transport : *other).allGather(rank, {bytes, 64}, first));
    EXPECT_TRUE((rank == 0 ? *other : *gpus.transport).allGather(rank, {bytes, 64}, second));
    const Status marked = gpu.stream->mark(1); // refused if the other rank has already found the deadlock
    EXPECT_FALSE(marked.isOk() && gpu.stream->finish(1).isOk());
  });
  EXPECT_TRUE(gpus.sim.brokeOnly(SimRule::Deadlock));
  streams.clear();
  other.reset();
}

TEST(NcclTransport, aGpuThatTwoRanksShareIsRefused) {
  SimDriver sim(optionsOf(1, SimPolicy::Eager, {}));
  Gpu gpu = gpuOf(0, 4096);
  EXPECT_EQ(NcclTransport::create(SimNccl::table(), {gpu.member, gpu.member}).status().message(),
            "NCCL connects no 2 ranks: ncclCommInitRankConfig: invalid usage");
  EXPECT_EQ(SimNccl::leftovers(), "");
}

/// The staging memory is a byte smaller than a chunk for each other rank.
TEST(NcclTransport, aSumWithoutRoomForWhatOthersBringIsRefused) {
  Gpus gpus(3, SimPolicy::Eager, {}, 4096);
  const Gpu &gpu = gpus.gpus[0];
  const WholeTensor whole[] = {{gpu.memory->data(), 64}};
  const std::span<std::byte> shard(gpu.memory->data() + 1024, 64);
  EXPECT_EQ(
      gpus.transport->reduceScatter(0, plan::ElementType::F32, shard, whole, {shard.data(), 511}).message(),
      "the plan has 511 bytes to stage a sum of 3 ranks in: compile it again");
}

TEST(NcclTransport, aCrowdAndASumWithoutCodeAreRefused) {
  Gpus gpus(1, SimPolicy::Eager, {}, 4096);
  std::vector<NcclMember> crowd(kMostPeers + 1, gpus.gpus[0].member);
  EXPECT_EQ(NcclTransport::create(SimNccl::table(), crowd).status().message(),
            "17 ranks sum over NCCL: 16 may");
  NcclMember bare = gpus.gpus[0].member;
  bare.sums = kDeviceSums;
  const auto transport = NcclTransport::create(SimNccl::table(), {bare}).take();
  const WholeTensor whole[] = {{gpus.gpus[0].memory->data(), 64}};
  std::vector<std::byte> shard(64);
  EXPECT_EQ(transport->reduceScatter(0, plan::ElementType::BF16, shard, whole, {}).message(),
            "the plan has no code to sum bf16 on a GPU: 'windlass_ordered_sum_bf16'");
}

} // namespace
} // namespace windlass::test
