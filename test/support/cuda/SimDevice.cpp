// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/support/cuda/SimDevice.h"
#include <algorithm>

namespace windlass::test {

const SimRegion *regionOf(std::span<const SimRegion> regions, uint64_t address, uint64_t bytes) {
  const auto found =
      std::ranges::find_if(regions, [&](const SimRegion &region) { return region.has(address, bytes); });
  return found == regions.end() ? nullptr : &*found;
}

std::byte *touchOperand(std::span<const SimRegion> regions, uint64_t address, uint64_t bytes, bool reads,
                        bool writes, const std::string &what, SimOutcome &outcome) {
  const SimRegion *region = regionOf(regions, address, bytes);
  if (!region) {
    outcome.violations.push_back({SimRule::OutOfBounds, what + ": " + std::to_string(bytes) + " bytes"});
    outcome.result = cuda::CuResult::IllegalAddress;
    return nullptr;
  }
  if (reads && !region->isWritten(address, bytes))
    outcome.violations.push_back({SimRule::UnwrittenRead, what});
  if (reads)
    outcome.accesses.push_back({address, address + bytes, false});
  if (writes) {
    outcome.accesses.push_back({address, address + bytes, true});
    region->markWritten(address, bytes);
  }
  return region->at(address);
}

} // namespace windlass::test
