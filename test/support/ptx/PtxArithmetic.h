// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- PtxArithmetic.h - the arithmetic of PTX opcodes =======================//
//
// Duty: computes the values of PTX, which are not always those of C++ or of x86. A NaN that arithmetic on f32
// makes or passes on is 0x7fffffff; conversions of floats to integers saturate; shifts by the width or more
// leave zeros or signs; a minimum prefers a number to a NaN. The processor that executes this code decides
// which NaN arithmetic on f64 gives.
//
// A register has 64 bits. The bits above its width are zero, before and after.
// Threads: pure functions.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "test/support/ptx/PtxModule.h"

namespace windlass::ptx {

inline constexpr int kLanes = 32;
using Lanes = std::array<uint64_t, kLanes>;

/// result = opcode(a, b, c) in the lanes of `mask`. Sources that the opcode does not have are ignored.
using Compute = void (*)(Lanes &result, const Lanes &a, const Lanes &b, const Lanes &c, uint32_t mask);

/// The function of an opcode; null if the opcode computes nothing.
Compute computeOf(Opcode opcode);

/// Whether an opcode gives a quotient or remainder of integers. PTX leaves the value open for a division by
/// zero, and for the least number divided by -1.
bool dividesIntegers(Opcode opcode);
/// Whether PTX leaves the value of the quotient or remainder of a and b open.
bool hasNoQuotient(Opcode opcode, uint64_t a, uint64_t b);

} // namespace windlass::ptx
