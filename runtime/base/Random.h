// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Random.h - counter-based random numbers ===============================//
//
// Duty: Philox4x32-10 (Salmon et al., "Parallel random numbers: as easy as
// 1, 2, 3", 2011) keyed by (seed, step, stream, global element index), so that
// any element of any tensor can be drawn alone, by any rank, in any order.
// A stream is a row of numbers, or a matrix of them: number (row, element) is
// word element % 4 of the block whose counter is (element / 4, row).
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
using PhiloxKey = std::array<uint32_t, 2>;

/// Philox4x32's constants (section 3.3 of the paper); generated kernels use the same.
namespace philox {
constexpr int kRounds = 10;
constexpr uint32_t kMultiplier0 = 0xD2511F53u, kMultiplier1 = 0xCD9E8D57u;
constexpr uint32_t kWeyl0 = 0x9E3779B9u, kWeyl1 = 0xBB67AE85u; ///< added to the key after each round
} // namespace philox

/// Ten rounds of Philox4x32: 128 random bits of a counter under a key.
PhiloxBlock philox4x32(PhiloxBlock counter, PhiloxKey key);

/// The stream of a name (FNV-1a, 64 bits).
uint64_t streamOf(std::string_view name);

/// One sequence of random numbers, addressed by element.
class RandomStream {
public:
  RandomStream(uint64_t seed, uint64_t step, uint64_t stream);
  /// The stream of a key that another one has.
  explicit RandomStream(PhiloxKey key) : derived(key) {}

  /// What tells this stream from others; all that a kernel needs of it.
  PhiloxKey key() const { return derived; }

  uint32_t bits(uint64_t element, uint64_t row = 0) const;
  /// In [0, 1), a multiple of 2^-24: what an f32 holds exactly.
  float unit(uint64_t element, uint64_t row) const {
    return static_cast<float>(bits(element, row) >> 8) * 0x1p-24f;
  }
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
  PhiloxBlock block(uint64_t quad, uint64_t row) const;
  PhiloxKey derived;
};

} // namespace windlass
