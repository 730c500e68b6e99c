// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/kernels/Matmul.h"
#include "runtime/base/Bf16.h"
#include "runtime/base/F16.h"
#include "runtime/kernels/MatmulParts.h"
#include "runtime/kernels/OperandPanels.h"
#include "runtime/kernels/ReferenceMatmul.h"
#include "test/runtime/kernels/AllocationWatch.h"
#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <random>
#include <tuple>
#include <vector>

using namespace windlass;
using plan::ElementType;
using plan::MatmulSpec;

namespace {

/// A random matrix of f32, bf16 or f16.
struct Matrix {
  ElementType type;
  std::vector<float> wide;
  std::vector<uint16_t> narrow;

  Matrix(ElementType type, int64_t elements, std::mt19937 &random) : type(type) {
    std::uniform_real_distribution<float> value(-1, 1);
    for (int64_t i = 0; i < elements; ++i) {
      wide.push_back(value(random));
      narrow.push_back(type == ElementType::F16 ? roundToF16(wide.back()) : roundToBf16(wide.back()));
    }
  }
  void *data() { return type == ElementType::F32 ? static_cast<void *>(wide.data()) : narrow.data(); }
  float at(size_t i) const {
    return type == ElementType::F32   ? wide[i]
           : type == ElementType::F16 ? widenF16(narrow[i])
                                      : widenBf16(narrow[i]);
  }
};

void expectLikeTheReference(const MatmulSpec &spec, int64_t threads, const LibraryTraits &library = {}) {
  SCOPED_TRACE(describe(spec));
  std::mt19937 random(5);
  auto matmul = Matmul::create(spec, threads, library);
  ASSERT_TRUE(matmul) << matmul.status().message();
  Matrix a(spec.a, spec.batch * spec.m * spec.k, random), b(spec.b, spec.batch * spec.k * spec.n, random),
      c(spec.c, spec.batch * spec.m * spec.n, random);
  Matrix expected = c, alone = c;
  std::vector<std::byte> scratch((*matmul)->scratchBytes() + 1);
  auto call = MatmulCall::create(*matmul);
  ASSERT_TRUE(call) << call.status().message();
  void *args[] = {a.data(), b.data(), c.data(), scratch.data()};
  KernelTeam team(threads);
  ASSERT_TRUE(call->run(args, &team));
  void *aloneArgs[] = {a.data(), b.data(), alone.data(), scratch.data()};
  ASSERT_TRUE(call->run(aloneArgs));
  EXPECT_TRUE(c.wide == alone.wide && c.narrow == alone.narrow) << "the team's size changed bits";
  referenceMatmul(spec, a.data(), b.data(), expected.data());
  double tolerance = spec.c == ElementType::F32   ? 2e-6 * spec.k + 1e-6
                     : spec.c == ElementType::F16 ? 1.0 / 512
                                                  : 1.0 / 64;
  for (size_t i = 0; i < c.wide.size(); ++i)
    ASSERT_NEAR(c.at(i), expected.at(i), tolerance * (1 + std::abs(expected.at(i)))) << i;
}

struct alignas(64) Line {
  float elements[16];
};

/// The bits of a product over drawn operands. The operands are aligned as in a plan, since the library packs
/// others.
std::vector<float> product(const MatmulSpec &spec, int64_t threads, const LibraryTraits &library) {
  auto matmul = Matmul::create(spec, threads, library);
  EXPECT_TRUE(matmul) << matmul.status().message();
  auto call = MatmulCall::create(*matmul);
  std::mt19937 random(5);
  std::uniform_real_distribution<float> value(-1, 1);
  std::vector<std::vector<Line>> operands;
  for (int64_t elements : {spec.m * spec.k, spec.k * spec.n, spec.m * spec.n, (*matmul)->scratchBytes() / 4})
    for (Line &line : operands.emplace_back(elements / 16 + 1))
      std::ranges::generate(line.elements, [&] { return value(random); });
  void *args[] = {operands[0].data(), operands[1].data(), operands[2].data(), operands[3].data()};
  EXPECT_TRUE(call && call->run(args));
  const float *c = operands[2].front().elements;
  return {c, c + spec.m * spec.n};
}

TEST(Matmul, agreesWithTheReference) {
  for (int64_t threads : {1, 2, 3})
    for (int64_t batch : {1, 3})
      for (bool ta : {false, true})
        for (bool tb : {false, true})
          for (bool accumulate : {false, true})
            for (bool narrow : {false, true})
              for (bool narrowOut : {false, true}) {
                if (narrowOut && !narrow)
                  continue;
                ElementType in = narrow ? ElementType::BF16 : ElementType::F32;
                ElementType out = narrowOut ? ElementType::BF16 : ElementType::F32;
                MatmulSpec spec{batch, 17, 31, 40, ta, tb, in, in, out, accumulate};
                if (!narrow || hasNativeBf16())
                  expectLikeTheReference(spec, threads);
                if (narrow)
                  expectLikeTheReference(spec, threads, {.nativeBf16 = false});
              }
}

/// Sums have the same order with and without copies of operands into panels. The shapes are those of weights,
/// and of gradients of weights, with rows apart; the shapes without panels are packed by the library, or are
/// too small for a copy to pay.
TEST(Matmul, panelsOfOperandsChangeNoBit) {
  struct Shape {
    int64_t m, n, k;
    bool transposeA, hasPanels;
  };
  for (const auto &[m, n, k, transposeA, hasPanels] : {Shape{48, 1024, 96, false, true},
                                                       {128, 512, 64, false, true},
                                                       {64, 1024, 48, true, true},
                                                       {1024, 64, 48, true, true},
                                                       {512, 512, 32, true, true},
                                                       {96, 768, 48, true, true},
                                                       {96, 768, 48, false, false},
                                                       {48, 1000, 96, false, false},
                                                       {16, 1024, 96, false, false},
                                                       {1024, 1024, 16, true, false}})
    for (int64_t threads : {1, 2})
      for (bool accumulate : {false, true}) {
        MatmulSpec spec{.m = m, .n = n, .k = k, .transposeA = transposeA, .accumulate = accumulate};
        EXPECT_EQ(OperandPanels::of(cutMatmul(spec, 1).front()).has_value(), hasPanels) << describe(spec);
        const LibraryTraits inPanels = {.readsInPlace = true}, asTheyAre = {.readsInPlace = false};
        expectLikeTheReference(spec, threads, inPanels);
        if (readsOperandsInPlace()) {
          EXPECT_EQ(product(spec, threads, inPanels), product(spec, threads, asTheyAre)) << describe(spec);
        }
      }
}

/// The two parts of the product divide the columns of an operand, and no part reads the columns of the other.
TEST(Matmul, panelsOfAPartAreItsOwn) {
  MatmulSpec spec{.m = 512, .n = 48, .k = 16, .transposeA = true};
  for (const MatmulPart &part : cutMatmul(spec, 2)) {
    std::optional<OperandPanels> panels = OperandPanels::of(part);
    ASSERT_TRUE(panels);
    EXPECT_TRUE(panels->ofA);
    EXPECT_EQ(panels->count * OperandPanels::kColumns, 256);
  }
}

TEST(Matmul, cutsCoverEveryRowAndMatrixOnce) {
  for (int64_t threads : {1, 2, 3, 8})
    for (int64_t batch : {1, 2, 7})
      for (int64_t m : {1, 16, 17, 40, 256}) {
        MatmulSpec spec{batch, m, 3, 5};
        int64_t rows = 0;
        std::vector<MatmulPart> parts = cutMatmul(spec, threads);
        for (const MatmulPart &part : parts) {
          EXPECT_EQ(part.atC, rows * spec.n);
          EXPECT_EQ(part.atA, rows * spec.k);
          rows += part.spec.batch * part.spec.m;
        }
        EXPECT_EQ(rows, batch * m);
        EXPECT_LE(parts.size(), static_cast<size_t>(threads));
      }
}

TEST(Matmul, mixesOfTypesGoThroughF32) {
  auto f32 = ElementType::F32, bf16 = ElementType::BF16;
  auto f16 = ElementType::F16;
  for (auto [a, b, c] : {std::tuple{f32, bf16, f32},
                         {bf16, f32, bf16},
                         {f32, f32, bf16},
                         {f32, f16, f32},
                         {f16, f16, f16},
                         {f16, f16, f32},
                         {bf16, bf16, f16}})
    for (bool accumulate : {false, true})
      expectLikeTheReference({2, 9, 20, 33, true, false, a, b, c, accumulate}, 1);
}

TEST(Matmul, refusesWhatTheLibraryCannotDo) {
  MatmulSpec spec{1, 8, 8, 8, false, false, ElementType::F64, ElementType::F64, ElementType::F64, false};
  auto matmul = Matmul::create(spec, 1);
  ASSERT_FALSE(matmul);
  EXPECT_EQ(matmul.status().code(), ExitCode::CannotFit);
  EXPECT_NE(matmul.status().message().find("8x8"), std::string::npos);
}

TEST(Matmul, executeMakesNoLargeAllocation) {
  MatmulSpec spec{1, 256, 512, 384, true, false, ElementType::F32, ElementType::F32, ElementType::F32, true};
  auto matmul = Matmul::create(spec, 1);
  ASSERT_TRUE(matmul);
  auto call = MatmulCall::create(*matmul);
  std::vector<float> a(256 * 384), b(384 * 512), c(256 * 512);
  std::vector<std::byte> scratch((*matmul)->scratchBytes() + 64);
  void *args[] = {a.data(), b.data(), c.data(), scratch.data()};
  ASSERT_TRUE(call->run(args));
  constexpr int kCalls = 50;
  test::startWatch();
  Status status;
  int64_t kept = 0; // bytes that the library keeps after a call
  for (int i = 0; i < kCalls && status.isOk(); ++i) {
    status = call->run(args);
    kept = std::max(kept, test::seenSoFar().kept);
  }
  test::Allocations seen = test::stopWatch();
  ASSERT_TRUE(status);
  EXPECT_EQ(kept, 0);
  EXPECT_EQ(seen.ours, 0);
  EXPECT_LE(seen.largest, 104u); // oneDNN 2.6 makes seven small requests in each product; Windlass makes none
  EXPECT_LE(seen.count, 7 * kCalls * (readsOperandsInPlace() ? 512 / OperandPanels::kColumns : 1));
}

} // namespace
