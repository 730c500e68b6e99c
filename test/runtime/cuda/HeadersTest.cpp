// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compares Windlass's own declarations of the interfaces of NVIDIA's libraries with NVIDIA's headers, if the
// machine has them: types of functions, values of constants, and for every function of the driver the release
// of the version that the table names.
#include "runtime/cuda/BlasLt.h"
#include "runtime/cuda/Nccl.h"
#include <gtest/gtest.h>

#if __has_include(<cudaTypedefs.h>)
#include <cuda.h>
#include <cudaTypedefs.h>
#define WINDLASS_HAS_DRIVER_HEADERS
#endif
#if __has_include(<cublasLt.h>)
#include <cublasLt.h>
#define WINDLASS_HAS_BLASLT_HEADERS
#endif
#if __has_include(<nccl.h>)
#include <nccl.h>
#define WINDLASS_HAS_NCCL_HEADERS
#endif

using namespace windlass::cuda;

namespace {

/// The type in the headers for a type of Windlass. It is the type itself, except for the specialisations
/// below.
template <typename Own> struct Theirs {
  using Type = Own;
};
template <typename Own> using TheirsOf = typename Theirs<Own>::Type;
template <typename Own> struct Theirs<Own *> {
  using Type = TheirsOf<Own> *;
};
template <typename Own> struct Theirs<const Own> {
  using Type = const TheirsOf<Own>;
};
template <typename Return, typename... Parameters> struct Theirs<Return(Parameters...)> {
  using Type = TheirsOf<Return>(TheirsOf<Parameters>...);
};

/// Declares that a type of Windlass stands for a type of the headers with the same representation.
#define WINDLASS_STANDS_FOR(Own, Toolkit)                                                                    \
  template <> struct Theirs<Own> {                                                                           \
    using Type = Toolkit;                                                                                    \
    static_assert(sizeof(Own) == sizeof(Toolkit) && alignof(Own) == alignof(Toolkit));                       \
  };
#define WINDLASS_ENUM_STANDS_FOR(Own, Toolkit)                                                               \
  WINDLASS_STANDS_FOR(Own, Toolkit)                                                                          \
  static_assert(std::is_same_v<std::underlying_type_t<Own>, std::underlying_type_t<Toolkit>>);

#ifdef WINDLASS_HAS_DRIVER_HEADERS
WINDLASS_STANDS_FOR(CuContext, CUcontext)
WINDLASS_STANDS_FOR(CuStream, CUstream)
WINDLASS_STANDS_FOR(CuEvent, CUevent)
WINDLASS_STANDS_FOR(CuModule, CUmodule)
WINDLASS_STANDS_FOR(CuFunction, CUfunction)
WINDLASS_ENUM_STANDS_FOR(CuResult, CUresult)
WINDLASS_ENUM_STANDS_FOR(DeviceAttribute, CUdevice_attribute)
WINDLASS_ENUM_STANDS_FOR(FunctionAttribute, CUfunction_attribute)
WINDLASS_ENUM_STANDS_FOR(JitOption, CUjit_option)

TEST(DriverHeaders, everyFunctionHasItsTypeAndIsOfTheReleaseThatOurTableNames) {
#define WINDLASS_DRIVER_CALL(Member, Base, Suffix, Since, Parameters)                                        \
  EXPECT_TRUE((std::is_same_v<TheirsOf<decltype(Driver::Member)>, decltype(&::Base##Suffix)>)) << #Base;     \
  EXPECT_TRUE((std::is_same_v<TheirsOf<decltype(Driver::Member)>, PFN_##Base##_v##Since>)) << #Base;
#include "runtime/cuda/Driver.def"
}

TEST(DriverHeaders, everyConstantHasItsValue) {
#define WINDLASS_DRIVER_RESULT(Case, Name, Value)                                                            \
  EXPECT_EQ(static_cast<unsigned>(CuResult::Case), static_cast<unsigned>(Name));
#define WINDLASS_DRIVER_CONSTANT(Type, Name, Toolkit, Value)                                                 \
  EXPECT_EQ(static_cast<unsigned>(Name), static_cast<unsigned>(Toolkit));
#include "runtime/cuda/Driver.def"
}
#else
TEST(DriverHeaders, everyFunctionHasItsTypeAndIsOfTheReleaseThatOurTableNames) {
  GTEST_SKIP() << "no cudaTypedefs.h here: set WINDLASS_CUDA_INCLUDE to the folder of a toolkit's headers";
}
#endif

#if defined(WINDLASS_HAS_BLASLT_HEADERS) && defined(WINDLASS_HAS_DRIVER_HEADERS)
WINDLASS_STANDS_FOR(LtHandle, cublasLtHandle_t)
WINDLASS_STANDS_FOR(LtProduct, cublasLtMatmulDesc_t)
WINDLASS_STANDS_FOR(LtLayout, cublasLtMatrixLayout_t)
WINDLASS_STANDS_FOR(LtPreference, cublasLtMatmulPreference_t)
WINDLASS_STANDS_FOR(LtAlgorithm, cublasLtMatmulAlgo_t)
WINDLASS_STANDS_FOR(LtChoice, cublasLtMatmulHeuristicResult_t)
WINDLASS_ENUM_STANDS_FOR(LtStatus, cublasStatus_t)
WINDLASS_ENUM_STANDS_FOR(LtCompute, cublasComputeType_t)
WINDLASS_ENUM_STANDS_FOR(LtType, cudaDataType)
WINDLASS_ENUM_STANDS_FOR(LtProductAttribute, cublasLtMatmulDescAttributes_t)
WINDLASS_ENUM_STANDS_FOR(LtLayoutAttribute, cublasLtMatrixLayoutAttribute_t)
WINDLASS_ENUM_STANDS_FOR(LtPreferenceAttribute, cublasLtMatmulPreferenceAttributes_t)

TEST(BlasLtHeaders, everyFunctionHasItsType) {
#define WINDLASS_BLASLT_CALL(Member, Symbol, Since, Result, Parameters)                                      \
  EXPECT_TRUE((std::is_same_v<TheirsOf<decltype(BlasLt::Member)>, decltype(&::Symbol)>)) << #Symbol;
#include "runtime/cuda/BlasLt.def"
}

TEST(BlasLtHeaders, everyConstantHasItsValue) {
#define WINDLASS_BLASLT_CONSTANT(Type, Name, Toolkit, Value)                                                 \
  EXPECT_EQ(static_cast<int64_t>(Name), static_cast<int64_t>(Toolkit));
#include "runtime/cuda/BlasLt.def"
}

TEST(BlasLtHeaders, aChoiceIsLaidOutAsTheLibraryWritesIt) {
  EXPECT_EQ(offsetof(LtChoice, workspaceBytes), offsetof(cublasLtMatmulHeuristicResult_t, workspaceSize));
  EXPECT_EQ(offsetof(LtChoice, status), offsetof(cublasLtMatmulHeuristicResult_t, state));
  EXPECT_EQ(offsetof(LtChoice, waves), offsetof(cublasLtMatmulHeuristicResult_t, wavesCount));
}
#else
TEST(BlasLtHeaders, everyFunctionHasItsType) {
  GTEST_SKIP() << "no cublasLt.h here: set WINDLASS_CUBLAS_INCLUDE to the folder that it lies in";
}
#endif

#if defined(WINDLASS_HAS_NCCL_HEADERS) && defined(WINDLASS_HAS_DRIVER_HEADERS)
WINDLASS_STANDS_FOR(NcclGroup, ncclComm_t)
WINDLASS_STANDS_FOR(NcclId, ncclUniqueId)
WINDLASS_ENUM_STANDS_FOR(NcclResult, ncclResult_t)
WINDLASS_ENUM_STANDS_FOR(NcclType, ncclDataType_t)
WINDLASS_ENUM_STANDS_FOR(NcclOperation, ncclRedOp_t)

/// The structure grows with releases. Each release accepts the layout of an older one.
template <> struct Theirs<NcclJoining> {
  using Type = ncclConfig_t;
};

TEST(NcclHeaders, howARankJoinsIsTheBeginningOfWhatTheyHave) {
  static constexpr ncclConfig_t kTheirs = NCCL_CONFIG_INITIALIZER;
  static constexpr NcclJoining kOwn;
  EXPECT_EQ(kOwn.magic, kTheirs.magic);
  EXPECT_LE(kOwn.bytes, kTheirs.size);
  EXPECT_LE(kOwn.release, kTheirs.version);
  EXPECT_EQ(kOwn.release, NCCL_VERSION(2, 14, 0));
  EXPECT_EQ(offsetof(NcclJoining, bytes), offsetof(ncclConfig_t, size));
  EXPECT_EQ(offsetof(NcclJoining, magic), offsetof(ncclConfig_t, magic));
  EXPECT_EQ(offsetof(NcclJoining, release), offsetof(ncclConfig_t, version));
  EXPECT_EQ(offsetof(NcclJoining, isBlocking), offsetof(ncclConfig_t, blocking));
}

TEST(NcclHeaders, everyFunctionHasItsType) {
#define WINDLASS_NCCL_CALL(Member, Symbol, Since, Result, Parameters)                                        \
  EXPECT_TRUE((std::is_same_v<TheirsOf<decltype(Nccl::Member)>, decltype(&::Symbol)>)) << #Symbol;
#include "runtime/cuda/Nccl.def"
}

TEST(NcclHeaders, everyConstantHasItsValue) {
#define WINDLASS_NCCL_CONSTANT(Type, Name, Toolkit, Value)                                                   \
  EXPECT_EQ(static_cast<unsigned>(Name), static_cast<unsigned>(Toolkit));
#include "runtime/cuda/Nccl.def"
}
#else
TEST(NcclHeaders, everyFunctionHasItsType) {
  GTEST_SKIP() << "no nccl.h here: set WINDLASS_NCCL_INCLUDE to the folder that it lies in";
}
#endif

} // namespace
