// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- PtxOpcodeKernel.h - a kernel around one opcode ========================//
//
// Duty: makes a PTX text around an opcode that computes. A thread loads its operands, computes and stores the
// result. The parameters are the addresses of the results and of each source; thread n uses element n of
// them. A predicate is a byte. Threads: pure functions.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "test/support/ptx/PtxModule.h"

namespace windlass::ptx {

/// Bytes of an operand in memory, by its letter in PtxOpcodes.def.
int bytesOf(char letter);

/// The kernel of an opcode, in blocks of 32 threads.
std::string opcodeKernel(const OpcodeInfo &info);

} // namespace windlass::ptx
