// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Bf16.h - bf16 as 16-bit integers ======================================//
//
// Duty: f32 to bf16 and back, by integers: hardware flushes denormals, and the
// compiler's own conversion needs a symbol Debian's libgcc lacks.
// Threads: pure functions.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <bit>
#include <cstdint>

namespace windlass {

/// The bf16 nearest to `value`, ties to even; NaN stays NaN.
inline uint16_t roundToBf16(float value) {
  const uint32_t bits = std::bit_cast<uint32_t>(value);
  const uint32_t rounded = (bits + 0x7FFF + ((bits >> 16) & 1)) >> 16;
  const uint32_t quietNan = (bits >> 16) | 0x40;
  return static_cast<uint16_t>((bits & 0x7FFFFFFF) > 0x7F800000 ? quietNan : rounded);
}

inline float widenBf16(uint16_t value) { return std::bit_cast<float>(static_cast<uint32_t>(value) << 16); }

} // namespace windlass
