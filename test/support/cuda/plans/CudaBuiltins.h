// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- CudaBuiltins.h - the built-in functions of a plan, run by the host ==//
//
// Duty: functions of the host in the place of those that a plan's device code brings beside its kernels
// (runtime/base/DeviceBuiltins.h): ordered sums and the probe.
// Threads: pure functions.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "test/support/cuda/SimCode.h"

namespace windlass::test {

void addBuiltins(SimHostCode::Functions &functions);

/// What an image says for them to be found in it.
std::string builtinEntries();

} // namespace windlass::test
