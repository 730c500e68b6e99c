// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- AuditPtx.h - what the PTX text of a plan may hold =====================//
//
// Duty: holds device code against the few things that every assembler and driver
// keeps the bits of: opcodes of PtxOpcodes.def alone, arithmetic that says .rn, no
// memory of a thread's own, blocks of a size that is said, and limits that every
// device has. Reads text, so that nothing before it has to be trusted; knows no MLIR.
// Errors: internal, since the text is the compiler's own; they name the line.
// Threads: pure functions.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/base/Status.h"

#include <cstdint>
#include <string_view>

namespace windlass::codegen {

/// What the text begins with: assembled by every driver from CUDA 12.0 on, for every device from sm_80 on.
inline constexpr std::string_view kPtxVersion = "8.0", kPtxTarget = "sm_80";
/// Bytes of the parameters of a kernel, and of the shared memory that a block may declare.
inline constexpr int64_t kParameterLimit = 4096, kSharedLimit = 48 * 1024;
/// Threads of a block.
inline constexpr int64_t kThreadLimit = 1024;

/// Ok, or the first thing that may not be in it. The text holds one statement a line, as LLVM writes it.
Status auditPtx(std::string_view text);

} // namespace windlass::codegen
