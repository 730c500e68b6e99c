// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- BlasLt.h - the functions of cuBLASLt ==================================//
//
// Duty: as Driver.h, for the library of matmuls: its table is BlasLt.def.
// Threads: a table is read by any. Errors: CannotFit where this machine lacks the library or a function.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/cuda/Driver.h"

namespace windlass::cuda {

using LtHandle = struct LtHandleTag *;
using LtProduct = struct LtProductTag *;
using LtLayout = struct LtLayoutTag *;
using LtPreference = struct LtPreferenceTag *;

enum class LtStatus : unsigned {};
enum class LtCompute : unsigned {};
enum class LtType : unsigned {};
enum class LtProductAttribute : unsigned {};
enum class LtLayoutAttribute : unsigned {};
enum class LtPreferenceAttribute : unsigned {};

/// How a product is computed; the library's own words.
struct LtAlgorithm {
  uint64_t words[8];
};
struct LtChoice {
  LtAlgorithm algorithm;
  size_t workspaceBytes;
  LtStatus status;
  float waves;
  int reserved[4];
};

#define WINDLASS_BLASLT_CONSTANT(Type, Name, Toolkit, Value) inline constexpr Type Name{Value};
#include "runtime/cuda/BlasLt.def"

struct BlasLt {
#define WINDLASS_BLASLT_CALL(Member, Symbol, Since, Result, Parameters) Result(*Member) Parameters = nullptr;
#include "runtime/cuda/BlasLt.def"
};

/// That of this machine: libcublasLt.so.13, or else .12.
Result<BlasLt> loadBlasLt();
Result<BlasLt> bindBlasLt(const SharedLibrary &library);

} // namespace windlass::cuda
