// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products of NVIDIA's library, on its strict simulation: they have the bits of the CPU's library, for every
// layout.
#include "runtime/kernels/cuda/LtMatmul.h"
#include "runtime/kernels/Matmul.h"
#include "runtime/kernels/ProductBound.h"
#include "runtime/kernels/ReferenceMatmul.h"
#include "runtime/plan/Enums.h"
#include "runtime/tiers/cuda/CudaMemory.h"
#include "runtime/tiers/cuda/CudaStream.h"
#include "test/support/cuda/blaslt/SimBlasLt.h"
#include "test/support/cuda/driver/SimDriver.h"
#include <gtest/gtest.h>
#include <random>

using namespace windlass;
using namespace windlass::test;
using plan::ElementType;
using plan::MatmulSpec;

namespace {

constexpr int64_t kWorkspace = 4096;

struct alignas(64) Line {
  std::byte bytes[64];
};

/// Bytes on the host, aligned as in a plan. They give moderate numbers in every type.
struct Operand {
  std::vector<Line> lines;
  int64_t size;

  Operand(int64_t size, uint64_t seed) : lines(static_cast<size_t>(size / 64 + 1)), size(size) {
    std::mt19937_64 random(seed);
    for (int64_t i = 0; i < size; ++i)
      data()[i] = static_cast<std::byte>(random() & 0x3F);
  }
  std::byte *data() { return lines.front().bytes; }
};

SimOptions lazily() {
  SimOptions options;
  options.policy = SimPolicy::Lazy;
  return options;
}

/// The operands of a product, on the host and, one behind the other, in the memory of a simulated GPU.
class LtMatmulTest : public testing::Test {
protected:
  LtMatmulTest() : sim(lazily()), context(cuda::Context::create(SimDriver::table()).take()) {
    library = LtLibrary::open(context, SimBlasLt::table()).take();
    memory = CudaMemory::create(context, 1 << 20, 0).take();
    stream = memory->makeStream(4).take();
  }

  void place(const MatmulSpec &spec) {
    const int64_t sizes[] = {spec.storedA().elements() * plan::bytesOf(spec.a),
                             spec.storedB().elements() * plan::bytesOf(spec.b),
                             spec.storedC().elements() * plan::bytesOf(spec.c)};
    operands.clear();
    std::byte *at = memory->data();
    for (size_t i = 0; i < 3; ++i) {
      operands.emplace_back(sizes[i], i + 1);
      args[i] = at;
      ASSERT_TRUE(memory->upload(at, operands[i].data(), sizes[i], nullptr));
      at += (sizes[i] + 255) / 256 * 256;
    }
    args[3] = at;
  }

  Status run(const LtMatmul &product) {
    WINDLASS_TRY(product.run(args, static_cast<CudaStream *>(stream.get())->handle()));
    WINDLASS_TRY(stream->mark(1));
    return stream->finish(1);
  }

  std::vector<std::byte> result() {
    std::vector<std::byte> bytes(static_cast<size_t>(operands[2].size));
    EXPECT_TRUE(memory->offload(bytes.data(), static_cast<std::byte *>(args[2]), std::ssize(bytes), nullptr));
    return bytes;
  }

  /// The result of the CPU's library from the same operands.
  std::vector<std::byte> expected(const MatmulSpec &spec) {
    auto matmul = Matmul::create(spec, 1).take();
    auto call = MatmulCall::create(matmul).take();
    Operand scratch(matmul->scratchBytes(), 0);
    void *near[] = {operands[0].data(), operands[1].data(), operands[2].data(), scratch.data()};
    EXPECT_TRUE(call.run(near));
    return {operands[2].data(), operands[2].data() + operands[2].size};
  }

  SimDriver sim;
  std::shared_ptr<cuda::Context> context;
  std::shared_ptr<const LtLibrary> library;
  std::unique_ptr<DeviceMemory> memory;
  std::unique_ptr<Stream> stream;
  std::vector<Operand> operands;
  void *args[4];
};

TEST_F(LtMatmulTest, everyLayoutHasTheBitsOfTheCpu) {
  for (int64_t batch : {1, 3})
    for (bool transposeA : {false, true})
      for (bool transposeB : {false, true})
        for (bool accumulate : {false, true})
          for (ElementType in : {ElementType::F32, ElementType::BF16, ElementType::F16}) {
            const MatmulSpec spec{batch,     7, 11, 13, transposeA, transposeB, in, in, ElementType::F32,
                                  accumulate};
            auto product = LtMatmul::create(library, spec, {kWorkspace, 256});
            ASSERT_TRUE(product) << product.status().message();
            place(spec);
            const Status status = run(**product);
            ASSERT_TRUE(status) << status.message();
            ASSERT_EQ(result(), expected(spec)) << describe(spec);
          }
  EXPECT_TRUE(sim.violations().empty());
  EXPECT_EQ(SimBlasLt::leftovers(), "1 handle");
}

/// The rows of a matrix back to back. `apart` holds them with the pitch of `as`.
std::vector<std::byte> packed(const std::byte *apart, const plan::StoredMatrix &as, ElementType type) {
  std::vector<std::byte> rows;
  for (int64_t row = 0; row < as.batch * as.rows; ++row) {
    const std::byte *first = apart + row * as.pitch * plan::bytesOf(type);
    rows.insert(rows.end(), first, first + as.columns * plan::bytesOf(type));
  }
  return rows;
}

/// The bytes between the rows of C do not change.
TEST_F(LtMatmulTest, rowsThatLieApartHaveTheBitsOfTheCpu) {
  for (int64_t batch : {1, 3})
    for (bool transposeA : {false, true})
      for (bool transposeB : {false, true})
        for (bool accumulate : {false, true}) {
          const MatmulSpec near{batch,
                                7,
                                11,
                                13,
                                transposeA,
                                transposeB,
                                ElementType::BF16,
                                ElementType::BF16,
                                ElementType::F32,
                                accumulate};
          MatmulSpec spec = near;
          spec.pitchA = 16, spec.pitchB = 24, spec.pitchC = 32;
          auto product = LtMatmul::create(library, spec, {kWorkspace, 256});
          ASSERT_TRUE(product) << product.status().message();
          place(spec);
          const Status status = run(**product);
          ASSERT_TRUE(status) << status.message();
          const std::vector<std::byte> whole = result();
          const plan::StoredMatrix stored[] = {spec.storedA(), spec.storedB(), spec.storedC()};
          const ElementType types[] = {spec.a, spec.b, spec.c};
          for (size_t i = 0; i < 3; ++i) {
            const std::vector<std::byte> rows = packed(operands[i].data(), stored[i], types[i]);
            if (i == 2)
              for (int64_t row = 0; row < batch * spec.m; ++row)
                ASSERT_TRUE(std::equal(whole.begin() + (row * 32 + 11) * 4,
                                       whole.begin() + (row + 1) * 32 * 4,
                                       operands[2].data() + (row * 32 + 11) * 4));
            operands[i] = Operand(std::ssize(rows), 0);
            std::ranges::copy(rows, operands[i].data());
          }
          ASSERT_EQ(packed(whole.data(), spec.storedC(), spec.c), expected(near)) << describe(near);
        }
  EXPECT_TRUE(sim.violations().empty());
}

/// Logits of a vocabulary that is no multiple of 8, and gradients through them, are made in two parts: a
/// multiple of 8, and the rest. The product has a single part if rows begin at odd places, if there are few
/// terms, or if the product is small.
TEST(CutProduct, lastColumnsAreAPartWhereRowsBeginOnMultiples) {
  MatmulSpec logits{
      1, 8192, 50257, 768, false, true, ElementType::BF16, ElementType::BF16, ElementType::BF16};
  EXPECT_EQ(cutProduct(logits).size(), 1u);
  logits.pitchC = 50304;
  std::vector<LtPart> parts = cutProduct(logits);
  ASSERT_EQ(parts.size(), 2u);
  EXPECT_EQ(parts[0].spec.n, 50256);
  EXPECT_EQ(std::tuple(parts[1].spec.n, parts[1].atA, parts[1].atB, parts[1].atC),
            std::tuple(1, 0, 50256 * 768, 50256));
  EXPECT_FALSE(parts[0].spec.accumulate || parts[1].spec.accumulate);
  MatmulSpec inputs{
      1, 8192, 768, 50257, false, false, ElementType::BF16, ElementType::BF16, ElementType::BF16};
  EXPECT_EQ(cutProduct(inputs).size(), 1u);
  inputs.pitchA = 50304;
  parts = cutProduct(inputs);
  ASSERT_EQ(parts.size(), 2u);
  EXPECT_EQ(std::tuple(parts[0].spec.k, parts[0].atA, parts[0].atB, parts[0].atC),
            std::tuple(1, 50256, 50256 * 768, 0));
  EXPECT_EQ(std::tuple(parts[1].spec.k, parts[1].atA, parts[1].atB), std::tuple(50256, 0, 0));
  EXPECT_TRUE(!parts[0].spec.accumulate && parts[1].spec.accumulate);
  MatmulSpec little = logits, few = inputs, onto = inputs, narrow = inputs, odd = inputs;
  little.m = 8;
  few.k = 16383, few.pitchA = 16384;
  onto.accumulate = true;
  narrow.a = narrow.b = narrow.c =
      ElementType::F16;  // a partial sum may overflow where the whole sum does not
  odd.transposeB = true; // rows of terms begin at odd places
  for (const MatmulSpec &whole : {little, few, onto, narrow, odd})
    EXPECT_EQ(cutProduct(whole).size(), 1u) << describe(whole);
}

/// The result is no farther from the exact product than some order of its sums can take it.
TEST_F(LtMatmulTest, partsMakeTheWholeProduct) {
  memory = CudaMemory::create(context, 128 << 20, 0).take();
  stream = memory->makeStream(4).take();
  MatmulSpec columns{
      1, 64, 1025, 16384, false, true, ElementType::BF16, ElementType::BF16, ElementType::BF16};
  columns.pitchC = 1032;
  MatmulSpec terms{1, 64, 1024, 16387, false, false, ElementType::BF16, ElementType::BF16, ElementType::BF16};
  terms.pitchA = 16392;
  for (const MatmulSpec &spec : {columns, terms}) {
    ASSERT_EQ(cutProduct(spec).size(), 2u);
    auto product = LtMatmul::create(library, spec, {kWorkspace, 256});
    ASSERT_TRUE(product) << product.status().message();
    place(spec);
    const Status status = run(**product);
    ASSERT_TRUE(status) << status.message();
    const std::vector<std::byte> found = result();
    void *near[] = {operands[0].data(), operands[1].data(), nullptr};
    referenceMatmul(spec, near[0], near[1], operands[2].data());
    const Status bound = checkProductBound(spec, near, operands[2].data(), found.data());
    EXPECT_TRUE(bound) << bound.message();
  }
  EXPECT_TRUE(sim.violations().empty());
}

TEST_F(LtMatmulTest, whatTheLibraryDoesNotMultiplyIsRefused) {
  const MatmulSpec spec{.batch = 1, .m = 4, .n = 4, .k = 4, .a = ElementType::F64, .b = ElementType::F64};
  const auto product = LtMatmul::create(library, spec, {kWorkspace, 256});
  ASSERT_FALSE(product);
  EXPECT_EQ(product.status().code(), ExitCode::CannotFit);
  EXPECT_EQ(product.status().message(),
            "matmul 'f32 4x4 = f64 4x4 * f64 4x4': products of f64 are not the library's");
  const MatmulSpec mixed{.batch = 1, .m = 4, .n = 4, .k = 4, .a = ElementType::BF16};
  const auto other = LtMatmul::create(library, mixed, {kWorkspace, 256});
  ASSERT_FALSE(other);
  EXPECT_EQ(
      other.status().message(),
      "matmul 'f32 4x4 = bf16 4x4 * f32 4x4': cuBLASLt 13.1.0 has no algorithm for it within 4.00 KiB of "
      "workspace: the functionality requested is not supported");
}

/// The simulation reports misuse that the library would not report: each of these operands breaks a rule.
TEST_F(LtMatmulTest, operandsOtherThanTheTermsSaidBreakARule) {
  const MatmulSpec spec{.batch = 1, .m = 8, .n = 8, .k = 8};
  for (size_t wrong : {0, 1, 2, 3}) {
    auto product = LtMatmul::create(library, spec, {kWorkspace, 256});
    ASSERT_TRUE(product);
    place(spec);
    args[wrong] = static_cast<std::byte *>(args[wrong]) + 64;
    EXPECT_FALSE(run(**product)) << wrong;
    ASSERT_TRUE(sim.brokeOnly(SimRule::LibraryMisuse)) << wrong;
    EXPECT_EQ(sim.violations().size(), wrong + 1);
  }
}

/// With a smaller promised alignment the product needs a smaller one.
TEST_F(LtMatmulTest, theAlignmentOfThePlanIsEnough) {
  const MatmulSpec spec{.batch = 1, .m = 8, .n = 8, .k = 8};
  auto product = LtMatmul::create(library, spec, {kWorkspace, 64});
  ASSERT_TRUE(product);
  place(spec);
  const std::byte *shifted = static_cast<std::byte *>(args[0]);
  args[0] = static_cast<std::byte *>(args[3]) + 4096 + 64;
  ASSERT_TRUE(
      memory->upload(static_cast<std::byte *>(args[0]), operands[0].data(), operands[0].size, nullptr));
  ASSERT_NE(shifted, args[0]);
  EXPECT_TRUE(run(**product));
  EXPECT_EQ(result(), expected(spec));
  EXPECT_TRUE(sim.violations().empty());
}

TEST_F(LtMatmulTest, withoutAWorkspaceThereIsAnAlgorithmToo) {
  const MatmulSpec spec{.batch = 2, .m = 8, .n = 8, .k = 8};
  auto product = LtMatmul::create(library, spec, {0, 256});
  ASSERT_TRUE(product);
  place(spec);
  args[3] = nullptr;
  EXPECT_TRUE(run(**product));
  EXPECT_EQ(result(), expected(spec));
}

} // namespace
