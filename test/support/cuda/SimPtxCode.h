// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- SimPtxCode.h - modules of PTX on a simulated device ================//
//
// Duty: the code of a simulated device is the text that a plan ships, executed by PtxMachine, which finds
// what a kernel does wrong by itself; what it touched goes to the driver, which finds what kernels and copies
// do wrong together. Threads: as SimCode. Errors: PtxReader's and PtxMachine's.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "test/support/cuda/SimCode.h"

namespace windlass::test {

/// In which order the warps of a launch go on is drawn from the seed, anew for each.
SimLoader ptxLoader(uint64_t seed);

} // namespace windlass::test
