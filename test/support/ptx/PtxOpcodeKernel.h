// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- PtxOpcodeKernel.h - a kernel around one opcode ========================//
//
// Duty: for an opcode that computes, a text whose threads load their operands, compute
// and store: parameters are the addresses of the results and of each source; thread n has
// their elements n. A predicate is a byte. Threads: pure functions.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "test/support/ptx/PtxModule.h"

namespace windlass::ptx {

/// Bytes of an operand in memory, by its letter in PtxOpcodes.def.
int bytesOf(char letter);

/// Blocks of 32 threads.
std::string opcodeKernel(const OpcodeInfo &info);

} // namespace windlass::ptx
