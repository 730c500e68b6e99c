// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- SimPtxCode.h - modules of PTX on a simulated device ===================//
//
// Duty: runs the PTX that a plan ships as the code of a simulated device. PtxMachine executes the text and
// finds the faults of a single kernel. The accesses go to the driver, which finds conflicts between kernels
// and copies. Threads: as SimCode. Errors: those of PtxReader and PtxMachine.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "test/support/cuda/SimCode.h"

namespace windlass::test {

/// Loads PTX. The seed decides, anew for each launch, in which order its warps run.
SimLoader ptxLoader(uint64_t seed);

} // namespace windlass::test
