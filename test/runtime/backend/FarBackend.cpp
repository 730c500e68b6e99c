// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/runtime/backend/FarBackend.h"
#include "runtime/tiers/Arena.h"
#include "runtime/transport/InProcessTransport.h"
#include "test/runtime/backend/FarStream.h"
#include <algorithm>
#include <chrono>
#include <cstring>
#include <deque>
#include <mutex>
#include <random>
#include <sys/mman.h>

namespace windlass::test {

namespace {

/// Runs work on a stream, or at once if there is none.
Status runOn(Stream *stream, FarStream::Work work) {
  if (!stream)
    return work();
  static_cast<FarStream *>(stream)->enqueue(std::move(work));
  return Status::ok();
}

/// Maps the addresses of a far arena to their bytes. Other addresses are the host's.
class FarAddresses {
public:
  static Result<FarAddresses> create(int64_t bytes, int canary) {
    FarAddresses made;
    made.bytes = bytes;
    Result<Arena> arena = Arena::create(bytes, canary);
    if (!arena)
      return arena.status();
    made.arena = std::make_shared<Arena>(arena.take());
    const int64_t length = bytes + 1; // operands of no bytes may lie at the end
    void *shown = mmap(nullptr, length, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (shown == MAP_FAILED)
      return Status::cannotFit("no addresses for a far arena");
    made.shown = std::shared_ptr<std::byte>(static_cast<std::byte *>(shown),
                                            [length](std::byte *at) { munmap(at, length); });
    return made;
  }

  std::byte *data() const { return shown.get(); }
  bool has(const void *at) const { return shown && at >= shown.get() && at <= shown.get() + bytes; }
  template <typename T> T *near(T *at) const {
    return has(at) ? reinterpret_cast<T *>(arena->data() +
                                           (reinterpret_cast<const std::byte *>(at) - shown.get()))
                   : at;
  }

private:
  std::shared_ptr<Arena> arena;
  std::shared_ptr<std::byte> shown;
  int64_t bytes = 0;
};

class FarMemory final : public DeviceMemory {
public:
  FarMemory(FarAddresses addresses, FarDevice &device) : addresses(std::move(addresses)), device(device) {}

  std::byte *data() const override { return addresses.data(); }
  std::span<const std::byte> hostView() const override { return {}; }

  Result<std::unique_ptr<Stream>> makeStream(int64_t depth) override {
    if (!device.hasStreams)
      return std::unique_ptr<Stream>();
    auto idle = [this, random = std::minstd_rand(static_cast<unsigned>(device.seed + streams++))]() mutable {
      if (device.holdsUntilAWait)
        device.waitsOnDevice.wait(0);
      if (random() % 4 == 0)
        std::this_thread::sleep_for(std::chrono::microseconds(random() % 200));
    };
    return std::unique_ptr<Stream>(std::make_unique<FarStream>(depth, idle, device.waitsOnDevice));
  }

  Status pin(std::span<std::byte>) override {
    ++device.pinnedArenas;
    return Status::ok();
  }

  Status upload(std::byte *to, const std::byte *from, int64_t bytes, Stream *stream) override {
    return copy(to, from, bytes, bytes == 0 || (addresses.has(to) && !addresses.has(from)), stream);
  }
  Status offload(std::byte *to, const std::byte *from, int64_t bytes, Stream *stream) override {
    return copy(to, from, bytes, bytes == 0 || (!addresses.has(to) && addresses.has(from)), stream);
  }

private:
  Status copy(std::byte *to, const std::byte *from, int64_t bytes, bool isBetween, Stream *stream) {
    if (!isBetween)
      return Status::runFailed("a copy that is not between host and device");
    return runOn(stream, [to = addresses.near(to), from = addresses.near(from), bytes, this] {
      std::memcpy(to, from, bytes);
      ++device.copies;
      return Status::ok();
    });
  }

  FarAddresses addresses;
  FarDevice &device;
  uint64_t streams = 0;
};

/// Runs kernels of the CPU on far operands.
class FarLauncher final : public KernelLauncher {
public:
  FarLauncher(std::unique_ptr<KernelLauncher> near, FarAddresses addresses, FarDevice &device, Stream *stream,
              std::vector<size_t> operands)
      : near(std::move(near)), addresses(std::move(addresses)), device(device), stream(stream),
        operands(std::move(operands)) {}

  Status launch(int32_t kernel, void *const *args, int64_t begin, int64_t end) override {
    std::vector<void *> here;
    for (size_t i = 0; i < operands[kernel]; ++i) {
      if (!addresses.has(args[i]))
        return Status::runFailed("an operand of a launch is not on the device");
      here.push_back(addresses.near(args[i]));
    }
    return runOn(stream, [=, this, here = std::move(here)] {
      if (++device.launches == device.failingLaunch)
        return Status::runFailed("the device fell off the bus");
      return near->launch(kernel, here.data(), begin, end);
    });
  }
  double helperSeconds() const override {
    return device.helperSeconds * static_cast<double>(device.launches);
  }

private:
  std::unique_ptr<KernelLauncher> near;
  FarAddresses addresses;
  FarDevice &device;
  Stream *stream;
  std::vector<size_t> operands; ///< the number of operands of each kernel
};

class FarKernels final : public KernelSet {
public:
  FarKernels(std::shared_ptr<const KernelSet> near, const plan::Plan &plan,
             const std::vector<FarAddresses> &ranks, FarDevice &device)
      : near(std::move(near)), ranks(ranks), device(device) {
    for (const plan::Kernel &kernel : plan.kernels)
      operands.push_back(kernel.args.size());
  }

  Result<std::unique_ptr<KernelLauncher>> makeLauncher(int64_t rank, Stream *stream) const override {
    Result<std::unique_ptr<KernelLauncher>> made = near->makeLauncher(rank, nullptr);
    if (!made)
      return made.status();
    return std::unique_ptr<KernelLauncher>(
        std::make_unique<FarLauncher>(made.take(), ranks[rank], device, stream, operands));
  }

private:
  std::shared_ptr<const KernelSet> near;
  const std::vector<FarAddresses> &ranks;
  FarDevice &device;
  std::vector<size_t> operands;
};

class FarTransport final : public Transport {
public:
  FarTransport(std::vector<FarAddresses> addresses, FarDevice &device, std::span<Stream *const> streams)
      : near(std::ssize(addresses)), addresses(std::move(addresses)), device(device),
        streams(streams.begin(), streams.end()) {}

  Status allGather(int64_t rank, std::span<const std::byte> shard,
                   std::span<const WholeTensor> whole) override {
    return run(rank, shard, whole,
               [=, this](auto here, auto tensors) { return near.allGather(rank, here, tensors); });
  }
  Status reduceScatter(int64_t rank, plan::ElementType type, std::span<std::byte> shard,
                       std::span<const WholeTensor> whole, std::span<std::byte> staging) override {
    return run(rank, shard, whole, [=, this](auto here, auto tensors) {
      return near.reduceScatter(rank, type, here, tensors, staging);
    });
  }
  Status broadcast(int64_t rank, int64_t root, std::span<const std::byte> shard,
                   std::span<const WholeTensor> whole) override {
    return run(rank, shard, whole,
               [=, this](auto here, auto tensors) { return near.broadcast(rank, root, here, tensors); });
  }
  Status reduce(int64_t rank, int64_t root, plan::ElementType type, std::span<std::byte> shard,
                std::span<const WholeTensor> whole, std::span<std::byte> staging) override {
    return run(rank, shard, whole, [=, this](auto here, auto tensors) {
      return near.reduce(rank, root, type, here, tensors, staging);
    });
  }
  void abort() override { near.abort(); }

private:
  template <typename Byte, typename Call>
  Status run(int64_t rank, std::span<Byte> shard, std::span<const WholeTensor> whole, Call call) {
    std::vector<WholeTensor> tensors(whole.begin(), whole.end());
    for (WholeTensor &tensor : tensors) {
      if (!addresses[rank].has(tensor.data))
        return Status::runFailed("a tensor of a collective is not on the device");
      tensor.data = addresses[rank].near(tensor.data);
    }
    std::span<Byte> here(addresses[rank].near(shard.data()), shard.size());
    const std::span<const WholeTensor> kept = keep(std::move(tensors));
    return runOn(streams[rank], [this, here, kept, call] {
      ++device.collectives;
      return call(here, kept);
    });
  }

  /// Keeps a rank's list, since other ranks may read it after an abort has released this rank.
  std::span<const WholeTensor> keep(std::vector<WholeTensor> tensors) {
    const std::scoped_lock lock(mutex);
    return lists.emplace_back(std::move(tensors));
  }

  InProcessTransport near;
  std::mutex mutex; ///< of the lists
  std::deque<std::vector<WholeTensor>> lists;
  std::vector<FarAddresses> addresses; ///< per member
  FarDevice &device;
  std::vector<Stream *> streams;
};

class FarBackend final : public Backend {
public:
  FarBackend(FarDevice &device, std::unique_ptr<Backend> near) : device(device), near(std::move(near)) {}

  Result<std::map<std::string, std::string>> numerics(const plan::Plan &plan) override {
    return near->numerics(plan);
  }

  Result<std::unique_ptr<DeviceMemory>> makeMemory(int64_t rank, int64_t bytes, int canary) override {
    Result<FarAddresses> made = FarAddresses::create(bytes, canary);
    if (!made)
      return made.status();
    ranks.resize(std::max<size_t>(ranks.size(), rank + 1));
    ranks[rank] = *made;
    return std::unique_ptr<DeviceMemory>(std::make_unique<FarMemory>(made.take(), device));
  }

  Result<PlanKernels> loadKernels(const plan::Plan &plan, const std::string &folder) override {
    Result<PlanKernels> kernels = near->loadKernels(plan, folder);
    if (!kernels)
      return kernels.status();
    return PlanKernels{std::make_shared<FarKernels>(kernels->device, plan, ranks, device), kernels->host,
                       kernels->notices};
  }

  Result<std::unique_ptr<Transport>> makeTransport(std::span<const int64_t> members,
                                                   std::span<Stream *const> streams) override {
    std::vector<FarAddresses> addresses;
    for (int64_t rank : members)
      addresses.push_back(ranks[rank]);
    return std::unique_ptr<Transport>(std::make_unique<FarTransport>(std::move(addresses), device, streams));
  }

private:
  FarDevice &device;
  std::unique_ptr<Backend> near;
  std::vector<FarAddresses> ranks; ///< per rank
};

} // namespace

std::unique_ptr<Backend> makeFarBackend(FarDevice &device) {
  return std::make_unique<FarBackend>(device, makeBackend("cpu").take());
}

} // namespace windlass::test
