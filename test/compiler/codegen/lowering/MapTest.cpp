// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels of one graph.map.

#include "runtime/base/F16.h"
#include "test/compiler/codegen/KernelRunner.h"

#include <cmath>
#include <limits>

using namespace windlass::codegen::test;

namespace {

std::string biasGelu(int64_t rows, int64_t columns) {
  std::string x = "tensor<" + std::to_string(rows) + "x" + std::to_string(columns) + "xf32>";
  std::string b = "tensor<" + std::to_string(columns) + "xf32>";
  return "func.func @k(%x: " + x + ", %b: " + b + ") -> " + x + " {\n %r = graph.map ins(%x, %b : " + x +
         ", " + b + R"() maps [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>] -> )" + x +
         R"( {
    ^bb0(%p: f32, %q: f32):
      %half = arith.constant 0.5 : f32
      %one = arith.constant 1.0 : f32
      %c = arith.constant 0.044715 : f32
      %s = arith.constant 0.7978845608028654 : f32
      %v = arith.addf %p, %q : f32
      %v2 = arith.mulf %v, %v : f32
      %v3 = arith.mulf %v2, %v : f32
      %i0 = arith.mulf %c, %v3 : f32
      %i1 = arith.addf %v, %i0 : f32
      %i2 = arith.mulf %s, %i1 : f32
      %t = math.tanh %i2 : f32
      %u = arith.addf %one, %t : f32
      %w = arith.mulf %half, %v : f32
      %y = arith.mulf %w, %u : f32
      graph.yield %y : f32
    }
    return %r : )" +
         x + "\n}\n";
}

double gelu(double v) { return 0.5 * v * (1 + std::tanh(0.7978845608028654 * (v + 0.044715 * v * v * v))); }

TEST(Map, fusedBiasAndGeluIsCloseForAnyWidth) {
  for (int64_t columns : {1, 15, 16, 17, 63, 65, 255}) {
    auto kernels = compile(biasGelu(5, columns));
    ASSERT_TRUE(kernels);
    Buffer<float> x(5 * columns), b(columns), y(5 * columns);
    x.fill(1, -6, 6), b.fill(2, -1, 1);
    kernels->run("k", {x, b, y}, 0, 5);
    for (int64_t i = 0; i < 5 * columns; ++i)
      ASSERT_NEAR(y[i], gelu(double(x[i]) + b[i % columns]), 2e-6) << columns << " " << i;
  }
}

TEST(Map, aRangeOfRowsTouchesNothingElse) {
  auto kernels = compile(biasGelu(8, 33));
  ASSERT_TRUE(kernels);
  Buffer<float> x(8 * 33), b(33), whole(8 * 33), parts(8 * 33);
  x.fill(1), b.fill(2), parts.set(7);
  kernels->run("k", {x, b, whole}, 0, 8);
  kernels->run("k", {x, b, parts}, 3, 5);
  for (int64_t i = 0; i < 8 * 33; ++i)
    ASSERT_EQ(parts[i], i >= 3 * 33 && i < 5 * 33 ? whole[i] : 7.0f);
  kernels->run("k", {x, b, parts}, 0, 3);
  kernels->run("k", {x, b, parts}, 5, 8);
  EXPECT_TRUE(parts.sameBits(whole));
}

/// Powers of numbers of either sign, as C's pow has them. Results are also those of a single element.
TEST(Map, powersHaveTheResultsOfC) {
  const float infinity = std::numeric_limits<float>::infinity();
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const std::vector<float> bases = {-infinity, -3, -2, -1, -0.5f, -0.0f, 0, 0.5f, 1, 2.5f, infinity, nan},
                           exponents = {-infinity, -3,   -2, -1.5f, -1, -0.0f, 0,        0.5f,
                                        1,         1.5f, 2,  3,     63, 64,    infinity, nan};
  const auto length = static_cast<int64_t>(bases.size() * exponents.size());
  const std::string type = "tensor<" + std::to_string(length) + "xf32>";
  for (const std::string &cpu : runnableCpus()) {
    auto kernels = compile("func.func @k(%x: " + type + ", %n: " + type + ") -> " + type +
                               " {\n %r = graph.map ins(%x, %n : " + type + ", " + type +
                               ") maps [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>] -> " + type +
                               " {\n ^bb0(%a: f32, %b: f32):\n %y = math.powf %a, %b : f32\n"
                               " graph.yield %y : f32\n }\n return %r : " +
                               type + "\n}\n",
                           cpu);
    ASSERT_TRUE(kernels);
    Buffer<float> x(length), n(length), y(length);
    for (int64_t i = 0; i < length; ++i) {
      x[i] = bases[i % bases.size()];
      n[i] = exponents[i / bases.size()];
    }
    kernels->run("k", {x, n, y}, 0, length);
    for (int64_t i = 0; i < length; ++i) {
      const float expected = std::pow(x[i], n[i]);
      SCOPED_TRACE(std::to_string(x[i]) + " to the power of " + std::to_string(n[i]));
      if (std::isfinite(expected))
        EXPECT_NEAR(y[i], expected, 1e-5 * std::abs(expected));
      else
        EXPECT_TRUE(std::isnan(expected) ? std::isnan(y[i]) : y[i] == expected) << y[i];
      if (!std::isnan(expected))
        EXPECT_EQ(std::signbit(y[i]), std::signbit(expected));
    }
  }
}

/// In lanes and in the elements behind the last vector.
TEST(Map, aConstantPowerHasTheBitsOfTheSameNumberAsData) {
  for (const char *exponent : {"0.5", "-0.5", "-1.0", "2.0", "1.7"}) {
    const std::string x = "tensor<33xf32>", id = "affine_map<(d0) -> (d0)>";
    auto kernels = compile(
        "func.func @known(%x: " + x + ") -> " + x + " {\n %r = graph.map ins(%x : " + x + ") maps [" + id +
        "] -> " + x + " {\n ^bb0(%a: f32):\n %n = arith.constant " + exponent +
        " : f32\n %y = math.powf %a, %n : f32\n graph.yield %y : f32\n }\n return %r : " + x +
        "\n}\nfunc.func @data(%x: " + x + ", %n: " + x + ") -> " + x +
        " {\n %r = graph.map ins(%x, %n : " + x + ", " + x + ") maps [" + id + ", " + id + "] -> " + x +
        " {\n ^bb0(%a: f32, %b: f32):\n %y = math.powf %a, %b : f32\n"
        " graph.yield %y : f32\n }\n return %r : " +
        x + "\n}\n");
    ASSERT_TRUE(kernels);
    Buffer<float> base(33), number(33), known(33), data(33);
    base.fill(3, 0.5, 4), number.set(std::stof(exponent));
    kernels->run("known", {base, known}, 0, 33);
    kernels->run("data", {base, number, data}, 0, 33);
    EXPECT_TRUE(known.sameBits(data)) << exponent;
  }
}

const char *const kAdamw = R"(
#id = affine_map<(d0) -> (d0)>
#all = affine_map<(d0) -> ()>
func.func @adamw(%p: tensor<1000xf32>, %g: tensor<1000xf32>, %m: tensor<1000xf32>, %v: tensor<1000xf32>,
                 %lr: tensor<f32>, %c2: tensor<f32>) -> (tensor<1000xf32>, tensor<1000xf32>, tensor<1000xf32>) {
  %r:3 = graph.map ins(%p, %g, %m, %v, %lr, %c2 : tensor<1000xf32>, tensor<1000xf32>, tensor<1000xf32>,
                       tensor<1000xf32>, tensor<f32>, tensor<f32>)
      maps [#id, #id, #id, #id, #all, #all] -> tensor<1000xf32>, tensor<1000xf32>, tensor<1000xf32> {
  ^bb0(%a: f32, %b: f32, %c: f32, %d: f32, %rate: f32, %correction: f32):
    %b1 = arith.constant 0.9 : f32
    %n1 = arith.constant 0.1 : f32
    %b2 = arith.constant 0.999 : f32
    %n2 = arith.constant 0.001 : f32
    %eps = arith.constant 1.0e-8 : f32
    %m0 = arith.mulf %c, %b1 : f32
    %m1 = arith.mulf %b, %n1 : f32
    %mn = arith.addf %m0, %m1 : f32
    %v0 = arith.mulf %d, %b2 : f32
    %v1 = arith.mulf %b, %b : f32
    %v2 = arith.mulf %v1, %n2 : f32
    %vn = arith.addf %v0, %v2 : f32
    %vc = arith.divf %vn, %correction : f32
    %sq = math.sqrt %vc : f32
    %den = arith.addf %sq, %eps : f32
    %q = arith.divf %mn, %den : f32
    %u = arith.mulf %rate, %q : f32
    %pn = arith.subf %a, %u : f32
    graph.yield %pn, %mn, %vn : f32, f32, f32
  }
  return %r#0, %r#1, %r#2 : tensor<1000xf32>, tensor<1000xf32>, tensor<1000xf32>
}
)";

/// The same computation in C++. It has only + - * / and square roots, so that the bits are equal.
void adamw(Buffer<float> &p, const Buffer<float> &g, Buffer<float> &m, Buffer<float> &v, float rate,
           float correction) {
  for (size_t i = 0; i < p.size(); ++i) {
    m[i] = m[i] * 0.9f + g[i] * 0.1f;
    v[i] = v[i] * 0.999f + g[i] * g[i] * 0.001f;
    p[i] = p[i] - rate * (m[i] / (std::sqrt(v[i] / correction) + 1.0e-8f));
  }
}

TEST(Map, adamwInPlaceOnAnyLengthAndAnyCutsHasTheBitsOfC) {
  for (const std::string &cpu : runnableCpus()) {
    auto kernels = compile(kAdamw, cpu);
    ASSERT_TRUE(kernels);
    for (int64_t length : {1, 63, 64, 65, 1000, 4099}) { // the type has 1000, but only the range counts
      Buffer<float> p(length), g(length), m(length), v(length), rate(1), correction(1);
      p.fill(1), g.fill(2), m.fill(3), v.fill(4, 0, 1), rate.set(0.01f), correction.set(0.3f);
      Buffer<float> p1(length), m1(length), v1(length);
      p1.copy(p), m1.copy(m), v1.copy(v);
      adamw(p1, g, m1, v1, rate[0], correction[0]);
      std::vector<void *> args = {p, g, m, v, rate, correction, p, m, v};
      for (int64_t from = 0; from < length; from += 128)
        kernels->run("adamw", args, from, std::min(length, from + 128));
      EXPECT_TRUE(p.sameBits(p1) && m.sameBits(m1) && v.sameBits(v1)) << cpu << " " << length;
    }
  }
}

TEST(Map, permutesBroadcastsAndFixesIndices) {
  auto kernels = compile(R"(
func.func @split(%qkv: tensor<2x5x3x2x24xf32>) -> tensor<2x2x5x24xf32> {
  %r = graph.map ins(%qkv : tensor<2x5x3x2x24xf32>)
      maps [affine_map<(b, h, s, d) -> (b, s, 1, h, d)>] -> tensor<2x2x5x24xf32> {
  ^bb0(%a: f32):
    graph.yield %a : f32
  }
  return %r : tensor<2x2x5x24xf32>
}
func.func @transpose(%x: tensor<37x21xf32>) -> tensor<21x37xf32> {
  %r = graph.map ins(%x : tensor<37x21xf32>) maps [affine_map<(i, j) -> (j, i)>] -> tensor<21x37xf32> {
  ^bb0(%a: f32):
    graph.yield %a : f32
  }
  return %r : tensor<21x37xf32>
})");
  ASSERT_TRUE(kernels);
  Buffer<float> qkv(2 * 5 * 3 * 2 * 24), k(2 * 2 * 5 * 24);
  qkv.fill(1);
  kernels->run("split", {qkv, k}, 0, 1);
  kernels->run("split", {qkv, k}, 1, 2);
  for (int b = 0; b < 2; ++b)
    for (int h = 0; h < 2; ++h)
      for (int s = 0; s < 5; ++s)
        for (int d = 0; d < 24; ++d)
          ASSERT_EQ(k[((b * 2 + h) * 5 + s) * 24 + d], qkv[(((b * 5 + s) * 3 + 1) * 2 + h) * 24 + d]);
  Buffer<float> x(37 * 21), y(37 * 21);
  x.fill(2);
  kernels->run("transpose", {x, y}, 0, 21);
  for (int i = 0; i < 21; ++i)
    for (int j = 0; j < 37; ++j)
      ASSERT_EQ(y[i * 37 + j], x[j * 21 + i]);
}

TEST(Map, fillsWithoutAnyInput) {
  auto kernels = compile(R"(
func.func @zero() -> tensor<64xf32> {
  %r = graph.map ins() maps [] -> tensor<64xf32> {
    %z = arith.constant 0.0 : f32
    graph.yield %z : f32
  }
  return %r : tensor<64xf32>
}
func.func @root(%x: tensor<f64>) -> tensor<f32> {
  %r = graph.map ins(%x : tensor<f64>) maps [affine_map<() -> ()>] -> tensor<f32> {
  ^bb0(%a: f64):
    %s = math.sqrt %a : f64
    %t = arith.truncf %s : f64 to f32
    graph.yield %t : f32
  }
  return %r : tensor<f32>
})");
  ASSERT_TRUE(kernels);
  Buffer<float> x(100), root(1);
  Buffer<double> square(1);
  x.set(3), square.set(9);
  kernels->run("zero", {x}, 0, 70);
  for (int64_t i = 0; i < 100; ++i)
    ASSERT_EQ(x[i], i < 70 ? 0 : 3);
  kernels->run("root", {square, root}, 0, 1);
  EXPECT_EQ(root[0], 3);
}

uint16_t roundToBf16(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, 4);
  if (std::isnan(value))
    return (bits | 0x400000) >> 16;
  return (bits + 0x7fff + ((bits >> 16) & 1)) >> 16;
}

float fromBf16(uint16_t stored) {
  uint32_t bits = uint32_t(stored) << 16;
  float value;
  std::memcpy(&value, &bits, 4);
  return value;
}

TEST(Map, bf16IsRoundedToNearestEvenAndKeepsDenormalsAndNans) {
  for (const std::string &cpu : runnableCpus()) {
    auto kernels = compile(R"(
#id = affine_map<(d0) -> (d0)>
func.func @k(%x: tensor<97xf32>, %y: tensor<97xbf16>) -> (tensor<97xbf16>, tensor<97xbf16>) {
  %r:2 = graph.map ins(%x, %y : tensor<97xf32>, tensor<97xbf16>) maps [#id, #id] -> tensor<97xbf16>, tensor<97xbf16> {
  ^bb0(%a: f32, %b: bf16):
    %t = arith.truncf %a : f32 to bf16
    %sum = arith.addf %t, %b : bf16
    graph.yield %t, %sum : bf16, bf16
  }
  return %r#0, %r#1 : tensor<97xbf16>, tensor<97xbf16>
})",
                           cpu);
    ASSERT_TRUE(kernels);
    Buffer<float> x(97);
    Buffer<uint16_t> y(97), rounded(97), sum(97);
    x.fill(1, -100, 100);
    for (size_t i = 0; i < 97; ++i)
      y[i] = roundToBf16(0.37f * float(i));
    uint32_t special[] = {0x7fffffffu, 0x7f800000u, 0x3f808000u, 0x3f818000u,
                          0x00012345u, 0x80018000u, 0x7f7fffffu};
    std::memcpy(&x[20], special, sizeof(special));
    std::memcpy(&x[90], special, sizeof(special)); // in the scalar tail
    kernels->run("k", {x, y, rounded, sum}, 0, 97);
    for (size_t i = 0; i < 97; ++i) {
      ASSERT_EQ(rounded[i], roundToBf16(x[i])) << i;
      ASSERT_EQ(sum[i], roundToBf16(fromBf16(rounded[i]) + fromBf16(y[i]))) << i;
    }
  }
}

/// The runtime's own conversions round in the same way, so that all values of a run agree.
TEST(Map, f16IsRoundedAsTheRuntimeDoes) {
  for (const std::string &cpu : runnableCpus()) {
    auto kernels = compile(R"(
#id = affine_map<(d0) -> (d0)>
func.func @k(%x: tensor<4099xf32>, %y: tensor<4099xf16>) -> (tensor<4099xf16>, tensor<4099xf16>, tensor<4099xf32>) {
  %r:3 = graph.map ins(%x, %y : tensor<4099xf32>, tensor<4099xf16>) maps [#id, #id]
      -> tensor<4099xf16>, tensor<4099xf16>, tensor<4099xf32> {
  ^bb0(%a: f32, %b: f16):
    %t = arith.truncf %a : f32 to f16
    %product = arith.mulf %t, %b : f16
    %sum = arith.addf %product, %b : f16
    %w = arith.extf %b : f16 to f32
    graph.yield %t, %sum, %w : f16, f16, f32
  }
  return %r#0, %r#1, %r#2 : tensor<4099xf16>, tensor<4099xf16>, tensor<4099xf32>
})",
                           cpu);
    ASSERT_TRUE(kernels);
    Buffer<float> x(4099), wide(4099);
    Buffer<uint16_t> y(4099), rounded(4099), sum(4099);
    x.fill(1, -70000, 70000);
    for (size_t i = 0; i < 4099; ++i)
      y[i] = static_cast<uint16_t>(i * 16); // also subnormal numbers, infinities and NaNs
    for (size_t i = 0; i < 4096; i += 3)    // where f16 is subnormal, and at ties
      x[i] = std::ldexp(static_cast<float>(i), -26);
    kernels->run("k", {x, y, rounded, sum, wide}, 0, 4099);
    auto same = [](uint16_t a, uint16_t b) {
      return a == b || (std::isnan(windlass::widenF16(a)) && std::isnan(windlass::widenF16(b)));
    };
    for (size_t i = 0; i < 4099; ++i) {
      const float widened = windlass::widenF16(y[i]);
      const uint16_t product = windlass::roundToF16(windlass::widenF16(rounded[i]) * widened);
      ASSERT_EQ(rounded[i], windlass::roundToF16(x[i])) << cpu << " " << x[i];
      ASSERT_TRUE(same(sum[i], windlass::roundToF16(windlass::widenF16(product) + widened)))
          << cpu << " " << i;
      ASSERT_TRUE(wide[i] == widened || std::isnan(widened)) << cpu << " " << i;
    }
  }
}

TEST(Map, conditionsAreBytesAndHalvesAreHalves) {
  for (const std::string &cpu : runnableCpus()) {
    auto kernels = compile(R"(
#id = affine_map<(d0) -> (d0)>
func.func @k(%x: tensor<50xf32>) -> (tensor<50xi1>, tensor<50xf16>) {
  %r:2 = graph.map ins(%x : tensor<50xf32>) maps [#id] -> tensor<50xi1>, tensor<50xf16> {
  ^bb0(%a: f32):
    %zero = arith.constant 0.0 : f32
    %c = arith.cmpf ogt, %a, %zero : f32
    %h = arith.truncf %a : f32 to f16
    graph.yield %c, %h : i1, f16
  }
  return %r#0, %r#1 : tensor<50xi1>, tensor<50xf16>
}
func.func @back(%c: tensor<50xi1>, %h: tensor<50xf16>) -> tensor<50xf32> {
  %r = graph.map ins(%c, %h : tensor<50xi1>, tensor<50xf16>) maps [#id, #id] -> tensor<50xf32> {
  ^bb0(%c0: i1, %h0: f16):
    %zero = arith.constant 0.0 : f32
    %w = arith.extf %h0 : f16 to f32
    %s = arith.select %c0, %w, %zero : f32
    graph.yield %s : f32
  }
  return %r : tensor<50xf32>
})",
                           cpu);
    ASSERT_TRUE(kernels);
    Buffer<float> x(50), y(50);
    Buffer<uint8_t> condition(50);
    Buffer<uint16_t> half(50);
    x.fill(1);
    kernels->run("k", {x, condition, half}, 0, 50);
    kernels->run("back", {condition, half, y}, 0, 50);
    for (size_t i = 0; i < 50; ++i) {
      ASSERT_EQ(condition[i], x[i] > 0 ? 1 : 0);
      ASSERT_NEAR(y[i], std::max(x[i], 0.0f), 1e-3);
    }
  }
}

TEST(Map, instructionSetsAndCutsGiveEqualBits) {
  if (runnableCpus().size() < 2)
    GTEST_SKIP() << "only one instruction set here";
  auto narrow = compile(biasGelu(7, 77), "x86-64-v3"), wide = compile(biasGelu(7, 77), "x86-64-v4");
  ASSERT_TRUE(narrow && wide);
  Buffer<float> x(7 * 77), b(77), y0(7 * 77), y1(7 * 77);
  x.fill(5, -8, 8), b.fill(6);
  narrow->run("k", {x, b, y0}, 0, 7);
  for (int64_t row = 0; row < 7; ++row)
    wide->run("k", {x, b, y1}, row, row + 1);
  EXPECT_TRUE(y0.sameBits(y1));
}

TEST(Map, sineAndCosineKeepTheirDigitsAtLargeAngles) {
  auto kernels = compile(R"(
#id = affine_map<(d0) -> (d0)>
func.func @turn(%x: tensor<1000xf32>) -> (tensor<1000xf32>, tensor<1000xf32>) {
  %r:2 = graph.map ins(%x : tensor<1000xf32>) maps [#id] -> tensor<1000xf32>, tensor<1000xf32> {
  ^bb0(%a: f32):
    %s = math.sin %a : f32
    %c = math.cos %a : f32
    graph.yield %s, %c : f32, f32
  }
  return %r#0, %r#1 : tensor<1000xf32>, tensor<1000xf32>
})");
  ASSERT_TRUE(kernels);
  for (double reach : {1e-3, 1.0, 10.0, 1e5, 1e9}) {
    Buffer<float> x(1000), sine(1000), cosine(1000);
    x.fill(1, -reach, reach);
    x[0] = 0, x[1] = 1.57079637F, x[2] = 131072, x[3] = -355;
    kernels->run("turn", {x, sine, cosine}, 0, 1000);
    for (int i = 0; i < 1000; ++i) {
      double s = std::sin(double(x[i])), c = std::cos(double(x[i]));
      ASSERT_NEAR(sine[i], s, 6e-8 * std::fabs(s) + 1e-38) << x[i];
      ASSERT_NEAR(cosine[i], c, 6e-8 * std::fabs(c) + 1e-38) << x[i];
    }
  }
}

} // namespace
