// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- PtxArithmetic.h - the arithmetic of PTX opcodes =======================//
//
// Duty: the values of PTX, which are not always those of C++ or of x86: a NaN that an
// operation on f32 makes or passes on is 0x7fffffff, conversions to integers saturate,
// shifts by the width or more leave zeros or signs, a minimum prefers a number to a NaN.
// Which NaN an operation on f64 gives is left to the processor that executes this.
//
// A register is 64 bits, of which those above its width are zero, before and after.
// Threads: pure functions.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "test/support/ptx/PtxModule.h"

namespace windlass::ptx {

inline constexpr int kLanes = 32;
using Lanes = std::array<uint64_t, kLanes>;

/// result = opcode(a, b, c) in the lanes of `mask`; sources that the opcode has not are not read.
using Compute = void (*)(Lanes &result, const Lanes &a, const Lanes &b, const Lanes &c, uint32_t mask);

/// The function of an opcode; null if it computes nothing.
Compute computeOf(Opcode opcode);

/// True for quotients and remainders of integers. By zero, and of the least number by -1, PTX leaves their
/// value open.
bool dividesIntegers(Opcode opcode);
/// True if the quotient or remainder a, b has no value that PTX says.
bool hasNoQuotient(Opcode opcode, uint64_t a, uint64_t b);

} // namespace windlass::ptx
