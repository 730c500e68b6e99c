// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- CheckSums.h - gradients are added in the order of micro-batches =======//
//
// Duty: of the homes of gradients, that a step writes them for one micro-batch after the other, however its
// stages lag and whatever waits. Floating-point sums depend on their order: in another one a plan is as whole
// and as fast, and its last bits are others.
// Threads: pure function.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/plan/Plan.h"
#include "runtime/plan/check/Findings.h"

namespace windlass::plan {

/// Asks for a program whose structure is sound.
void checkSums(const Plan &plan, const Program &program, Findings &findings);

} // namespace windlass::plan
