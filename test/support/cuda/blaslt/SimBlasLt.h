// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- SimBlasLt.h - cuBLASLt without a GPU ===============================//
//
// Duty: the functions of BlasLt.def on a simulated device (SimDevice.h). It takes what the real library takes
// and holds it against what it may rely on: layouts that lie as their matrices do, addresses as aligned as
// the preference said, the workspace that was granted, the algorithm that was chosen for these very layouts.
// What it does not take it answers as the library does; what the library would not notice breaks a rule.
// Products are made on the device's timeline by the library of the CPU, on one thread: a simulated run has
// the CPU's bits. Threads: any.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/cuda/BlasLt.h"
#include <string>

namespace windlass::test {

class SimBlasLt {
public:
  static cuda::BlasLt table();

  /// What was made and is still there, for people; empty: nothing is.
  static std::string leftovers();
  /// Products that were enqueued until now.
  static int64_t products();
};

} // namespace windlass::test
