// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The reference multiplies in blocks and on teams, with the bits of three plain loops.
#include "runtime/kernels/ReferenceMatmul.h"
#include "runtime/base/Bf16.h"
#include "runtime/base/F16.h"
#include "runtime/kernels/KernelLibrary.h"
#include "runtime/plan/Enums.h"
#include <cstring>
#include <gtest/gtest.h>
#include <random>

using namespace windlass;
using plan::ElementType;
using plan::MatmulSpec;

namespace {

using Bytes = std::vector<std::byte>;

double at(ElementType type, const Bytes &bytes, int64_t i) {
  if (type == ElementType::F32)
    return reinterpret_cast<const float *>(bytes.data())[i];
  const uint16_t half = reinterpret_cast<const uint16_t *>(bytes.data())[i];
  return type == ElementType::BF16 ? widenBf16(half) : widenF16(half);
}

void put(ElementType type, Bytes &bytes, int64_t i, double value) {
  const auto single = static_cast<float>(value);
  if (type == ElementType::F32)
    reinterpret_cast<float *>(bytes.data())[i] = single;
  else
    reinterpret_cast<uint16_t *>(bytes.data())[i] =
        type == ElementType::BF16 ? roundToBf16(single) : roundToF16(single);
}

Bytes drawn(ElementType type, int64_t elements, std::mt19937 &random) {
  std::normal_distribution<double> value;
  Bytes bytes(static_cast<size_t>(elements * plan::bytesOf(type)));
  for (int64_t i = 0; i < elements; ++i)
    put(type, bytes, i, value(random));
  return bytes;
}

struct Operands {
  Bytes a, b, c;

  explicit Operands(const MatmulSpec &spec) {
    std::mt19937 random(3);
    a = drawn(spec.a, spec.batch * spec.m * spec.k, random);
    b = drawn(spec.b, spec.batch * spec.k * spec.n, random);
    c = drawn(spec.c, spec.batch * spec.m * spec.n, random);
  }
};

/// C by the definition in ReferenceMatmul.h.
Bytes byThreeLoops(const MatmulSpec &spec, const Operands &operands) {
  Bytes c = operands.c;
  for (int64_t row = 0; row < spec.batch * spec.m; ++row)
    for (int64_t j = 0; j < spec.n; ++j) {
      const int64_t matrix = row / spec.m, i = row % spec.m;
      double sum = 0;
      for (int64_t p = 0; p < spec.k; ++p)
        sum += at(spec.a, operands.a,
                  matrix * spec.m * spec.k + (spec.transposeA ? p * spec.m + i : i * spec.k + p)) *
               at(spec.b, operands.b,
                  matrix * spec.k * spec.n + (spec.transposeB ? j * spec.k + p : p * spec.n + j));
      put(spec.c, c, row * spec.n + j, spec.accumulate ? at(spec.c, c, row * spec.n + j) + sum : sum);
    }
  return c;
}

/// Numbers of rows and columns that fill blocks, that do not, and that are small.
std::vector<MatmulSpec> specs() {
  std::vector<MatmulSpec> all;
  for (const auto &[batch, m, n, k] :
       {std::tuple(1, 19, 530, 40), {3, 5, 7, 11}, {2, 8, 512, 3}, {1, 1, 1, 1}})
    for (bool transposeA : {false, true})
      for (bool transposeB : {false, true})
        for (bool accumulate : {false, true})
          for (ElementType in : {ElementType::F32, ElementType::BF16, ElementType::F16})
            for (ElementType out : {ElementType::F32, in})
              all.push_back({batch, m, n, k, transposeA, transposeB, in, in, out, accumulate});
  return all;
}

TEST(ReferenceMatmul, hasTheBitsOfThreeLoops) {
  for (const MatmulSpec &spec : specs()) {
    Operands operands(spec);
    const Bytes expected = byThreeLoops(spec, operands);
    referenceMatmul(spec, operands.a.data(), operands.b.data(), operands.c.data());
    ASSERT_EQ(operands.c, expected) << describe(spec);
  }
}

/// Copies the rows of `matrix` into `wide`, which has other bytes between the rows.
void spread(const Bytes &matrix, const plan::StoredMatrix &as, ElementType type, Bytes &wide) {
  const int64_t bytes = plan::bytesOf(type);
  for (int64_t row = 0; row < as.batch * as.rows; ++row)
    std::memcpy(&wide[static_cast<size_t>(row * as.pitch * bytes)],
                &matrix[static_cast<size_t>(row * as.columns * bytes)],
                static_cast<size_t>(as.columns * bytes));
}

TEST(ReferenceMatmul, rowsThatLieApartHaveTheSameBits) {
  std::mt19937 random(5);
  for (MatmulSpec spec : specs()) {
    const Operands operands(spec);
    const Bytes product = byThreeLoops(spec, operands);
    spec.pitchA = spec.storedA().columns + 3;
    spec.pitchB = spec.storedB().columns + 1;
    spec.pitchC = spec.n + 5;
    const Bytes between = drawn(spec.c, spec.storedC().elements(), random);
    Bytes a = drawn(spec.a, spec.storedA().elements(), random),
          b = drawn(spec.b, spec.storedB().elements(), random), c = between, expected = between;
    spread(operands.a, spec.storedA(), spec.a, a);
    spread(operands.b, spec.storedB(), spec.b, b);
    spread(operands.c, spec.storedC(), spec.c, c);
    spread(product, spec.storedC(), spec.c, expected);
    referenceMatmul(spec, a.data(), b.data(), c.data());
    ASSERT_EQ(c, expected) << describe(spec);
  }
}

TEST(ReferenceMatmul, cutsOfRowsChangeNoBit) {
  const MatmulSpec spec{3, 7, 9, 13, false, true, ElementType::F32, ElementType::F32, ElementType::F32, true};
  for (int64_t cut = 0; cut <= 21; ++cut) {
    Operands operands(spec);
    const Bytes expected = byThreeLoops(spec, operands);
    referenceRows(spec, operands.a.data(), operands.b.data(), operands.c.data(), cut, 21);
    referenceRows(spec, operands.a.data(), operands.b.data(), operands.c.data(), 0, cut);
    EXPECT_EQ(operands.c, expected) << cut;
  }
}

/// Sums are in f64: these terms cancel to a value that f32 would lose.
TEST(ReferenceMatmul, addsUpInF64) {
  const MatmulSpec spec{.batch = 1, .m = 1, .n = 1, .k = 3};
  const float a[] = {1e10f, 1, -1e10f}, b[] = {1, 1, 1};
  float c = 0;
  referenceMatmul(spec, a, b, &c);
  EXPECT_EQ(c, 1.0f);
}

/// A plan with this choice multiplies by the reference, with any number of threads, and needs no scratch for
/// a library.
TEST(ReferenceMatmul, isWhatAPlanMultipliesBy) {
  for (int64_t threads : {1, 3}) {
    plan::Plan plan;
    plan.target = plan::multipliedByReference({});
    plan.training.threadsPerRank = threads;
    plan::Kernel kernel;
    kernel.kind = plan::KernelKind::Matmul;
    kernel.matmul = {2,    33, 65, 50, true, false, ElementType::BF16, ElementType::BF16, ElementType::BF16,
                     false};
    plan.kernels.push_back(kernel);
    auto library = KernelLibrary::load(plan, "");
    ASSERT_TRUE(library) << library.status().message();
    EXPECT_FALSE((*library)->kernels()[0].matmul);
    auto launcher = (*library)->makeLauncher(0, nullptr);
    ASSERT_TRUE(launcher);
    Operands operands(kernel.matmul);
    const Bytes expected = byThreeLoops(kernel.matmul, operands);
    void *args[] = {operands.a.data(), operands.b.data(), operands.c.data(), nullptr};
    ASSERT_TRUE((*launcher)->launch(0, args, 0, 2));
    EXPECT_EQ(operands.c, expected) << threads;
  }
}

} // namespace
