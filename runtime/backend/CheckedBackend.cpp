// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/backend/CheckedBackend.h"

#include "runtime/kernels/CheckedKernels.h"

namespace windlass {
namespace {

class CheckedBackend final : public Backend {
public:
  explicit CheckedBackend(std::unique_ptr<Backend> backend) : inner(std::move(backend)) {}

  void limitWaits(double seconds) override { inner->limitWaits(seconds); }

  Result<std::map<std::string, std::string>> numerics(const plan::Plan &plan) override {
    return inner->numerics(plan);
  }

  Status settle(const plan::Plan &plan, const plan::RankSet &local, const OtherProcesses &others) override {
    return inner->settle(plan, local, others);
  }

  Result<std::unique_ptr<DeviceMemory>> makeMemory(int64_t rank, int64_t bytes, int canary) override {
    Result<std::unique_ptr<DeviceMemory>> memory = inner->makeMemory(rank, bytes, canary);
    if (memory)
      (*memories)[rank] = memory->get();
    return memory;
  }

  Result<PlanKernels> loadKernels(const plan::Plan &plan, const std::string &folder) override {
    Result<PlanKernels> kernels = inner->loadKernels(plan, folder);
    WINDLASS_TRY(kernels.status());
    Result<std::shared_ptr<const KernelSet>> checked =
        checkKernels(plan, folder, kernels->device, [memories = memories](int64_t rank) {
          const auto found = memories->find(rank);
          return found == memories->end() ? nullptr : found->second;
        });
    WINDLASS_TRY(checked.status());
    kernels->device = checked.take();
    return kernels;
  }

  Result<std::unique_ptr<Transport>> makeTransport(std::span<const int64_t> members,
                                                   std::span<Stream *const> streams) override {
    return inner->makeTransport(members, streams);
  }

  bool spansProcesses() const override { return inner->spansProcesses(); }
  bool exchangesOneByOne() const override { return inner->exchangesOneByOne(); }

private:
  std::unique_ptr<Backend> inner;
  /// By rank; kernels are loaded before.
  std::shared_ptr<std::map<int64_t, DeviceMemory *>> memories =
      std::make_shared<std::map<int64_t, DeviceMemory *>>();
};

} // namespace

std::unique_ptr<Backend> checkedBackend(std::unique_ptr<Backend> backend) {
  return std::make_unique<CheckedBackend>(std::move(backend));
}

} // namespace windlass
