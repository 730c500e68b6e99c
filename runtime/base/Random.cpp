#include "runtime/base/Random.h"

#include <bit>
#include <cmath>
#include <utility>

namespace windlass {
namespace {

constexpr uint32_t low(uint64_t x) { return static_cast<uint32_t>(x); }
constexpr uint32_t high(uint64_t x) { return static_cast<uint32_t>(x >> 32); }

/// sum of coefficients[i] * x^i, innermost first.
template <size_t n> double polynomial(const std::array<double, n> &coefficients, double x) {
  double sum = 0;
  for (size_t i = n; i-- > 0;)
    sum = sum * x + coefficients[i];
  return sum;
}

/// Natural logarithm of a normal positive number: x = 2^e * m with m in
/// [1/sqrt 2, sqrt 2), and log m = 2 atanh(s), s = (m - 1) / (m + 1), by its series.
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

struct SineCosine {
  double sine, cosine;
};

/// Of the angle 2 pi turn / 2^32: the octant comes from the integer, the rest from Taylor series on [0,
/// pi/4].
SineCosine ofTurn(uint32_t turn) {
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

} // namespace

PhiloxBlock philox4x32(PhiloxBlock counter, std::array<uint32_t, 2> key) {
  for (int round = 0; round < 10; ++round) {
    uint64_t first = uint64_t{0xD2511F53u} * counter[0];
    uint64_t second = uint64_t{0xCD9E8D57u} * counter[2];
    counter = {high(second) ^ counter[1] ^ key[0], low(second), high(first) ^ counter[3] ^ key[1],
               low(first)};
    key[0] += 0x9E3779B9u;
    key[1] += 0xBB67AE85u;
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
  PhiloxBlock derived =
      philox4x32({low(stream), high(stream), low(step), high(step)}, {low(seed), high(seed)});
  key = {derived[0], derived[1]};
}

PhiloxBlock RandomStream::block(uint64_t element) const {
  uint64_t index = element / 4;
  return philox4x32({low(index), high(index), 0, 0}, key);
}

uint32_t RandomStream::bits(uint64_t element) const { return block(element)[element % 4]; }

double RandomStream::normal(uint64_t element) const {
  PhiloxBlock words = block(element);
  size_t pair = element % 4 / 2 * 2;
  double uniform = (words[pair] + 1.0) * 0x1p-32; // (0, 1]: the logarithm is finite
  double radius = std::sqrt(-2 * portableLog(uniform));
  SineCosine angle = ofTurn(words[pair + 1]);
  return radius * (element % 2 == 0 ? angle.cosine : angle.sine);
}

} // namespace windlass
