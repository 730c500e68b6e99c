//===- Random.h - counter-based random numbers =============================//
//
// Duty: Philox4x32-10 (Salmon et al., "Parallel random numbers: as easy as
// 1, 2, 3", 2011) keyed by (seed, step, stream, global element index), so that
// any element of any tensor can be drawn alone, by any rank, in any order.
// Bits: integers are exact everywhere. Normals are Box-Muller in f64 over the
// functions of PortableMath.h and a square root, all IEEE operations: the bits
// are equal on every machine whose compiler does not contract
// (-ffp-contract=off), whatever its libm.
// Threads: pure functions and const values.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace windlass {

using PhiloxBlock = std::array<uint32_t, 4>;

/// Ten rounds of Philox4x32: 128 random bits of a counter under a key.
PhiloxBlock philox4x32(PhiloxBlock counter, std::array<uint32_t, 2> key);

/// The stream of a name (FNV-1a, 64 bits).
uint64_t streamOf(std::string_view name);

/// One sequence of random numbers, addressed by element.
class RandomStream {
public:
  RandomStream(uint64_t seed, uint64_t step, uint64_t stream);

  uint32_t bits(uint64_t element) const;
  /// In [0, 1), 32 bits of it random.
  double uniform(uint64_t element) const { return bits(element) * 0x1p-32; }
  /// In [0, bound), 0 < bound < 2^32; the bias is below bound / 2^32.
  uint32_t below(uint64_t element, uint32_t bound) const {
    return static_cast<uint32_t>((uint64_t{bits(element)} * bound) >> 32);
  }
  /// Mean 0, deviation 1, within +-6.7.
  double normal(uint64_t element) const { return normals(element / 4)[element % 4]; }
  /// Elements 4 * quad to 4 * quad + 3 at the price of little more than one.
  std::array<double, 4> normals(uint64_t quad) const;

private:
  PhiloxBlock block(uint64_t quad) const;
  std::array<uint32_t, 2> key;
};

} // namespace windlass
