//===- F16.h - IEEE half precision as 16-bit integers ======================//
//
// Duty: f16 to f32, by integers, on every machine the same.
// Threads: pure functions.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <bit>
#include <cstdint>

namespace windlass {

/// Exact: every half is a float.
inline float widenF16(uint16_t value) {
  const uint32_t sign = (value & 0x8000u) << 16, exponent = (value >> 10) & 0x1F, fraction = value & 0x3FF;
  if (exponent == 0) {
    const float magnitude = static_cast<float>(fraction) * 0x1p-24f;
    return sign ? -magnitude : magnitude;
  }
  const uint32_t biased = exponent == 0x1F ? 0xFF : exponent + 127 - 15;
  return std::bit_cast<float>(sign | biased << 23 | fraction << 13);
}

} // namespace windlass
