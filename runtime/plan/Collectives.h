// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Collectives.h - in whose order ranks are summed =======================//
//
// Duty: the words for who sums what ranks exchange, and what a plan says of it: in its numerics record, as
// nothing else but bits depends on it. Threads: pure functions. Errors: BadInput, naming the word found.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/base/Status.h"
#include <cstdint>
#include <span>
#include <string_view>

namespace windlass::plan {

struct DeviceRow;
struct Plan;

enum class Collectives : uint8_t {
  Ordered, ///< rank 0 + rank 1 + ..., rounded once, on every backend
  Nccl,    ///< NVIDIA's library, between GPUs, in an order of its own
};

/// The key of the numerics record, which stands there where sums are not ordered.
inline constexpr std::string_view kCollectivesKey = "collectives";
/// One word per enumerator, in order.
std::span<const std::string_view> collectivesWords();
std::string_view textOf(Collectives collectives);

/// Whether a backend can sum over ranks with these collectives.
bool mayBeSummed(Collectives collectives, std::string_view backend);

/// The collectives of a plan, parsed from its numerics record. Callers that ask often keep the result.
Result<Collectives> collectivesOf(const Plan &plan);
/// Bytes of a plan that a lane's sums are staged in at most, as a device's transports want it; a library sums
/// without.
int64_t mostStagingBytes(Collectives collectives, const DeviceRow &device);
/// Whether the plan's backend can do what it says.
Status checkCollectives(const Plan &plan);

} // namespace windlass::plan
