// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/windlass-probe/GpuRates.h"

#include "runtime/base/Units.h"
#include "runtime/kernels/cuda/LtMatmul.h"
#include "runtime/plan/Enums.h"
#include "runtime/tiers/Arena.h"
#include <algorithm>
#include <array>
#include <chrono>

namespace windlass {
namespace {

using cuda::Driver;
using model::RateId;
using plan::ElementType;

constexpr int64_t kMostBytes = int64_t{256} << 20, kFewestBytes = int64_t{64} << 10;
constexpr int64_t kWorkspaceBytes = int64_t{32} << 20, kAlignment = 256;
constexpr int64_t kFewestRows = 128, kMostRows = 8192;
constexpr int kRepetitions = 4;  ///< pieces of work of one size that are enqueued together
constexpr int kLaunches = 1000;  ///< empty launches that are enqueued together
constexpr double kEnough = 0.25; ///< no larger size is tried after this share of the time
constexpr std::chrono::microseconds kShortNap(5);
constexpr unsigned char kFill = 0x3c; ///< a small number in every type

/// A kernel without work.
constexpr const char *kEmptyKernel =
    ".version 8.0\n.target sm_80\n.address_size 64\n\n"
    ".visible .entry windlass_empty(\n\t.param .u64 windlass_empty_param_0\n)\n"
    ".reqntid 32, 1, 1\n{\n\tret;\n}\n";

/// The stream and memory of the measurements, freed in reverse order.
class Bench {
public:
  explicit Bench(const GpuProbe &probe) : gpu(*probe.context), probe(probe) {}
  ~Bench() {
    const Driver &driver = gpu.driver();
    for (cuda::CuStream stream : streams)
      if (stream && !gpu.isGivenUp())
        static_cast<void>(gpu.await(stream)); // a hanging device is given up
    if (gpu.isGivenUp()) {
      if (host)
        static_cast<void>(new Arena(std::move(*host))); // leaked: the device may still write there
      return;
    }
    if (!gpu.enter())
      return;
    for (cuda::CuStream stream : streams)
      if (stream)
        driver.destroyStream(stream);
    if (module)
      driver.unloadModule(module);
    pinned.reset();
    if (device)
      driver.free(device);
  }
  Bench(const Bench &) = delete;

  Status open() {
    const Result<cuda::Context::Memory> memory = gpu.memory();
    WINDLASS_TRY(memory.status());
    most = std::min(kMostBytes, memory->freeBytes / 16) / kFewestBytes * kFewestBytes;
    if (most < kFewestBytes)
      return Status::cannotFit("'" + gpu.facts().name + "' has " + formatBytes(memory->freeBytes) +
                               " left, too little to measure with");
    WINDLASS_TRY(gpu.call<&Driver::allocate>(&device, static_cast<size_t>(2 * most)));
    Result<Arena> arena = Arena::create(2 * most, kFill);
    WINDLASS_TRY(arena.status());
    host.emplace(arena.take());
    Result<std::shared_ptr<void>> held = pinFor(probe.context, host->span());
    WINDLASS_TRY(held.status());
    pinned = held.take();
    for (cuda::CuStream &stream : streams)
      WINDLASS_TRY(gpu.call<&Driver::createStream>(&stream, cuda::kNonBlockingStream));
    WINDLASS_TRY(gpu.call<&Driver::loadModule>(&module, static_cast<const void *>(kEmptyKernel), 0u,
                                               static_cast<cuda::JitOption *>(nullptr),
                                               static_cast<void **>(nullptr)));
    WINDLASS_TRY(gpu.call<&Driver::function>(&empty, module, "windlass_empty"));
    WINDLASS_TRY(upload(2 * most));
    return wait();
  }

  Status wait() {
    for (cuda::CuStream stream : streams)
      WINDLASS_TRY(gpu.await(stream, kShortNap));
    return Status::ok();
  }

  /// Seconds of one of `times` pieces of work that are enqueued together, the device idle before and after.
  template <typename Enqueue> Result<double> secondsOf(int times, Enqueue enqueue) {
    WINDLASS_TRY(enqueue()); // wakes the device; the first call also initialises
    WINDLASS_TRY(wait());
    const double start = probe.now();
    for (int i = 0; i < times; ++i)
      WINDLASS_TRY(enqueue());
    WINDLASS_TRY(wait());
    return (probe.now() - start) / times;
  }

  /// The best rate of work on sizes that double, each `amountOf(size)` of the rate's unit.
  template <typename Amount, typename Enqueue>
  Result<double> bestOf(int64_t first, int64_t last, Amount amountOf, Enqueue enqueue) {
    double best = 0;
    for (int64_t size = first; size <= last; size *= 2) {
      const Result<double> seconds = secondsOf(kRepetitions, [&] { return enqueue(size); });
      WINDLASS_TRY(seconds.status());
      if (*seconds > 0)
        best = std::max(best, amountOf(size) / *seconds);
      if (*seconds * kRepetitions > kEnough * probe.seconds)
        break;
    }
    return best;
  }

  Status upload(int64_t bytes) {
    return gpu.call<&Driver::enqueueUpload>(device, static_cast<const void *>(host->data()),
                                            static_cast<size_t>(bytes), streams[0]);
  }
  Status offload(int64_t bytes) {
    return gpu.call<&Driver::enqueueOffload>(static_cast<void *>(host->data() + most),
                                             device + static_cast<uint64_t>(most), static_cast<size_t>(bytes),
                                             streams[1]);
  }
  Status copyWithin(int64_t bytes) {
    return gpu.call<&Driver::enqueueCopy>(device, device + static_cast<uint64_t>(most),
                                          static_cast<size_t>(bytes), streams[0]);
  }
  Status launch() {
    uint64_t nothing = 0;
    std::array<void *, 1> parameters{&nothing};
    void **const noExtra = nullptr;
    return gpu.call<&Driver::launch>(empty, 1u, 1u, 1u, 32u, 1u, 1u, 0u, streams[0], parameters.data(),
                                     noExtra);
  }

  cuda::Context &gpu;
  const GpuProbe &probe;
  cuda::CuAddress device = 0;
  std::optional<Arena> host;
  std::array<cuda::CuStream, 2> streams{};
  cuda::CuModule module = nullptr;
  cuda::CuFunction empty = nullptr;
  int64_t most = 0; ///< bytes of a copy; device and host hold two
  std::shared_ptr<void> pinned;
};

double amountOf(int64_t bytes) { return static_cast<double>(bytes); }

Status copies(Bench &bench, ProbeReport &report) {
  const Result<double> within = bench.bestOf(
      kFewestBytes, bench.most, [](int64_t bytes) { return 2 * amountOf(bytes); }, // read, written
      [&](int64_t bytes) { return bench.copyWithin(bytes); });
  const Result<double> in =
      bench.bestOf(kFewestBytes, bench.most, amountOf, [&](int64_t bytes) { return bench.upload(bytes); });
  const Result<double> out =
      bench.bestOf(kFewestBytes, bench.most, amountOf, [&](int64_t bytes) { return bench.offload(bytes); });
  const Result<double> both = bench.bestOf(
      kFewestBytes, bench.most, [](int64_t bytes) { return 2 * amountOf(bytes); },
      [&](int64_t bytes) {
        const Status up = bench.upload(bytes);
        return up ? bench.offload(bytes) : up;
      });
  for (const Result<double> *rate : {&within, &in, &out, &both})
    WINDLASS_TRY(rate->status());
  report.findings.push_back({RateId::DeviceBandwidth, *within});
  report.findings.push_back({RateId::CgIn, *in});
  report.findings.push_back({RateId::CgOut, *out});
  report.notices.push_back("copies both ways at once: " + formatRate(*both, "B") + " together, of " +
                           formatRate(*in + *out, "B") + " one way at a time");
  return Status::ok();
}

Status launches(Bench &bench, ProbeReport &report) {
  const Result<double> launch = bench.secondsOf(kLaunches, [&] { return bench.launch(); });
  WINDLASS_TRY(launch.status());
  const Result<double> copy = bench.secondsOf(kLaunches, [&] { return bench.upload(kAlignment); });
  WINDLASS_TRY(copy.status());
  report.latencies.push_back({"device.launch_overhead", *launch});
  report.latencies.push_back({"links.cg.latency", *copy});
  return Status::ok();
}

/// The rate of square products. The operands follow one another in device memory.
Result<double> productRate(Bench &bench, std::shared_ptr<const LtLibrary> library, ElementType type) {
  const int64_t room = 2 * bench.most - kWorkspaceBytes;
  const auto fits = [&](int64_t rows) { return 3 * rows * rows * plan::bytesOf(type) <= room; };
  int64_t last = kFewestRows;
  while (last < kMostRows && fits(2 * last))
    last *= 2;
  if (!fits(last))
    return Status::cannotFit("too little memory is left");
  std::unique_ptr<const LtMatmul> matmul;
  int64_t made = 0;
  return bench.bestOf(
      kFewestRows, last, [](int64_t rows) { return 2.0 * static_cast<double>(rows * rows * rows); },
      [&](int64_t rows) -> Status {
        if (made != rows) {
          plan::MatmulSpec spec;
          spec.m = spec.n = spec.k = rows;
          spec.a = spec.b = spec.c = type;
          Result<std::unique_ptr<const LtMatmul>> product =
              LtMatmul::create(library, spec, {kWorkspaceBytes, kAlignment});
          WINDLASS_TRY(product.status());
          matmul = product.take();
          made = rows;
        }
        const auto bytes = static_cast<uint64_t>(rows * rows * plan::bytesOf(type));
        std::array<void *, 4> args{};
        for (size_t i = 0; i < args.size(); ++i)
          args[i] = reinterpret_cast<void *>(bench.device + i * bytes);
        return matmul->run(args.data(), bench.streams[0]);
      });
}

void products(Bench &bench, ProbeReport &report) {
  Result<std::shared_ptr<const LtLibrary>> library =
      bench.probe.library ? LtLibrary::open(bench.probe.context, *bench.probe.library)
                          : Result<std::shared_ptr<const LtLibrary>>(bench.probe.library.status());
  if (!library) {
    report.notices.push_back("matmuls not measured: " + library.status().message());
    return;
  }
  report.library = (*library)->version();
  constexpr std::array<std::pair<ElementType, RateId>, 3> types = {{{ElementType::F32, RateId::MatmulF32},
                                                                    {ElementType::BF16, RateId::MatmulBF16},
                                                                    {ElementType::F16, RateId::MatmulF16}}};
  for (const auto &[type, rate] : types) {
    const Result<double> found = productRate(bench, *library, type);
    if (found)
      report.findings.push_back({rate, *found});
    else
      report.notices.push_back(std::string(plan::textOf(type)) +
                               " matmul not measured: " + found.status().message());
  }
}

} // namespace

Result<std::shared_ptr<void>> pinFor(std::shared_ptr<cuda::Context> context, std::span<std::byte> memory) {
  void *const begin = memory.data();
  WINDLASS_TRY(context->call<&Driver::registerHost>(begin, memory.size(), cuda::kPortableHost));
  return std::shared_ptr<void>(begin, [context = std::move(context)](void *pinned) {
    if (!context->isGivenUp() && context->enter())
      context->driver().unregisterHost(pinned);
  });
}

Status probeGpu(const GpuProbe &probe, ProbeReport &report) {
  Bench bench(probe);
  WINDLASS_TRY(bench.open());
  products(bench, report);
  WINDLASS_TRY(copies(bench, report));
  return launches(bench, report);
}

Result<GpuProbe> findGpu(double seconds, double deviceSeconds) {
  const Result<Driver> driver = cuda::loadDriver();
  WINDLASS_TRY(driver.status());
  Result<std::shared_ptr<cuda::Context>> context = cuda::Context::create(*driver);
  WINDLASS_TRY(context.status());
  (*context)->limitWaits(deviceSeconds);
  return GpuProbe{
      context.take(), cuda::loadBlasLt(), seconds, [] {
        return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
      }};
}

} // namespace windlass
