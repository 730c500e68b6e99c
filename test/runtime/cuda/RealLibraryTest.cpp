// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// NVIDIA's own libraries, if the machine has them: they have every function of the tables, and the functions
// that need no GPU do what Windlass assumes.
#include "runtime/cuda/BlasLt.h"
#include "runtime/cuda/Nccl.h"
#include <array>
#include <gtest/gtest.h>
#include <optional>
#include <string_view>

using namespace windlass;
using namespace windlass::cuda;

namespace {

/// Opens the library at a path that the build configuration found. Fails the test if it does not open.
std::optional<SharedLibrary> opened(const char *what, const char *path) {
  const std::array<const char *, 1> files = {path};
  Result<SharedLibrary> library = SharedLibrary::open(what, files);
  EXPECT_TRUE(library) << library.status().message();
  return library ? std::optional(library.take()) : std::nullopt;
}

#define WINDLASS_NEEDS(Library)                                                                              \
  if (std::string_view(Library).empty())                                                                     \
  GTEST_SKIP() << "not found, or not looked for: " #Library " (WINDLASS_CUDA of the build)"

TEST(RealLibrary, cublasLtDescribesProductsAsWeDo) {
  WINDLASS_NEEDS(WINDLASS_CUBLASLT_LIBRARY);
  const std::optional<SharedLibrary> library = opened("cuBLASLt", WINDLASS_CUBLASLT_LIBRARY);
  ASSERT_TRUE(library);
  const Result<BlasLt> lt = bindBlasLt(*library);
  ASSERT_TRUE(lt) << lt.status().message();
  EXPECT_GE(lt->version(), 120000u);
  EXPECT_LT(lt->version(), 1000000u) << "120405 is 12.4.5";
  EXPECT_STRNE(lt->errorText(LtStatus{7}), lt->errorText(kLtSuccess));
  LtProduct product = nullptr;
  ASSERT_EQ(lt->createProduct(&product, kLtComputeF32, kLtF32), kLtSuccess);
  for (LtProductAttribute attribute : {kLtTransposeA, kLtTransposeB}) {
    EXPECT_EQ(lt->setProduct(product, attribute, &kLtTransposed, sizeof kLtTransposed), kLtSuccess);
    const int64_t tooLong = 1;
    EXPECT_NE(lt->setProduct(product, attribute, &tooLong, sizeof tooLong), kLtSuccess);
  }
  for (LtType type : {kLtF32, kLtF16, kLtBf16}) {
    LtLayout layout = nullptr;
    ASSERT_EQ(lt->createLayout(&layout, type, 8, 4, 8), kLtSuccess);
    const int32_t batch = 3;
    const int64_t stride = 32;
    EXPECT_EQ(lt->setLayout(layout, kLtBatch, &batch, sizeof batch), kLtSuccess);
    EXPECT_EQ(lt->setLayout(layout, kLtBatchStride, &stride, sizeof stride), kLtSuccess);
    EXPECT_EQ(lt->destroyLayout(layout), kLtSuccess);
  }
  LtPreference preference = nullptr;
  ASSERT_EQ(lt->createPreference(&preference), kLtSuccess);
  const uint64_t workspace = 1 << 25;
  const uint32_t alignment = 256;
  EXPECT_EQ(lt->setPreference(preference, kLtMaxWorkspace, &workspace, sizeof workspace), kLtSuccess);
  EXPECT_EQ(lt->setPreference(preference, kLtReductions, &kLtNoReduction, sizeof kLtNoReduction), kLtSuccess);
  for (LtPreferenceAttribute attribute : {kLtAlignmentA, kLtAlignmentB, kLtAlignmentC, kLtAlignmentD})
    EXPECT_EQ(lt->setPreference(preference, attribute, &alignment, sizeof alignment), kLtSuccess);
  EXPECT_EQ(lt->destroyPreference(preference), kLtSuccess);
  EXPECT_EQ(lt->destroyProduct(product), kLtSuccess);
}

TEST(RealLibrary, ncclMakesWhatRanksMeetBy) {
  WINDLASS_NEEDS(WINDLASS_NCCL_LIBRARY);
  const std::optional<SharedLibrary> library = opened("NCCL", WINDLASS_NCCL_LIBRARY);
  ASSERT_TRUE(library);
  const Result<Nccl> nccl = bindNccl(*library);
  ASSERT_TRUE(nccl) << nccl.status().message();
  int version = 0;
  ASSERT_EQ(nccl->version(&version), kNcclSuccess);
  EXPECT_GE(version, 21400) << "22809 is 2.28.9";
  EXPECT_STRNE(nccl->errorText(kNcclInProgress), nccl->errorText(kNcclSuccess));
  EXPECT_EQ(nccl->beginTogether(), kNcclSuccess);
  EXPECT_EQ(nccl->endTogether(), kNcclSuccess);
}

/// This test runs last: afterwards the process finds the stub when it opens the driver.
TEST(RealLibrary, theDriversStubHasEveryFunction) {
  WINDLASS_NEEDS(WINDLASS_CUDA_STUB);
  const std::optional<SharedLibrary> library = opened("NVIDIA's driver", WINDLASS_CUDA_STUB);
  ASSERT_TRUE(library);
  const Result<Driver> driver = bindDriver(*library);
  EXPECT_TRUE(driver) << driver.status().message();
}

} // namespace
