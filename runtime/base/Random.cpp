// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/base/Random.h"

#include "runtime/base/PortableMath.h"
#include <cmath>

namespace windlass {
namespace {

constexpr uint32_t low(uint64_t x) { return static_cast<uint32_t>(x); }
constexpr uint32_t high(uint64_t x) { return static_cast<uint32_t>(x >> 32); }

} // namespace

PhiloxBlock philox4x32(PhiloxBlock counter, PhiloxKey key) {
  for (int round = 0; round < philox::kRounds; ++round) {
    uint64_t first = uint64_t{philox::kMultiplier0} * counter[0];
    uint64_t second = uint64_t{philox::kMultiplier1} * counter[2];
    counter = {high(second) ^ counter[1] ^ key[0], low(second), high(first) ^ counter[3] ^ key[1],
               low(first)};
    key[0] += philox::kWeyl0;
    key[1] += philox::kWeyl1;
  }
  return counter;
}

uint64_t streamOf(std::string_view name) {
  uint64_t hash = 0xcbf29ce484222325ull;
  for (char c : name)
    hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ull;
  return hash;
}

// 64 bits of seed, step, stream and element do not fit one counter: the first
// three choose the key, by one more Philox.
RandomStream::RandomStream(uint64_t seed, uint64_t step, uint64_t stream) {
  const PhiloxBlock words =
      philox4x32({low(stream), high(stream), low(step), high(step)}, {low(seed), high(seed)});
  derived = {words[0], words[1]};
}

PhiloxBlock RandomStream::block(uint64_t quad, uint64_t row) const {
  return philox4x32({low(quad), high(quad), low(row), high(row)}, derived);
}

uint32_t RandomStream::bits(uint64_t element, uint64_t row) const {
  return block(element / 4, row)[element % 4];
}

std::array<double, 4> RandomStream::normals(uint64_t quad) const {
  const PhiloxBlock words = block(quad, 0);
  std::array<double, 4> values;
  for (size_t pair = 0; pair < 4; pair += 2) {
    const double uniform = (words[pair] + 1.0) * 0x1p-32; // (0, 1]: the logarithm is finite
    const double radius = std::sqrt(-2 * portableLog(uniform));
    const SineCosine angle = sineCosineOfTurn(words[pair + 1]);
    values[pair] = radius * angle.cosine;
    values[pair + 1] = radius * angle.sine;
  }
  return values;
}

} // namespace windlass
