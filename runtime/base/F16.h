// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- F16.h - IEEE half precision as 16-bit integers ========================//
//
// Duty: f32 to f16 and back, by integers, on every machine the same and the same as
// the conversions of F16C, but that a signalling NaN is widened to one (arithmetic
// makes it quiet, and never one itself). Branch-free, so that loops over them vectorise.
// Threads: pure functions.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <bit>
#include <cstdint>

namespace windlass {

/// Exact: every half is a float.
inline float widenF16(uint16_t value) {
  constexpr uint32_t kExponent = 0x1Fu << 23, kRebias = (127u - 15) << 23;
  const uint32_t sign = (value & 0x8000u) << 16, magnitude = (value & 0x7FFFu) << 13;
  const uint32_t exponent = magnitude & kExponent;
  // A number without exponent is a multiple of 2^-24: with the least exponent in front, less that again.
  const float tiny = std::bit_cast<float>(magnitude + kRebias + (1u << 23)) - 0x1p-14f;
  const uint32_t normal = magnitude + kRebias + (exponent == kExponent ? kRebias : 0);
  return std::bit_cast<float>(sign | (exponent == 0 ? std::bit_cast<uint32_t>(tiny) : normal));
}

/// The f16 nearest to `value`, ties to even, infinite from 65520 on; NaN stays NaN.
inline uint16_t roundToF16(float value) {
  constexpr uint32_t kInfinity = 0xFFu << 23, kTooLarge = (127u + 16) << 23, kLeastNormal = (127u - 14) << 23;
  const uint32_t bits = std::bit_cast<uint32_t>(value);
  const uint32_t sign = (bits >> 16) & 0x8000u, magnitude = bits & 0x7FFFFFFFu;
  const uint32_t odd = (magnitude >> 13) & 1;
  const uint32_t normal = (magnitude - ((127u - 15) << 23) + 0xFFF + odd) >> 13;
  // Adding a half of 2^-24 units lets the float unit round at the last place that f16 has there.
  const uint32_t tiny = std::bit_cast<uint32_t>(std::bit_cast<float>(magnitude) + 0.5f) - 0x3F000000u;
  const uint32_t quietNan = 0x7E00u | ((magnitude >> 13) & 0x1FFu);
  const uint32_t special = magnitude > kInfinity ? quietNan : 0x7C00u;
  const uint32_t finite = magnitude < kLeastNormal ? tiny : normal;
  return static_cast<uint16_t>(sign | (magnitude >= kTooLarge ? special : finite));
}

} // namespace windlass
