// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- WellFormed.h - indices lead somewhere, sizes can be added =============//
//
// Duty: what every query and printer relies on, and no more: buffers and kernels
// that are named exist, each operand has a stride per mesh axis or none, numbers
// are within [0, kLargest], kernel files stay inside the plan's folder.
// Errors: bad input, naming the JSON place.
// Threads: pure function.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/base/Status.h"
#include "runtime/plan/Plan.h"

namespace windlass::plan {

Status checkWellFormed(const Plan &plan);

} // namespace windlass::plan
