// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/support/cuda/SimFaults.h"
#include <algorithm>
#include <random>

namespace windlass::test {

SimFault SimFault::bySeed(SimFaultKind kind, uint64_t seed, int64_t occasions) {
  std::mt19937_64 random(seed);
  return {kind, 1 + static_cast<int64_t>(random() % static_cast<uint64_t>(occasions))};
}

bool SimFaults::strikes(SimFaultKind kind) {
  const int64_t occasion = ++occasions[static_cast<size_t>(kind)];
  return std::ranges::any_of(
      faults, [&](const SimFault &fault) { return fault.kind == kind && fault.at == occasion; });
}

} // namespace windlass::test
