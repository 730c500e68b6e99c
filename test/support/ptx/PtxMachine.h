// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- PtxMachine.h - executes a kernel as a device might ====================//
//
// Duty: runs every thread of a launch and finds what would go wrong on some device or
// some day. Threads of a warp run together while they are at the same instruction; which
// group, warp and block goes on is drawn from a seed, so that lanes that parted run in
// either order. A launch ends with an error that begins with the name of what is wrong:
//
//   out of bounds, misaligned   an address, of its region or for its size
//   unwritten memory            bytes read that nobody wrote, shared memory too
//   unwritten register          a value used that no instruction made
//   race in block               two threads, one writing, no barrier between
//   race between blocks         two blocks, one writing
//   barrier                     threads that ended, or wait at another one
//   shuffle                     a lane that is not there, or waits for one that never comes
//   quotient                    an integer divided by zero, or the least one by -1
//   endless                     more steps than were allowed
//
// Blocks run one after the other, which no block without a race can tell. What is not
// simulated: time, caches, and that stores of other threads may be seen late.
// Errors: bad input for a launch that is not the kernel's, run failed for the above.
// Threads: one at a time; what it executes is one.
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
  std::span<const uint8_t> parameters;    ///< laid out as Kernel::parameters
  std::span<const uint64_t> variables;    ///< addresses of Module::variables
  uint64_t seed = 0;                      ///< 0: all in ascending order; 1: in descending order; else drawn
  uint64_t stepLimit = uint64_t(1) << 32; ///< instructions of warps
};

/// What the launch read and wrote of the device's memory.
Result<std::vector<Touched>> launch(const Launch &launch, const Memory &memory);

} // namespace windlass::ptx
