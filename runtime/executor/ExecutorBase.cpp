// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/executor/ExecutorBase.h"
#include "runtime/backend/CheckedBackend.h"

namespace windlass {

Result<ExecutorParts> ExecutorParts::create(const plan::Plan &plan, const ExecutorOptions &options,
                                            const EngineFactory &factory, std::unique_ptr<Backend> backend) {
  ExecutorParts parts;
  parts.plan = &plan;
  parts.options = options;
  if (!backend) {
    Result<std::unique_ptr<Backend>> named = makeBackend(plan.backend);
    if (!named)
      return named.status();
    backend = named.take();
  }
  parts.backend = options.checkKernels ? checkedBackend(std::move(backend)) : std::move(backend);
  parts.backend->limitWaits(options.deviceSeconds);
  const plan::RankSet local = options.ranks.isEmpty() ? plan::RankSet::allOf(plan) : options.ranks;
  WINDLASS_TRY(parts.backend->settle(plan, local, options.others));
  Result<PlanKernels> kernels = parts.backend->loadKernels(plan, options.kernelsFolder);
  if (!kernels)
    return kernels.status();
  parts.kernels = kernels.take();
  parts.notices = parts.kernels.notices;
  Result<std::unique_ptr<Storage>> storage =
      Storage::create(plan, options, *parts.backend, factory, parts.notices);
  if (!storage)
    return storage.status();
  parts.storage = storage.take();
  return parts;
}

ExecutorBase::ExecutorBase(ExecutorParts given)
    : parts(std::move(given)), bound(BoundPlan::create(*parts.plan, *parts.storage)),
      timeline(bound, parts.options) {}

Status ExecutorBase::run(plan::Purpose purpose, StepHost &host) {
  if (!broken.isOk())
    return broken;
  if (!serves(*parts.plan, purpose))
    return Status::badInput("the plan has no schedule \"" + std::string(textOf(purpose)) + "\"");
  timeline.begin(purpose);
  return broken = walk(purpose, host);
}

Status ExecutorBase::readBytes(int64_t rank, const plan::Operand &operand, int64_t at,
                               std::span<std::byte> out) {
  return parts.storage->read(rank, operand, at, out);
}

Status ExecutorBase::writeBytes(int64_t rank, const plan::Operand &operand, int64_t at,
                                std::span<const std::byte> in) {
  return parts.storage->write(rank, operand, at, in);
}

std::span<const std::byte> ExecutorBase::arena(int64_t rank, plan::Tier tier) const {
  return parts.storage->arena(rank, tier);
}

} // namespace windlass
