// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Nccl.h - the functions of NCCL ========================================//
//
// Duty: as Driver.h, for the library of collectives: its table is Nccl.def.
// Threads: a table is read by any. Errors: CannotFit where this machine lacks the library or a function.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/cuda/Driver.h"

namespace windlass::cuda {

using NcclGroup = struct NcclGroupTag *;

enum class NcclResult : unsigned {};
enum class NcclType : unsigned {};
enum class NcclOperation : unsigned {};

/// The id by which the ranks of a group find each other.
struct NcclId {
  char bytes[128];
};

/// How a rank joins a group: NCCL's configuration in the layout of release 2.14, which later releases accept.
struct NcclJoining {
  size_t bytes = sizeof(NcclJoining);
  unsigned magic = 0xcafebeef;
  unsigned release = 21400;
  int isBlocking = 0; ///< 0: calls return before NCCL has done their work
};

#define WINDLASS_NCCL_CONSTANT(Type, Name, Toolkit, Value) inline constexpr Type Name{Value};
#include "runtime/cuda/Nccl.def"

struct Nccl {
#define WINDLASS_NCCL_CALL(Member, Symbol, Since, Result, Parameters) Result(*Member) Parameters = nullptr;
#include "runtime/cuda/Nccl.def"
};

/// This machine's libnccl.so.2.
Result<Nccl> loadNccl();
Result<Nccl> bindNccl(const SharedLibrary &library);

/// "2.28.9"
std::string versionOf(const Nccl &nccl);

/// The algorithm and the protocol by which NCCL sums, as its environment variables name them.
struct NcclWay {
  std::string algorithm, protocol;
};
/// Fixes the algorithm and the protocol in the environment, to the ring and `Simple` unless the environment
/// names others. Without this NCCL chooses by sizes and by its release, and sums in other orders. Called
/// before the first call of NCCL; one thread.
NcclWay settleWay();

} // namespace windlass::cuda
