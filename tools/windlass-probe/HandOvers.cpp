// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/windlass-probe/HandOvers.h"

#include "runtime/kernels/Matmul.h"
#include "runtime/transport/InProcessTransport.h"
#include "tools/windlass-probe/ProcessorTime.h"
#include <algorithm>
#include <array>
#include <functional>
#include <memory>
#include <thread>

namespace windlass {
namespace {

/// Seconds of all cores in which each of `threads` threads makes one call; they make `calls`.
double secondsOfEach(int64_t threads, int64_t calls, const std::function<void(int64_t thread)> &call) {
  const double start = processSeconds();
  {
    std::vector<std::jthread> running;
    for (int64_t thread = 0; thread < threads; ++thread)
      running.emplace_back([&, thread] {
        for (int64_t i = 0; i < calls; ++i)
          call(thread);
      });
  }
  return (processSeconds() - start) / static_cast<double>(calls);
}

/// The same for as many calls as take about `seconds`.
double secondsOfEachWithin(double seconds, int64_t threads, const std::function<void(int64_t thread)> &call) {
  constexpr int64_t few = 200, most = 1'000'000;
  double first = secondsOfEach(threads, few, call);
  auto calls = static_cast<int64_t>(seconds / first);
  return secondsOfEach(threads, std::clamp(calls, few, most), call);
}

/// One call into the matmul library with next to nothing to do for each of a rank's threads: what it takes of
/// each of their cores.
Result<double> launchSeconds(int64_t threads, double seconds) {
  constexpr int64_t kRows = 16; // of a thread, below which a matmul is not cut
  plan::MatmulSpec spec;
  spec.m = threads > 1 ? threads * kRows : 8;
  spec.n = spec.k = 8;
  Result<std::shared_ptr<const Matmul>> matmul = Matmul::create(spec, threads);
  if (!matmul)
    return matmul.status();
  Result<MatmulCall> call = MatmulCall::create(*matmul);
  if (!call)
    return call.status();
  KernelTeam team(threads);
  WINDLASS_TRY(team.started());
  std::array<std::vector<float>, 3> arrays;
  for (std::vector<float> &array : arrays)
    array.resize(static_cast<size_t>(8 * std::max(spec.m, spec.n)));
  std::vector<std::byte> scratch(static_cast<size_t>((*matmul)->scratchBytes()));
  void *args[] = {arrays[0].data(), arrays[1].data(), arrays[2].data(), scratch.data()};
  Status failure = Status::ok();
  double each = secondsOfEachWithin(seconds, 1, [&](int64_t) {
    if (Status status = call->run(args, &team); !status)
      failure = status;
  });
  if (!failure)
    return failure;
  return each / static_cast<double>(threads);
}

/// Two threads that wait for each other in turn, as lanes do: a hand-over of one pair.
double laneSeconds(int64_t pairs, double seconds) {
  std::vector<std::unique_ptr<MeetingPoint>> points;
  for (int64_t i = 0; i < pairs; ++i)
    points.push_back(std::make_unique<MeetingPoint>(2));
  return secondsOfEachWithin(seconds, 2 * pairs,
                             // It can only fail where a thread gives up, and none does.
                             [&](int64_t thread) { (void)points[static_cast<size_t>(thread / 2)]->meet(); }) /
         static_cast<double>(pairs);
}

/// An all-gather of one cache line a rank: what all ranks together take, as time of so many cores.
double collectiveSeconds(int64_t ranks, int64_t cores, double seconds) {
  constexpr int64_t piece = 64;
  InProcessTransport transport(ranks);
  std::vector<std::byte> shards(static_cast<size_t>(ranks * piece)),
      gathered(static_cast<size_t>(ranks * ranks * piece));
  return secondsOfEachWithin(seconds, ranks,
                             [&](int64_t rank) {
                               WholeTensor whole{gathered.data() + rank * ranks * piece, piece};
                               // It can only fail where another rank gave up, and none does.
                               (void)transport.allGather(
                                   rank, std::span(shards).subspan(static_cast<size_t>(rank * piece), piece),
                                   {&whole, 1});
                             }) /
         static_cast<double>(cores);
}

} // namespace

Result<std::vector<ProbeLatency>> probeHandOvers(const HandOverLoad &load, double seconds) {
  const int64_t workers = std::min(load.cores, load.ranks);
  Result<double> launch = launchSeconds(load.threadsPerRank, seconds / 3);
  if (!launch)
    return launch.status();
  std::vector<ProbeLatency> found = {{"device.launch_overhead", *launch},
                                     {"links.cg.latency", laneSeconds(workers, seconds / 3)}};
  if (load.ranks > 1)
    found.push_back({"links.gg.latency", collectiveSeconds(load.ranks, workers, seconds / 3)});
  return found;
}

} // namespace windlass
