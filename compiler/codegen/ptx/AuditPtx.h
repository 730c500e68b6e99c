// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- AuditPtx.h - checks the PTX text of a plan ============================//
//
// Duty: checks that device code has only constructs whose bits every assembler and driver keeps: opcodes of
// PtxOpcodes.def, arithmetic with .rn, no local memory, blocks of a declared size, and limits that every
// device has. The audit reads the text, so that it need not trust earlier steps; it does not use MLIR.
// Errors: internal, since the text is the compiler's own; they name the line.
// Threads: pure functions.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/base/Status.h"

#include <cstdint>
#include <string_view>

namespace windlass::codegen {

/// The version and target in the text: every driver from CUDA 12.0 on assembles it, for every device from
/// sm_80 on.
inline constexpr std::string_view kPtxVersion = "8.0", kPtxTarget = "sm_80";
/// The most bytes of a kernel's parameters, and of the shared memory that a block declares.
inline constexpr int64_t kParameterLimit = 4096, kSharedLimit = 48 * 1024;
/// The most threads of a block.
inline constexpr int64_t kThreadLimit = 1024;

/// Ok, or an error for the first violation. The text must have one statement per line, as LLVM writes it.
Status auditPtx(std::string_view text);

} // namespace windlass::codegen
