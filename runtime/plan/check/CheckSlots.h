// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- CheckSlots.h - no micro-batch is used twice ===========================//
//
// Duty: of a buffer with slots, that a schedule's instructions use what is there of each micro-batch as often
// as of any other. Which micro-batch an instruction is of is a number in the plan: with another number it
// finds the value of another micro-batch in another slot, whole and in time, and a gradient would be counted
// twice and another not at all.
// Threads: pure function.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/plan/Plan.h"
#include "runtime/plan/check/Findings.h"

namespace windlass::plan {

/// Asks for a program whose structure is sound.
void checkSlots(const Program &program, Findings &findings);

} // namespace windlass::plan
