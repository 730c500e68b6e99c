// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- PtxMachine.h - executes kernels and finds their faults ================//
//
// Duty: runs every thread of a launch, and finds faults that only some devices or schedules would show.
// Threads of a warp run together while they are at the same instruction. A seed decides which group of lanes,
// warp and block runs next, so that lanes that have parted run in either order. A launch ends with an error
// that begins with the name of the fault:
//
//   out of bounds, misaligned   an address outside of its region, or not aligned to its size
//   unwritten memory            a read of bytes that nobody wrote, of shared memory too
//   unwritten register          a use of a value that no instruction made
//   race in block               accesses of two threads, one of them a write, without a barrier between
//   race between blocks         accesses of two blocks, one of them a write
//   barrier                     threads that ended, or that wait at another barrier
//   shuffle                     a lane that is not there, or that waits for one that never comes
//   quotient                    a division of integers by zero, or of the least integer by -1
//   endless                     more steps than the limit
//
// Blocks run one after the other; a block without races cannot notice. The machine simulates neither time nor
// caches nor late stores of other threads.
// Errors: bad input for a launch that does not fit the kernel, run failed for the faults above.
// Threads: one at a time. The simulated threads run on the calling thread.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/base/Status.h"
#include "test/support/ptx/PtxChecks.h"
#include "test/support/ptx/PtxMemory.h"
#include "test/support/ptx/PtxModule.h"

#include <span>

namespace windlass::ptx {

struct Launch {
  const Kernel *kernel = nullptr;
  uint32_t blocks = 0;                    ///< along x
  std::span<const uint8_t> parameters;    ///< laid out as in Kernel::parameters
  std::span<const uint64_t> variables;    ///< the addresses of Module::variables
  uint64_t seed = 0;                      ///< 0: in ascending order; 1: in descending order; else drawn
  uint64_t stepLimit = uint64_t(1) << 32; ///< the most instructions of all warps
};

/// Runs a launch. Returns the bytes of the memory of the device that it read or wrote.
Result<std::vector<Touched>> launch(const Launch &launch, const Memory &memory);

} // namespace windlass::ptx
