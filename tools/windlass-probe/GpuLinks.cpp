// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/windlass-probe/GpuLinks.h"

#include "runtime/tiers/cuda/CudaMemory.h"
#include "runtime/transport/nccl/NcclTransport.h"
#include <algorithm>
#include <mutex>
#include <thread>

namespace windlass {
namespace {

constexpr int64_t kMostShard = int64_t{64} << 20, kFewestShard = int64_t{64} << 10, kTinyShard = 256;
constexpr int kExchanges = 8;    ///< exchanges of one size that are enqueued together
constexpr int kTiny = 200;       ///< the same for the tiny size
constexpr double kEnough = 0.25; ///< no larger size is tried after this share of the time
constexpr std::chrono::microseconds kShortNap(5);
constexpr int64_t kFreeShare = 8; ///< one part in this many of a GPU's free memory is taken at most

/// A GPU with its shard, a buffer for all shards, and the stream of its exchanges.
struct Gpu {
  NcclMember member;
  std::unique_ptr<DeviceMemory> memory;
  std::unique_ptr<Stream> stream;
};

class Links {
public:
  /// Destroys streams before the transport, and the transport before memory.
  ~Links() {
    for (Gpu &gpu : gpus)
      gpu.stream.reset();
  }

  Status open(const GpuProbe &probe, const cuda::Nccl &nccl, int64_t count) {
    for (int64_t ordinal = 0; ordinal < count; ++ordinal)
      WINDLASS_TRY(add(probe, ordinal, count).in("GPU " + std::to_string(ordinal)));
    std::vector<NcclMember> members;
    for (const Gpu &gpu : gpus)
      members.push_back(gpu.member);
    Result<std::unique_ptr<Transport>> made = NcclTransport::create(nccl, std::move(members));
    WINDLASS_TRY(made.status());
    transport = made.take();
    return Status::ok();
  }

  /// Seconds of one of `times` gathers that are enqueued together.
  Result<double> secondsOf(const GpuProbe &probe, int64_t shard, int times) {
    WINDLASS_TRY(gather(shard, 1)); // the first call also initialises
    const double start = probe.now();
    WINDLASS_TRY(gather(shard, times));
    return (probe.now() - start) / times;
  }

  int64_t most = kMostShard; ///< bytes of a shard

private:
  Status add(const GpuProbe &probe, int64_t ordinal, int64_t count) {
    Result<std::shared_ptr<cuda::Context>> context =
        cuda::Context::create(probe.context->driver(), static_cast<int>(ordinal));
    WINDLASS_TRY(context.status());
    (*context)->limitWaits(probe.context->longestWait());
    const Result<cuda::Context::Memory> free = (*context)->memory();
    WINDLASS_TRY(free.status());
    if (ordinal == 0)
      most = std::min(most, free->freeBytes / kFreeShare / (1 + count) / kFewestShard * kFewestShard);
    Result<std::unique_ptr<DeviceMemory>> memory =
        CudaMemory::create(*context, (1 + count) * most, /*canary=*/0);
    WINDLASS_TRY(memory.status());
    const std::vector<std::byte> shard(static_cast<size_t>(most));
    WINDLASS_TRY((*memory)->upload((*memory)->data(), shard.data(), most, nullptr));
    Result<std::unique_ptr<Stream>> stream = (*memory)->makeStream(1);
    WINDLASS_TRY(stream.status());
    gpus.push_back(
        {{*context, static_cast<CudaStream *>(stream->get()), kDeviceSums}, memory.take(), stream.take()});
    return Status::ok();
  }

  Status gather(int64_t shard, int times) {
    {
      std::vector<std::jthread> threads;
      for (size_t rank = 0; rank < gpus.size(); ++rank)
        threads.emplace_back([&, rank] {
          if (Status end = gatherOn(rank, shard, times); !end.isOk())
            giveUp(std::move(end));
        });
    }
    ++marked;
    return failure;
  }

  /// Records the failure of the first rank that fails, and releases the ranks that wait for it; their
  /// failures have no meaning.
  void giveUp(Status status) {
    {
      const std::scoped_lock lock(mutex);
      if (failure.isOk())
        failure = std::move(status);
    }
    transport->abort();
  }

  Status gatherOn(size_t rank, int64_t shard, int times) {
    std::byte *const own = gpus[rank].memory->data();
    const WholeTensor whole{own + most, shard};
    for (int i = 0; i < times; ++i)
      WINDLASS_TRY(
          transport->allGather(static_cast<int64_t>(rank), {own, static_cast<size_t>(shard)}, {&whole, 1}));
    WINDLASS_TRY(gpus[rank].stream->mark(marked));
    WINDLASS_TRY(gpus[rank].member.context->await(gpus[rank].member.stream->handle(), kShortNap));
    return gpus[rank].stream->finish(marked); // it knows whether NCCL has aborted
  }

  std::vector<Gpu> gpus;
  std::unique_ptr<Transport> transport; ///< destroyed before the memory that its work touches
  uint32_t marked = 1;
  std::mutex mutex;
  Status failure; ///< of the rank that failed first
};

Status measure(const GpuProbe &probe, const cuda::Nccl &nccl, int64_t gpus, ProbeReport &report) {
  Links links;
  WINDLASS_TRY(links.open(probe, nccl, gpus));
  double best = 0;
  for (int64_t shard = kFewestShard; shard <= links.most; shard *= 2) {
    const Result<double> seconds = links.secondsOf(probe, shard, kExchanges);
    WINDLASS_TRY(seconds.status());
    if (*seconds > 0)
      best = std::max(best, static_cast<double>((gpus - 1) * shard) / *seconds);
    if (*seconds * kExchanges > kEnough * probe.seconds)
      break;
  }
  const Result<double> tiny = links.secondsOf(probe, kTinyShard, kTiny);
  WINDLASS_TRY(tiny.status());
  report.findings.push_back({model::RateId::Gg, best});
  report.latencies.push_back({"links.gg.latency", *tiny});
  report.notices.push_back("links.gg measured between " + std::to_string(gpus) + " GPUs over NCCL " +
                           cuda::versionOf(nccl));
  return Status::ok();
}

} // namespace

void probeGpuLinks(const GpuProbe &probe, const Result<cuda::Nccl> &nccl, int64_t gpus, ProbeReport &report) {
  const Status measured = gpus < 2 ? Status::cannotFit("the driver shows 1 GPU")
                          : nccl   ? measure(probe, *nccl, gpus, report)
                                   : nccl.status();
  if (!measured)
    report.notices.push_back("links.gg not measured: " + measured.message());
}

} // namespace windlass
