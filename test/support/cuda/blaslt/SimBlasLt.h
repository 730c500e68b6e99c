// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- SimBlasLt.h - cuBLASLt without a GPU ==================================//
//
// Duty: the functions of BlasLt.def on a simulated device (SimDevice.h). They accept what the real library
// accepts, and check what a program may rely on: the layouts of matrices, addresses as aligned as the
// preference says, the workspace that was granted, and the algorithm that was chosen for these very layouts.
// What the real library refuses is refused; a mistake that the real library would not notice breaks a rule.
// The CPU's library computes the products, on the device's timeline and on one thread, so that a simulated
// run has the bits of the CPU. Threads: any.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/cuda/BlasLt.h"
#include <string>

namespace windlass::test {

class SimBlasLt {
public:
  static cuda::BlasLt table();

  /// Describes the objects that were made and not destroyed; empty if there are none.
  static std::string leftovers();
  /// The number of products that were enqueued so far.
  static int64_t products();
};

} // namespace windlass::test
