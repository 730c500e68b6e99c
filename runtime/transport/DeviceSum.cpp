// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/transport/DeviceSum.h"
#include "runtime/plan/Enums.h"
#include <algorithm>

namespace windlass {

Result<const DeviceSum *> sumOf(const DeviceSums &sums, plan::ElementType type) {
  const auto *sum = std::ranges::find(sums, type, &DeviceSum::type);
  if (sum == sums.end())
    return Status::internal("a sum of an element type that is not summed");
  if (!sum->function)
    return Status::badInput("the plan has no code to sum " + std::string(textOf(type)) + " on a GPU: '" +
                            sum->symbol + "'");
  return sum;
}

Status enqueueSum(const cuda::Context &context, const DeviceSum &sum, cuda::CuStream stream, std::byte *out,
                  int64_t bytes, std::span<const std::byte *const> sources) {
  if (bytes == 0)
    return Status::ok();
  auto target = reinterpret_cast<uint64_t>(out);
  int64_t elements = bytes / sum.elementBytes, count = std::ssize(sources);
  std::array<uint64_t, kMostPeers> addresses{};
  for (size_t q = 0; q < sources.size(); ++q)
    addresses[q] = reinterpret_cast<uint64_t>(sources[q]);
  std::array<void *, 3 + kMostPeers> parameters{&target, &elements, &count};
  for (size_t q = 0; q < kMostPeers; ++q)
    parameters[3 + q] = &addresses[q];
  void **const noExtra = nullptr;
  return context.call<&cuda::Driver::launch>(
      sum.function, static_cast<unsigned>((elements + kSumElements - 1) / kSumElements), 1u, 1u, kSumThreads,
      1u, 1u, 0u, stream, parameters.data(), noExtra);
}

} // namespace windlass
