// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Nccl.h - the functions of NCCL ======================================//
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

/// What ranks meet by.
struct NcclId {
  char bytes[128];
};

/// How a rank joins: as NCCL 2.14 has laid it out, which later releases take, too.
struct NcclJoining {
  size_t bytes = sizeof(NcclJoining);
  unsigned magic = 0xcafebeef;
  unsigned release = 21400;
  int isBlocking = 0; ///< else calls return before NCCL has done what they ask for
};

#define WINDLASS_NCCL_CONSTANT(Type, Name, Toolkit, Value) inline constexpr Type Name{Value};
#include "runtime/cuda/Nccl.def"

struct Nccl {
#define WINDLASS_NCCL_CALL(Member, Symbol, Since, Result, Parameters) Result(*Member) Parameters = nullptr;
#include "runtime/cuda/Nccl.def"
};

/// That of this machine: libnccl.so.2.
Result<Nccl> loadNccl();
Result<Nccl> bindNccl(const SharedLibrary &library);

/// "2.28.9"
std::string versionOf(const Nccl &nccl);

/// By which of its ways NCCL sums.
struct NcclWay {
  std::string algorithm, protocol;
};
/// Left to itself it chooses by sizes and by its release. So the environment says one way, the ring, unless
/// it says another already. Before the first call of NCCL; one thread.
NcclWay settleWay();

} // namespace windlass::cuda
