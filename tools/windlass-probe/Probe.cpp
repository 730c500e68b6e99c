// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/windlass-probe/Probe.h"

#include "runtime/base/Units.h"
#include "runtime/kernels/InstructionSet.h"
#include "runtime/kernels/Matmul.h"
#include "runtime/plan/Device.h"
#include "runtime/tiers/NvmeStore.h"
#include "tools/windlass-probe/DiskLoad.h"
#include "tools/windlass-probe/DiskRates.h"
#include "tools/windlass-probe/GpuLinks.h"
#include "tools/windlass-probe/HandOvers.h"
#include "tools/windlass-probe/ProcessorTime.h"
#include "tools/windlass-probe/Streams.h"
#include <algorithm>
#include <chrono>
#include <cstring>
#include <functional>
#include <latch>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>
#include <numeric>
#include <sched.h>
#include <thread>

namespace windlass {
namespace {

using model::RateId;
using plan::ElementType;
using Clock = std::chrono::steady_clock;

constexpr int kRounds = 5;

double secondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

int64_t usableCores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  return sched_getaffinity(0, sizeof set, &set) == 0 ? std::max(1, CPU_COUNT(&set)) : 1;
}

/// One call of a worker; returns the amount of work in the unit of its rate.
using Work = std::function<double()>;

/// The rate of a core while all workers, each with its threads, are busy at the same time: the best of
/// several rounds, which is the least disturbed one.
double ofACore(const std::vector<Work> &workers, double seconds) {
  double best = 0;
  for (int round = 0; round < kRounds; ++round) {
    std::latch ready(std::ssize(workers)), go(1);
    std::vector<double> done(workers.size());
    std::vector<std::jthread> threads;
    for (size_t i = 0; i < workers.size(); ++i)
      threads.emplace_back([&, i] {
        workers[i](); // touches memory, wakes the cores
        ready.count_down();
        go.wait();
        const double start = threadSeconds();
        while (threadSeconds() - start < seconds / kRounds)
          done[i] += workers[i]();
      });
    ready.wait();
    const double start = processSeconds();
    go.count_down();
    threads.clear();
    best = std::max(best, std::reduce(done.begin(), done.end()) / (processSeconds() - start));
  }
  return best;
}

/// The float arrays of one worker, in memory that no other worker touches, and the pieces of them that a loop
/// works on in turn. They are aligned as a plan's buffers, since the library is slower on others.
struct Arrays {
  static constexpr size_t kLine = 64 / sizeof(float);
  Arrays(int count, size_t elements, size_t piece)
      : elements(elements), piece(piece), data(static_cast<size_t>(count)) {
    for (std::vector<float> &array : data)
      array.assign(elements + kLine, 0.5f);
  }
  float *operator[](size_t i) {
    void *begin = data[i].data();
    size_t space = data[i].size() * sizeof(float);
    return static_cast<float *>(std::align(kLine * sizeof(float), elements * sizeof(float), begin, space)) +
           at;
  }
  void nextPiece() { at = at + 2 * piece <= elements ? at + piece : 0; }
  size_t elements, piece, at = 0;
  std::vector<std::vector<float>> data;
};

/// The three matmuls of a linear layer of 256 x 1024 on 128 tokens: forward, input gradient, weight gradient.
std::vector<plan::MatmulSpec> typicalMatmuls(ElementType type) {
  std::vector<plan::MatmulSpec> specs(3);
  for (plan::MatmulSpec &spec : specs)
    spec.a = spec.b = type;
  specs[0].m = 128, specs[0].n = 1024, specs[0].k = 256;
  specs[1].m = 128, specs[1].n = 256, specs[1].k = 1024, specs[1].transposeB = true;
  specs[2].m = 256, specs[2].n = 1024, specs[2].k = 128, specs[2].transposeA = true;
  return specs;
}

/// A rank's turn through the typical matmuls, cut for its threads as a launch is.
class MatmulWorker {
public:
  static Result<std::shared_ptr<MatmulWorker>> create(ElementType type, int64_t threads) {
    auto worker = std::make_shared<MatmulWorker>(threads);
    WINDLASS_TRY(worker->team.started());
    for (const plan::MatmulSpec &spec : typicalMatmuls(type)) {
      Result<std::shared_ptr<const Matmul>> matmul = Matmul::create(spec, threads);
      if (!matmul)
        return matmul.status();
      worker->scratch.resize(
          std::max<size_t>(worker->scratch.size(), static_cast<size_t>((*matmul)->scratchBytes())));
      Result<MatmulCall> call = MatmulCall::create(*matmul);
      if (!call)
        return call.status();
      worker->calls.push_back(call.take());
      worker->flops += 2.0 * static_cast<double>(spec.m * spec.n * spec.k);
    }
    return worker;
  }
  explicit MatmulWorker(int64_t threads) : team(threads) {}

  double run() {
    void *args[] = {arrays[0], arrays[1], arrays[2], scratch.data()};
    for (MatmulCall &call : calls)
      failed |= !call.run(args, &team).isOk();
    return flops;
  }
  bool hasFailed() const { return failed; }

private:
  KernelTeam team;
  Arrays arrays{3, 1024 * 1024, 1024 * 1024};
  std::vector<std::byte> scratch;
  std::vector<MatmulCall> calls;
  double flops = 0;
  bool failed = false;
};

/// One core's rate while `teams` ranks of so many threads are busy.
Result<double> matmulRate(ElementType type, int64_t teams, int64_t threads, double seconds) {
  std::vector<std::shared_ptr<MatmulWorker>> state;
  std::vector<Work> work;
  for (int64_t i = 0; i < teams; ++i) {
    Result<std::shared_ptr<MatmulWorker>> worker = MatmulWorker::create(type, threads);
    if (!worker)
      return worker.status();
    state.push_back(*worker);
    work.push_back([one = *worker] { return one->run(); });
  }
  const double rate = ofACore(work, seconds);
  for (const auto &worker : state)
    if (worker->hasFailed())
      return Status::runFailed("a matmul failed while it was measured");
  return rate;
}

class Prober {
public:
  Prober(const model::Machine &machine, const ProbeOptions &options, std::optional<GpuProbe> gpu)
      : options(options), gpu(std::move(gpu)) {
    report.cores = usableCores();
    ranks = machine.ranksPerNode;
    // Kernels on the host of a GPU take all of its processors.
    workers = this->gpu ? report.cores : std::min(report.cores, ranks * options.threadsPerRank);
    teams = std::min(ranks, (workers + options.threadsPerRank - 1) / options.threadsPerRank);
    report.busy = workers;
    nvmeBytes = std::min(options.nvmeBytes, machine.nvmeCapacity) / kBlock * kBlock;
    depth = machine.nvmeDepth;
    deviceBytes = machine.deviceCapacity;
  }

  Result<ProbeReport> run() {
    const std::string target = options.plan ? options.plan->target.cpu : widestTarget();
    WINDLASS_TRY(capLibraryKernels(target));
    report.library = target + " (" + libraryVersion() + " with " + libraryInstructionSet() + ")";
    hostStreams();
    WINDLASS_TRY(gpu ? device() : cores());
    if (!options.nvmeFolder.empty() && nvmeBytes > 0)
      WINDLASS_TRY(nvme());
    if (options.plan)
      WINDLASS_TRY(kernels());
    return std::move(report);
  }

private:
  static constexpr int64_t kBlock = NvmeQueue::kBlockBytes;
  /// The bytes that an update reads at a time, at least.
  static constexpr int64_t kSmallBlock = 64 << 10;
  static constexpr int64_t kMostInFlight = 64;
  static constexpr double kStepsPerRate = 8; ///< seconds for all kernels, as a multiple of those for a rate
  static constexpr int64_t kLargestArena = int64_t{64} << 20; ///< larger than any cache, but quickly filled

  /// Measures devices that are cores of the host.
  Status cores() {
    WINDLASS_TRY(matmuls());
    deviceStreams();
    Result<std::vector<ProbeLatency>> waits = probeHandOvers(
        {.ranks = ranks, .threadsPerRank = options.threadsPerRank, .cores = report.cores}, options.seconds);
    if (!waits)
      return waits.status();
    report.latencies = waits.take();
    return Status::ok();
  }

  Status device() {
    const cuda::DeviceFacts &facts = gpu->context->facts();
    report.device = facts.name + ", sm_" + std::to_string(facts.capability);
    WINDLASS_TRY(probeGpu(*gpu, report));
    if (ranks > 1)
      probeGpuLinks(*gpu, cuda::loadNccl(), std::min<int64_t>(ranks, gpu->context->devices()), report);
    return Status::ok();
  }

  void found(RateId id, double perSecond) { report.findings.push_back({id, perSecond}); }

  Status matmuls() {
    Result<double> f32 = matmulRate(ElementType::F32, teams, options.threadsPerRank, options.seconds);
    if (!f32)
      return f32.status();
    found(RateId::MatmulF32, *f32);
    constexpr struct {
      ElementType type;
      RateId rate;
      const char *name;
    } halves[] = {{ElementType::BF16, RateId::MatmulBF16, "bf16"},
                  {ElementType::F16, RateId::MatmulF16, "f16"}};
    for (const auto &half : halves) {
      if (Result<double> rate = matmulRate(half.type, teams, options.threadsPerRank, options.seconds))
        found(half.rate, *rate);
      else
        report.notices.push_back(half.name + (" matmul not measured: " + rate.status().message()));
    }
    return Status::ok();
  }

  struct Extent {
    int arrays;
    size_t elements, piece;
  };
  /// The rate of a core while so many threads run `loop` on pieces of their own arrays.
  double rateOf(const Extent &extent, double perElement, int64_t threads,
                const std::function<void(Arrays &)> &loop) {
    std::vector<Work> work;
    for (int64_t i = 0; i < threads; ++i)
      work.push_back(
          [own = std::make_shared<Arrays>(extent.arrays, extent.elements, extent.piece), perElement, &loop] {
            loop(*own);
            own->nextPiece();
            return perElement * static_cast<double>(own->piece);
          });
    return ofACore(work, options.seconds);
  }

  static constexpr size_t kInMemory = 4 << 20;
  static void add(Arrays &a) { scaledAdd(a[0], a[1], 0.5f, a.piece); }

  void deviceStreams() {
    constexpr int often = 8; // so that reading the clock takes a small share
    constexpr size_t inCache = 16 << 10, kernelSized = 64 << 10;
    found(RateId::Vector,
          rateOf({1, inCache, inCache}, often * kExponentialOperations, workers, [](Arrays &a) {
            for (int i = 0; i < often; ++i)
              exponential(a[0], a.piece);
          }));
    // Kernels find their operands all over the device memory of the ranks that a core works for.
    const int64_t arenas = std::min<int64_t>(deviceBytes * ranks / workers, kLargestArena);
    const size_t half = std::max<size_t>(kernelSized, static_cast<size_t>(arenas) / (2 * sizeof(float)));
    found(RateId::DeviceBandwidth, rateOf({2, half, kernelSized}, kScaledAddBytes, workers, add));
    const double copy = rateOf({2, kInMemory, kInMemory}, sizeof(float), workers,
                               [](Arrays &a) { std::memcpy(a[0], a[1], a.piece * sizeof(float)); });
    for (RateId link : {RateId::CgIn, RateId::CgOut, RateId::Gg})
      found(link, copy);
  }

  /// Measures the host's memory with all cores busy, whatever the ranks: its rates are of all cores together,
  /// and predictions give a thread the share of one of them.
  void hostStreams() {
    report.busyOnHost = report.cores;
    const double count = static_cast<double>(report.busyOnHost);
    found(RateId::HostBandwidth,
          count * rateOf({2, kInMemory, kInMemory}, kScaledAddBytes, report.busyOnHost, add));
    found(RateId::AdamW, count * rateOf({4, kInMemory, kInMemory}, 1, report.busyOnHost,
                                        [](Arrays &a) { adamw(a[0], a[1], a[2], a[3], a.piece); }));
  }

  /// Measures the disk of a node whose ranks all have requests in flight.
  Status nvme() {
    const int64_t inFlight = std::min(depth * ranks, kMostInFlight);
    Result<Arena> memory = Arena::create(2 * inFlight * kBlock, 0x5a);
    if (!memory)
      return memory.status();
    std::shared_ptr<void> pinned;
    if (gpu) {
      Result<std::shared_ptr<void>> held = pinFor(gpu->context, memory->span());
      WINDLASS_TRY(held.status());
      pinned = held.take();
    }
    NvmeConfig config;
    config.folder = options.nvmeFolder;
    config.bytes = nvmeBytes;
    config.depth = inFlight;
    config.pool = memory->span();
    Result<std::unique_ptr<NvmeStore>> store = NvmeStore::create(config, report.notices);
    if (!store)
      return store.status();
    NvmeQueue &reads = *(*store)->queue(IoDirection::Read), &writes = *(*store)->queue(IoDirection::Write);
    DiskLoad load(nvmeBytes, memory->span(), inFlight, options.seconds);
    Result<double> write = load.rate({&writes}, kBlock), both = load.rate({&reads, &writes}, kBlock),
                   read = load.rate({&reads}, kBlock);
    for (const Result<double> *rate : {&write, &both, &read})
      if (!*rate)
        return rate->status();
    const double before = processSeconds();
    const int64_t asked = load.requests();
    Result<double> small = load.rate({&reads}, kSmallBlock);
    if (!small)
      return small.status();
    report.latencies.push_back(
        {"nvme.request_work", (processSeconds() - before) / static_cast<double>(load.requests() - asked)});
    const DiskCost cost = splitRequests({.large = {.read = *read, .write = *write, .both = *both},
                                         .smallRead = *small,
                                         .largeBytes = kBlock,
                                         .smallBytes = kSmallBlock});
    found(RateId::NvmeWrite, cost.rates.write);
    found(RateId::NvmeBoth, cost.rates.both);
    found(RateId::NvmeRead, cost.rates.read);
    report.latencies.push_back({"nvme.request_time", cost.requestSeconds});
    return diskLatency(reads, *memory);
  }

  /// Measures the latency: the shortest of some reads of one page, one at a time.
  Status diskLatency(NvmeQueue &queue, Arena &memory) {
    constexpr int64_t page = 4096, reads = 64;
    double shortest = std::numeric_limits<double>::infinity();
    for (int64_t i = 0; i < reads; ++i) {
      Clock::time_point start = Clock::now();
      WINDLASS_TRY(queue.submit({memory.data(), i * page % nvmeBytes, page}));
      WINDLASS_TRY(queue.reap());
      shortest = std::min(shortest, secondsSince(start));
    }
    report.latencies.push_back({"nvme.latency", shortest});
    return Status::ok();
  }

  Status kernels() {
    const std::string &scratch = options.nvmeFolder.empty() ? options.planFolder : options.nvmeFolder;
    const PlanSteps steps{.kernelsFolder = options.planFolder,
                          .scratchFolder = scratch,
                          .cores = report.cores,
                          .seconds = kStepsPerRate * options.seconds,
                          .deviceSeconds = options.deviceSeconds};
    Result<std::vector<KernelTime>> times = timeKernels(*options.plan, steps);
    if (!times)
      return times.status();
    report.kernels = times.take();
    return Status::ok();
  }

  const ProbeOptions &options;
  std::optional<GpuProbe> gpu;
  ProbeReport report;
  int64_t ranks = 1, workers = 1, teams = 1, nvmeBytes = 0, depth = 4, deviceBytes = 0;
};

} // namespace

Result<ProbeReport> probe(const model::Machine &machine, const ProbeOptions &options) {
  const plan::DeviceRow *device = plan::findDevice(machine.backend);
  if (!device || !device->hasOwnCode())
    return Prober(machine, options, {}).run();
  Result<GpuProbe> gpu = findGpu(options.seconds, options.deviceSeconds);
  WINDLASS_TRY(gpu.status());
  return Prober(machine, options, gpu.take()).run();
}

Result<std::string> addMeasured(const std::string &description, const ProbeReport &report) {
  nlohmann::ordered_json json = nlohmann::ordered_json::parse(description, nullptr, false);
  if (!json.is_object())
    return Status::badInput("the description is not a JSON object");
  nlohmann::ordered_json measured = nlohmann::ordered_json::object();
  if (report.device.empty())
    measured["shared_cores"] = report.cores;
  for (const ProbeFinding &finding : report.findings)
    measured[std::string(model::ratePath(finding.id))] =
        formatRate(finding.perSecond, model::rateUnit(finding.id));
  for (const ProbeLatency &latency : report.latencies)
    measured[std::string(latency.path)] = formatSeconds(latency.seconds);
  for (const KernelTime &time : report.kernels)
    measured["kernels"][time.kernel->symbol] = formatSeconds(time.seconds);
  json["measured"] = std::move(measured);
  return json.dump(2) + "\n";
}

} // namespace windlass
