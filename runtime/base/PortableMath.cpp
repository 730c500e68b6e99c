// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/base/PortableMath.h"

#include <array>
#include <bit>
#include <cstddef>
#include <utility>

namespace windlass {
namespace {

/// sum of coefficients[i] * x^i, innermost first.
template <std::size_t n> double polynomial(const std::array<double, n> &coefficients, double x) {
  double sum = 0;
  for (std::size_t i = n; i-- > 0;)
    sum = sum * x + coefficients[i];
  return sum;
}

} // namespace

// x = 2^e * m with m in [1/sqrt 2, sqrt 2), and log m = 2 atanh(s), s = (m - 1) / (m + 1), by its series.
double portableLog(double x) {
  constexpr double ln2 = 0.693147180559945309417;
  constexpr std::array<double, 11> atanhOverS = {1.0,      1.0 / 3,  1.0 / 5,  1.0 / 7,  1.0 / 9, 1.0 / 11,
                                                 1.0 / 13, 1.0 / 15, 1.0 / 17, 1.0 / 19, 1.0 / 21};
  uint64_t word = std::bit_cast<uint64_t>(x);
  int exponent = static_cast<int>(word >> 52) - 1023;
  double mantissa = std::bit_cast<double>((word & 0xfffffffffffffull) | 0x3ff0000000000000ull);
  if (mantissa > 1.41421356237309515) {
    mantissa *= 0.5;
    ++exponent;
  }
  double s = (mantissa - 1) / (mantissa + 1);
  return exponent * ln2 + 2 * s * polynomial(atanhOverS, s * s);
}

// The octant comes from the integer, the rest from Taylor series on [0, pi/4].
SineCosine sineCosineOfTurn(uint32_t turn) {
  constexpr double pi = 3.14159265358979323846;
  constexpr std::array<double, 8> sineOverX = {
      1.0,          -1.0 / 6,        1.0 / 120,          -1.0 / 5040,
      1.0 / 362880, -1.0 / 39916800, 1.0 / 6227020800.0, -1.0 / 1307674368000.0};
  constexpr std::array<double, 8> cosineSeries = {
      1.0,         -1.0 / 2,       1.0 / 24,          -1.0 / 720,
      1.0 / 40320, -1.0 / 3628800, 1.0 / 479001600.0, -1.0 / 87178291200.0};
  uint32_t quadrant = turn >> 30;
  uint32_t inQuadrant = turn & 0x3fffffffu;
  bool mirrored = inQuadrant > 0x20000000u; // past pi/4: swap sine and cosine of the complement
  double x = (mirrored ? 0x40000000u - inQuadrant : inQuadrant) * (0x1p-31 * pi);
  double sine = x * polynomial(sineOverX, x * x), cosine = polynomial(cosineSeries, x * x);
  if (mirrored)
    std::swap(sine, cosine);
  switch (quadrant) {
  case 0:
    return {sine, cosine};
  case 1:
    return {cosine, -sine};
  case 2:
    return {-sine, -cosine};
  }
  return {-cosine, sine};
}

} // namespace windlass
