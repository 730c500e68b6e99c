// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- CudaSums.h - the code of ordered sums, run by the host =============//
//
// Duty: functions of the host in the place of a plan's device code for sums (PeerTransport.h).
// Threads: a pure function.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "test/support/cuda/SimCode.h"

namespace windlass::test {

void addDeviceSums(SimHostCode::Functions &functions);

} // namespace windlass::test
