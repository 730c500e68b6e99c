// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/training/step/DropoutFeed.h"

#include "runtime/base/StepItems.h"
#include <algorithm>
#include <cstring>

namespace windlass {

RandomStream dropoutStream(uint64_t seed, uint64_t step, uint64_t number) {
  return RandomStream(seed, step, streamOf("dropout") + number);
}

bool feedDropout(std::string_view item, const DropoutPlace &place, std::span<std::byte> bytes) {
  const bool isKeys = item == kDropoutKeys;
  if (!isKeys && item != kRowBlock)
    return false;
  std::fill(bytes.begin(), bytes.end(), std::byte{0});
  if (!isKeys) {
    const auto block = static_cast<int32_t>(place.rowBlock);
    std::memcpy(bytes.data(), &block, std::min(bytes.size(), sizeof block));
  }
  // Behind the keys there may be room: the keys of streams that nobody draws from do no harm.
  for (uint64_t number = 0; isKeys && (number + 1) * sizeof(PhiloxKey) <= bytes.size(); ++number) {
    const PhiloxKey key = dropoutStream(place.seed, place.step, number).key();
    std::memcpy(bytes.data() + number * sizeof key, key.data(), sizeof key);
  }
  return true;
}

} // namespace windlass
