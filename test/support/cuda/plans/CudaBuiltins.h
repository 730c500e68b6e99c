// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- CudaBuiltins.h - the built-in functions of a plan, run by the host ====//
//
// Duty: host functions in place of the built-in functions of a plan's device code
// (runtime/base/DeviceBuiltins.h): ordered sums and the probe. Threads: pure functions.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "test/support/cuda/SimCode.h"

namespace windlass::test {

void addBuiltins(SimHostCode::Functions &functions);

/// The entries of an image by which the simulated device finds these functions.
std::string builtinEntries();

} // namespace windlass::test
