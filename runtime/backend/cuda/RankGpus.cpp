// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/backend/cuda/RankGpus.h"
#include "runtime/base/Units.h"
#include "runtime/tiers/cuda/CudaMemory.h"
#include <algorithm>

namespace windlass {

namespace {

/// The kernels of ranks that have a GPU each.
class KernelsOfRanks final : public KernelSet {
public:
  KernelsOfRanks(const plan::RankSet &local, std::vector<std::shared_ptr<const CudaKernels>> kernels)
      : local(local), kernels(std::move(kernels)) {}

  Result<std::unique_ptr<KernelLauncher>> makeLauncher(int64_t rank, Stream *stream) const override {
    return kernels[local.placeOf(rank)]->makeLauncher(rank, stream);
  }

private:
  plan::RankSet local;
  std::vector<std::shared_ptr<const CudaKernels>> kernels; ///< by place in `local`
};

std::string nameOf(const RankGpu &gpu) {
  return "GPU " + std::to_string(gpu.ordinal) + ", '" + gpu.context->facts().name + "',";
}

} // namespace

Result<std::unique_ptr<DeviceMemory>> RankGpu::makeMemory(int64_t bytes, int canary) const {
  return CudaMemory::create(context, bytes, canary);
}

Status RankGpu::loadKernels(const plan::Plan &plan, const std::string &folder, const FindBlasLt &findBlasLt) {
  Result<std::shared_ptr<const CudaKernels>> loaded = CudaKernels::load(context, plan, folder, findBlasLt);
  WINDLASS_TRY(loaded.status());
  kernels = loaded.take();
  for (DeviceSum &sum : sums) {
    const Result<cuda::CuFunction> function = kernels->builtin(sum.symbol);
    WINDLASS_TRY(function.status());
    sum.function = *function;
  }
  return Status::ok();
}

NcclMember RankGpu::member(Stream *stream) const {
  return {context, static_cast<CudaStream *>(stream), sums};
}

Status RankGpus::give(const plan::RankSet &ranks, int begin) {
  const std::shared_ptr<cuda::Context> first = gpus[0].context;
  local = ranks;
  if (begin > 0)
    gpus.clear(); // nothing of this process stays on the first GPU
  while (gpus.size() < ranks.size()) {
    const int ordinal = begin + static_cast<int>(gpus.size());
    Result<std::shared_ptr<cuda::Context>> context = cuda::Context::create(first->driver(), ordinal);
    if (!context)
      return context.status();
    (*context)->limitWaits(first->longestWait());
    gpus.push_back({context.take(), ordinal});
  }
  return Status::ok();
}

Result<std::shared_ptr<const KernelSet>>
RankGpus::loadKernels(const plan::Plan &plan, const std::string &folder, const FindBlasLt &findBlasLt) {
  std::vector<std::shared_ptr<const CudaKernels>> kernels;
  for (RankGpu &gpu : gpus) {
    WINDLASS_TRY(gpu.loadKernels(plan, folder, findBlasLt));
    kernels.push_back(gpu.kernels);
    if (gpu.kernels->numerics() != gpus[0].kernels->numerics())
      return Status::cannotFit(nameOf(gpu) + " computes otherwise than " + nameOf(gpus[0]) +
                               " which other ranks have: a plan runs on GPUs of one kind");
  }
  if (local.isEmpty())
    return std::shared_ptr<const KernelSet>(std::move(kernels[0]));
  return std::shared_ptr<const KernelSet>(std::make_shared<KernelsOfRanks>(local, std::move(kernels)));
}

Result<std::vector<std::string>> RankGpus::sayWhatIsTaken() const {
  std::vector<std::string> lines;
  for (const RankGpu &gpu : gpus) {
    const Result<cuda::Context::Memory> memory = gpu.context->memory();
    if (!memory)
      return memory.status();
    lines.push_back((local.isEmpty() ? "'" + gpu.context->facts().name + "'" : nameOf(gpu)) + " has " +
                    formatBytes(memory->totalBytes) + ", of which " +
                    formatBytes(memory->totalBytes - memory->freeBytes) +
                    " are taken beside the arenas: by the driver, the plan's code and other programs");
  }
  const Result<std::string> code = gpus[0].kernels->describe();
  if (!code)
    return code.status();
  lines.push_back(*code);
  return lines;
}

} // namespace windlass
