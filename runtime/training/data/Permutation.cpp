// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/training/data/Permutation.h"

#include "runtime/base/Random.h"
#include <bit>

namespace windlass {

Permutation::Permutation(uint64_t size, uint64_t seed, uint64_t epoch)
    : size(size), seed(seed), epoch(epoch),
      halfBits(size < 2 ? 1 : (static_cast<uint32_t>(std::bit_width(size - 1)) + 1) / 2) {}

uint64_t Permutation::operator()(uint64_t index) const {
  // The network permutes fewer than 4 * size values: a walk takes four rounds on average at most.
  do {
    index = encrypt(index);
  } while (index >= size);
  return index;
}

uint64_t Permutation::encrypt(uint64_t value) const {
  constexpr uint32_t rounds = 6;
  const uint32_t mask = static_cast<uint32_t>((uint64_t{1} << halfBits) - 1);
  uint32_t left = static_cast<uint32_t>(value >> halfBits), right = static_cast<uint32_t>(value) & mask;
  for (uint32_t round = 0; round < rounds; ++round) {
    PhiloxBlock mixed =
        philox4x32({right, round, static_cast<uint32_t>(epoch), static_cast<uint32_t>(epoch >> 32)},
                   {static_cast<uint32_t>(seed), static_cast<uint32_t>(seed >> 32)});
    uint32_t next = left ^ (mixed[0] & mask);
    left = right;
    right = next;
  }
  return (uint64_t{left} << halfBits) | right;
}

} // namespace windlass
