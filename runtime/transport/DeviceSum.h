// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- DeviceSum.h - sums in rank order on a GPU =============================//
//
// Duty: how transports over GPUs launch the sums that a plan's device code brings (runtime/base/
// DeviceBuiltins.h), which have the bits of OrderedSum.h.
// Threads: pure functions. Errors: BadInput for a sum that the plan brings no code for, Internal for a type
// that is not summed.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/base/DeviceBuiltins.h"
#include "runtime/cuda/Context.h"
#include "runtime/plan/Plan.h"
#include <array>
#include <span>

namespace windlass {

/// The most ranks that a sum takes at once.
inline constexpr size_t kMostPeers = kMostSummed;

/// The function `symbol` of each type that is summed, null where the plan brings none.
struct DeviceSum {
  plan::ElementType type;
  const char *symbol;
  int64_t elementBytes;
  cuda::CuFunction function = nullptr;
};
using DeviceSums = std::array<DeviceSum, 4>;
inline constexpr DeviceSums kDeviceSums{{{plan::ElementType::F32, "windlass_ordered_sum_f32", 4},
                                         {plan::ElementType::F64, "windlass_ordered_sum_f64", 8},
                                         {plan::ElementType::BF16, "windlass_ordered_sum_bf16", 2},
                                         {plan::ElementType::F16, "windlass_ordered_sum_f16", 2}}};

/// The sum of a type.
Result<const DeviceSum *> sumOf(const DeviceSums &sums, plan::ElementType type);

/// Enqueues out = sources[0] + sources[1] + ..., of `bytes` each, at most kMostPeers of them.
Status enqueueSum(const cuda::Context &context, const DeviceSum &sum, cuda::CuStream stream, std::byte *out,
                  int64_t bytes, std::span<const std::byte *const> sources);

} // namespace windlass
