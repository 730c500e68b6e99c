// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A missing library is reported in one line. It is not a fault of the plan: exit code 3.
#include "runtime/cuda/BlasLt.h"
#include "runtime/cuda/Nccl.h"
#include <cstring>
#include <gtest/gtest.h>

using namespace windlass;
using namespace windlass::cuda;

namespace {

TEST(Libraries, oneThatIsNotInstalledIsNamedWithItsFiles) {
  static constexpr const char *kFiles[] = {"libabacus.so.2", "libabacus.so.1"};
  const Result<SharedLibrary> library = SharedLibrary::open("the abacus", kFiles);
  ASSERT_FALSE(library);
  EXPECT_EQ(library.status().code(), ExitCode::CannotFit);
  const std::string &message = library.status().message();
  EXPECT_EQ(message.find("a cuda plan here needs the abacus, which cannot be loaded: libabacus.so.2: "), 0u)
      << message;
  EXPECT_NE(message.find("; libabacus.so.1: "), std::string::npos) << message;
  EXPECT_EQ(message.find('\n'), std::string::npos);
}

TEST(Libraries, theFirstThatCanBeLoadedIsTaken) {
  static constexpr const char *kFiles[] = {"libabacus.so.1", "libc.so.6"};
  const Result<SharedLibrary> library = SharedLibrary::open("what counts", kFiles);
  ASSERT_TRUE(library) << library.status().message();
  size_t (*length)(const char *) = nullptr;
  ASSERT_TRUE(library->bind("strlen", 2000, length));
  EXPECT_EQ(length("abacus"), 6u);
}

/// A library that has all symbols except one.
SharedLibrary lacking(const char *missing) {
  static int anything = 0;
  return {"the library", "libx.so.1", [missing](const char *symbol) -> void * {
            return std::strcmp(symbol, missing) == 0 ? nullptr : &anything;
          }};
}

std::string refusalOf(const Status &status) {
  EXPECT_EQ(status.code(), ExitCode::CannotFit);
  return status.message();
}

TEST(Libraries, aFunctionThatIsMissingIsNamedWithTheReleaseThatBroughtIt) {
  EXPECT_EQ(refusalOf(bindDriver(lacking("cuMemHostRegister_v2")).status()),
            "a cuda plan here needs the library of release 6.5 or later: 'libx.so.1' has no "
            "'cuMemHostRegister_v2'");
  EXPECT_EQ(refusalOf(bindBlasLt(lacking("cublasLtMatmulDescCreate")).status()),
            "a cuda plan here needs the library of release 11.0 or later: 'libx.so.1' has no "
            "'cublasLtMatmulDescCreate'");
  EXPECT_EQ(refusalOf(bindNccl(lacking("ncclSend")).status()),
            "a cuda plan here needs the library of release 2.7 or later: 'libx.so.1' has no 'ncclSend'");
  EXPECT_EQ(refusalOf(bindNccl(lacking("ncclCommInitRankConfig")).status()),
            "a cuda plan here needs the library of release 2.14 or later: 'libx.so.1' has no "
            "'ncclCommInitRankConfig'");
}

TEST(Libraries, everyFunctionOfATableIsLookedFor) {
  const SharedLibrary whole = lacking("");
  EXPECT_TRUE(bindDriver(whole));
  EXPECT_TRUE(bindBlasLt(whole));
  EXPECT_TRUE(bindNccl(whole));
#define WINDLASS_DRIVER_CALL(Member, Base, Suffix, Since, Parameters)                                        \
  EXPECT_FALSE(bindDriver(lacking(#Base #Suffix))) << #Base;
#include "runtime/cuda/Driver.def"
#define WINDLASS_BLASLT_CALL(Member, Symbol, Since, Result, Parameters)                                      \
  EXPECT_FALSE(bindBlasLt(lacking(#Symbol))) << #Symbol;
#include "runtime/cuda/BlasLt.def"
#define WINDLASS_NCCL_CALL(Member, Symbol, Since, Result, Parameters)                                        \
  EXPECT_FALSE(bindNccl(lacking(#Symbol))) << #Symbol;
#include "runtime/cuda/Nccl.def"
}

TEST(Libraries, anErrorOfTheDriverIsSaidInItsWords) {
  Driver driver;
  driver.errorName = [](CuResult result, const char **text) {
    *text = "CUDA_ERROR_OUT_OF_MEMORY";
    return result == CuResult::OutOfMemory ? CuResult::Success : CuResult::InvalidValue;
  };
  driver.errorText = [](CuResult, const char **text) {
    *text = "out of memory";
    return CuResult::Success;
  };
  driver.allocate = [](CuAddress *, size_t bytes) {
    return bytes > 100 ? CuResult::OutOfMemory : CuResult{4711};
  };
  CuAddress address = 0;
  const Status full = driver.call<&Driver::allocate>(&address, size_t{200});
  EXPECT_EQ(full.code(), ExitCode::RunFailed);
  EXPECT_EQ(full.message(), "cuMemAlloc_v2: out of memory (CUDA_ERROR_OUT_OF_MEMORY)");
  EXPECT_EQ(driver.call<&Driver::allocate>(&address, size_t{20}).message(),
            "cuMemAlloc_v2: error 4711, which the driver has no words for");
}

} // namespace
