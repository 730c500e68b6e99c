// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels that move rows: stack, embedding and its gradient.

#include "test/compiler/codegen/KernelRunner.h"

using namespace windlass::codegen::test;

namespace {

/// Rows that the table lacks are 0.
TEST(Indexed, embeddingAndWrongIndices) {
  auto kernels = compile(R"(
func.func @k(%t: tensor<11x33xf32>, %i: tensor<2x4xi64>) -> tensor<2x4x33xf32> {
  %r = graph.embedding %t, %i : tensor<11x33xf32>, tensor<2x4xi64> -> tensor<2x4x33xf32>
  return %r : tensor<2x4x33xf32>
})");
  ASSERT_TRUE(kernels);
  Buffer<float> table(11 * 33), out(8 * 33);
  Buffer<int64_t> indices(8);
  table.fill(1);
  for (int64_t i = 0; i < 8; ++i)
    indices[i] = (i * 7) % 11;
  indices[5] = 1000, indices[6] = -1;
  kernels->run("k", {table, indices, out}, 0, 1);
  kernels->run("k", {table, indices, out}, 1, 2);
  for (int64_t i = 0; i < 8; ++i)
    for (int64_t d = 0; d < 33; ++d)
      ASSERT_EQ(out[i * 33 + d], i == 5 || i == 6 ? 0 : table[indices[i] * 33 + d]);
}

TEST(Indexed, embeddingGradientAddsInIndexOrderByColumns) {
  for (const std::string &cpu : runnableCpus()) {
    auto kernels = compile(R"(
func.func @k(%g: tensor<40x100xf32>, %i: tensor<40xi32>) -> tensor<9x100xf32> {
  %r = graph.embedding_grad %g, %i : tensor<40x100xf32>, tensor<40xi32> -> tensor<9x100xf32>
  return %r : tensor<9x100xf32>
})",
                           cpu);
    ASSERT_TRUE(kernels);
    Buffer<float> gradient(40 * 100), out(9 * 100), expected(9 * 100);
    Buffer<int32_t> indices(40);
    gradient.fill(1), expected.set(0);
    for (int64_t i = 0; i < 40; ++i)
      indices[i] = (i * i) % 9;
    indices[3] = 9, indices[4] = -5;
    for (int64_t i = 0; i < 40; ++i)
      for (int64_t d = 0; d < 100; ++d)
        if (indices[i] >= 0 && indices[i] < 9)
          expected[indices[i] * 100 + d] += gradient[i * 100 + d];
    kernels->run("k", {gradient, indices, out}, 64, 100);
    kernels->run("k", {gradient, indices, out}, 0, 64);
    EXPECT_TRUE(out.sameBits(expected)) << cpu;
  }
}

/// A part of a table looks up the rows that it has. The sum over all parts is the lookup in the whole table,
/// to the bit.
TEST(Indexed, partsOfATableAddUpToIt) {
  for (const std::string &element : {"f32", "bf16"}) {
    auto text = [&](const std::string &first, const std::string &onto) {
      return "%r = graph.embedding %t from " + first + ", %i " + onto +
             " : tensor<6x33xT>, tensor<8xi32> -> tensor<8x33xT>\n" + "return %r : tensor<8x33xT>\n}\n";
    };
    std::string module =
        "func.func @first(%t: tensor<6x33xT>, %i: tensor<8xi32>) -> tensor<8x33xT> {\n" + text("0", "") +
        "func.func @second(%t: tensor<6x33xT>, %i: tensor<8xi32>, %y: tensor<8x33xT>) -> tensor<8x33xT> {\n" +
        text("6", "onto(%y : tensor<8x33xT>)") +
        "func.func @whole(%t: tensor<12x33xT>, %i: tensor<8xi32>) -> tensor<8x33xT> {\n"
        "%r = graph.embedding %t, %i : tensor<12x33xT>, tensor<8xi32> -> tensor<8x33xT>\n"
        "return %r : tensor<8x33xT>\n}\n";
    for (size_t at = module.find("xT>"); at != std::string::npos; at = module.find("xT>"))
      module.replace(at, 3, "x" + element + ">");
    auto kernels = compile(module);
    ASSERT_TRUE(kernels);
    const size_t bytes = element == "f32" ? 4 : 2, row = 33 * bytes;
    Buffer<float> drawn(12 * 33);
    Buffer<std::byte> table(12 * row), low(6 * row), high(6 * row), out(8 * row), expected(8 * row);
    Buffer<int32_t> indices(8);
    drawn.fill(1, 1, 2);
    for (size_t i = 0; i < 12 * 33; ++i) // the upper half of an f32 is a bf16
      std::memcpy(&table[i * bytes], reinterpret_cast<std::byte *>(&drawn[i]) + 4 - bytes, bytes);
    std::memcpy(&low[0], &table[0], 6 * row);
    std::memcpy(&high[0], &table[6 * row], 6 * row);
    expected.set(std::byte{0});
    for (int32_t i = 0; i < 8; ++i) {
      indices[i] = i * 5 % 12;
      std::memcpy(&expected[i * row], &table[indices[i] * row], row);
    }
    indices[2] = 40; // no part has it
    std::memset(&expected[2 * row], 0, row);
    kernels->run("first", {low, indices, out}, 0, 8);
    kernels->run("second", {high, indices, out, out}, 3, 8);
    kernels->run("second", {high, indices, out, out}, 0, 3);
    EXPECT_TRUE(out.sameBits(expected)) << element;
    kernels->run("whole", {table, indices, out}, 0, 8);
    EXPECT_TRUE(out.sameBits(expected)) << element;
  }
}

TEST(Indexed, gradientOfAPartOfATable) {
  auto kernels = compile(R"(
func.func @k(%g: tensor<5x17xf32>, %i: tensor<5xi32>) -> tensor<3x17xf32> {
  %r = graph.embedding_grad %g, %i from 4 : tensor<5x17xf32>, tensor<5xi32> -> tensor<3x17xf32>
  return %r : tensor<3x17xf32>
})");
  ASSERT_TRUE(kernels);
  Buffer<float> gradient(5 * 17), out(3 * 17), expected(3 * 17);
  Buffer<int32_t> indices(5);
  gradient.fill(1), expected.set(0);
  for (int32_t i = 0; i < 5; ++i)
    indices[i] = 3 + i; // this part has rows 4 to 6
  for (int64_t d = 0; d < 3 * 17; ++d)
    expected[d] = gradient[17 + d];
  kernels->run("k", {gradient, indices, out}, 0, 17);
  EXPECT_TRUE(out.sameBits(expected));
}

TEST(Indexed, stackMergesQueriesKeysAndValues) {
  auto kernels = compile(R"(
func.func @k(%q: tensor<2x3x5x17xf32>, %k: tensor<2x3x5x17xf32>, %v: tensor<2x3x5x17xf32>) -> tensor<2x5x3x3x17xf32> {
  %r = graph.stack axis 2 ins(%q, %k, %v : tensor<2x3x5x17xf32>, tensor<2x3x5x17xf32>, tensor<2x3x5x17xf32>)
      map affine_map<(b, s, c, h, d) -> (b, h, s, d)> -> tensor<2x5x3x3x17xf32>
  return %r : tensor<2x5x3x3x17xf32>
})");
  ASSERT_TRUE(kernels);
  const int64_t n = 2 * 3 * 5 * 17;
  Buffer<float> q(n), k(n), v(n), out(3 * n);
  q.fill(1), k.fill(2), v.fill(3);
  kernels->run("k", {q, k, v, out}, 0, 1);
  kernels->run("k", {q, k, v, out}, 1, 2);
  const Buffer<float> *parts[] = {&q, &k, &v};
  for (int b = 0; b < 2; ++b)
    for (int s = 0; s < 5; ++s)
      for (int c = 0; c < 3; ++c)
        for (int h = 0; h < 3; ++h)
          for (int d = 0; d < 17; ++d)
            ASSERT_EQ(out[(((b * 5 + s) * 3 + c) * 3 + h) * 17 + d],
                      (*parts[c])[((b * 3 + h) * 5 + s) * 17 + d]);
}

/// The gradient of an op that reads every second column, as convolutions with strides do. Rows longer than a
/// vector are written element by element.
TEST(Indexed, padWithStepsAlongRowsOfManyElements) {
  auto kernels = compile(R"(
func.func @k(%a: tensor<2x37xf32>) -> tensor<3x75xf32> {
  %r = graph.pad %a before [1, 1] steps [1, 2] {value = 7.0} : tensor<2x37xf32> -> tensor<3x75xf32>
  return %r : tensor<3x75xf32>
})");
  ASSERT_TRUE(kernels);
  Buffer<float> a(2 * 37), out(3 * 75), expected(3 * 75);
  a.fill(1), out.set(-9), expected.set(7);
  for (int64_t row = 0; row < 2; ++row)
    for (int64_t column = 0; column < 37; ++column)
      expected[(1 + row) * 75 + 1 + 2 * column] = a[row * 37 + column];
  kernels->run("k", {a, out}, 0, 2);
  kernels->run("k", {a, out}, 2, 3);
  EXPECT_TRUE(out.sameBits(expected));
}

TEST(Indexed, stackAlongTheOutermostLoop) {
  auto kernels = compile(R"(
func.func @k(%a: tensor<20xf32>, %b: tensor<20xf32>) -> tensor<2x20xf32> {
  %r = graph.stack axis 0 ins(%a, %b : tensor<20xf32>, tensor<20xf32>) map affine_map<(c, i) -> (i)> -> tensor<2x20xf32>
  return %r : tensor<2x20xf32>
})");
  ASSERT_TRUE(kernels);
  Buffer<float> a(20), b(20), out(40);
  a.fill(1), b.fill(2), out.set(-9);
  kernels->run("k", {a, b, out}, 1, 2);
  EXPECT_EQ(out[0], -9);
  kernels->run("k", {a, b, out}, 0, 1);
  for (int64_t i = 0; i < 20; ++i)
    ASSERT_TRUE(out[i] == a[i] && out[20 + i] == b[i]);
}

} // namespace
