// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/kernels/CheckedKernels.h"

#include "runtime/kernels/KernelLibrary.h"
#include "runtime/kernels/ProductBound.h"
#include "runtime/plan/Layout.h"
#include <algorithm>
#include <cstring>
#include <tuple>

namespace windlass {
namespace {

using Bytes = std::vector<std::byte>;

constexpr int kRepetitions = 3; ///< of a library's product

constexpr size_t kProduct = 2; ///< the operand of a matmul that it makes

/// What operands of launches have, which an elementwise kernel does not say itself; of scratch nothing.
using LaunchKey = std::tuple<int32_t, int64_t, int64_t>; ///< kernel, begin, end
std::map<LaunchKey, std::vector<int64_t>> operandBytes(const plan::Plan &plan) {
  std::map<LaunchKey, std::vector<int64_t>> bytes;
  plan::forEachInstruction(plan, [&](const plan::Instruction &launch) {
    if (launch.op != plan::Opcode::Launch || launch.lane != plan::Lane::Compute)
      return;
    std::vector<int64_t> &all = bytes[{launch.kernel, launch.begin, launch.end}];
    all.resize(launch.operands.size(), INT64_MAX);
    for (size_t i = 0; i < all.size(); ++i) {
      const bool isScratch = plan::accessOf(plan, launch, i) == plan::Access::Scratch;
      all[i] = isScratch ? 0 : std::min(all[i], launch.operands[i].bytes);
    }
  });
  return bytes;
}

/// A plan whose every kernel the host has, and its code.
struct HostSide {
  plan::Plan plan;
  std::unique_ptr<KernelLibrary> library;
  std::map<LaunchKey, std::vector<int64_t>> bytes;
};

/// Operands of one launch, copied: what is one operand on the device is one here.
class Copies {
public:
  Copies(DeviceMemory &memory, void *const *args, const std::vector<int64_t> &bytes)
      : memory(memory), args(args, args + bytes.size()) {
    for (size_t i = 0; i < bytes.size(); ++i) {
      Bytes &copy = byAddress[args[i]];
      copy.resize(std::max(copy.size(), static_cast<size_t>(bytes[i])));
    }
  }
  Status download() {
    for (auto &[address, copy] : byAddress)
      WINDLASS_TRY(memory.offload(copy.data(), static_cast<const std::byte *>(address), size(copy), nullptr));
    return Status::ok();
  }
  Status upload() {
    for (auto &[address, copy] : byAddress)
      WINDLASS_TRY(memory.upload(static_cast<std::byte *>(address), copy.data(), size(copy), nullptr));
    return Status::ok();
  }
  std::vector<void *> addresses() {
    std::vector<void *> near;
    for (void *arg : args)
      near.push_back(byAddress[arg].data());
    return near;
  }
  const Bytes &operator[](size_t operand) const { return byAddress.at(args[operand]); }

private:
  static int64_t size(const Bytes &bytes) { return static_cast<int64_t>(bytes.size()); }
  DeviceMemory &memory;
  std::vector<void *> args;
  std::map<void *, Bytes> byAddress;
};

class CheckedLauncher final : public KernelLauncher {
public:
  CheckedLauncher(const HostSide &side, const plan::Plan &plan, std::unique_ptr<KernelLauncher> device,
                  std::unique_ptr<KernelLauncher> host, DeviceMemory &memory)
      : side(side), plan(plan), device(std::move(device)), host(std::move(host)), memory(memory) {}

  Status launch(int32_t number, void *const *args, int64_t begin, int64_t end) override {
    const plan::Kernel &kernel = plan.kernels[static_cast<size_t>(number)];
    const std::vector<int64_t> &bytes = side.bytes.at({number, begin, end});
    Copies expected(memory, args, bytes);
    WINDLASS_TRY(expected.download());
    Copies first = expected;
    WINDLASS_TRY(device->launch(number, args, begin, end));
    Copies found(memory, args, bytes);
    WINDLASS_TRY(found.download());
    WINDLASS_TRY(host->launch(number, expected.addresses().data(), begin, end));
    const bool isLibrarys = kernel.kind == plan::KernelKind::Matmul && !plan.target.multipliesByReference();
    const Status same = isLibrarys ? checkProduct(number, args, first, expected, found)
                                   : compareBits(kernel, expected, found, bytes);
    return same.in("kernel '" + kernel.symbol + "' (" + kernel.description + ") over [" +
                   std::to_string(begin) + ", " + std::to_string(end) + ")");
  }

private:
  static Status compareBits(const plan::Kernel &kernel, const Copies &expected, const Copies &found,
                            const std::vector<int64_t> &bytes) {
    for (size_t i = 0; i < kernel.args.size() && i < bytes.size(); ++i) {
      if (!plan::writes(kernel.args[i]))
        continue;
      const auto [other, at] = std::mismatch(found[i].begin(), found[i].end(), expected[i].begin());
      if (other != found[i].end())
        return Status::runFailed("byte " + std::to_string(other - found[i].begin()) + " of operand " +
                                 std::to_string(i) + " is " + std::to_string(std::to_integer<int>(*other)) +
                                 " on the device, " + std::to_string(std::to_integer<int>(*at)) +
                                 " on the host");
    }
    return Status::ok();
  }

  /// Near enough, and every time the same.
  Status checkProduct(int32_t number, void *const *args, Copies &first, const Copies &expected,
                      const Copies &found) {
    const plan::Kernel &kernel = plan.kernels[static_cast<size_t>(number)];
    WINDLASS_TRY(checkProductBound(kernel.matmul, first.addresses().data(), expected[kProduct].data(),
                                   found[kProduct].data()));
    for (int repetition = 1; repetition < kRepetitions; ++repetition) {
      WINDLASS_TRY(first.upload());
      WINDLASS_TRY(device->launch(number, args, 0, kernel.extent));
      Copies again(first);
      WINDLASS_TRY(again.download());
      if (again[kProduct] != found[kProduct])
        return Status::runFailed("has other bits when it is repeated");
    }
    return Status::ok();
  }

  const HostSide &side;
  const plan::Plan &plan;
  std::unique_ptr<KernelLauncher> device, host;
  DeviceMemory &memory;
};

class CheckedKernels final : public KernelSet {
public:
  CheckedKernels(const plan::Plan &plan, std::shared_ptr<const KernelSet> device, FindDevice memory)
      : plan(plan), device(std::move(device)), memory(std::move(memory)) {}

  Status load(const std::string &folder) {
    side.plan = plan;
    side.plan.target = plan::multipliedByReference(plan.target);
    Result<std::unique_ptr<KernelLibrary>> library = KernelLibrary::load(side.plan, folder);
    WINDLASS_TRY(library.status());
    side.library = library.take();
    side.bytes = operandBytes(plan);
    return Status::ok();
  }

  Result<std::unique_ptr<KernelLauncher>> makeLauncher(int64_t rank, Stream *stream) const override {
    DeviceMemory *const where = memory(rank);
    if (stream || !where)
      return Status::internal("kernels are checked one after the other, in the memory of their rank");
    Result<std::unique_ptr<KernelLauncher>> checked = device->makeLauncher(rank, nullptr);
    WINDLASS_TRY(checked.status());
    Result<std::unique_ptr<KernelLauncher>> host = side.library->makeLauncher(rank, nullptr);
    WINDLASS_TRY(host.status());
    return std::unique_ptr<KernelLauncher>(
        std::make_unique<CheckedLauncher>(side, plan, checked.take(), host.take(), *where));
  }

private:
  const plan::Plan &plan;
  HostSide side;
  std::shared_ptr<const KernelSet> device;
  FindDevice memory;
};

} // namespace

Result<std::shared_ptr<const KernelSet>> checkKernels(const plan::Plan &plan, const std::string &folder,
                                                      std::shared_ptr<const KernelSet> device,
                                                      FindDevice memory) {
  auto checked = std::make_shared<CheckedKernels>(plan, std::move(device), std::move(memory));
  WINDLASS_TRY(checked->load(folder));
  return std::shared_ptr<const KernelSet>(std::move(checked));
}

} // namespace windlass
