// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- CheckStructure.h - every record keeps the rules of its table ==========//
//
// Duty: arenas hold their buffers and fit the hardware, kernels agree with what
// they describe, instructions stand on their lanes with the operands their table
// row asks for, schedules have sections and these have micro-batches of a step.
// Threads: pure function of a well-formed plan.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/plan/Plan.h"
#include "runtime/plan/check/Findings.h"

namespace windlass::plan {

/// Kernels vectorise and disks transfer in these units.
inline constexpr int64_t kMemoryAlignment = 64;
inline constexpr int64_t kNvmeAlignment = 4096;

/// What buffers of a tier begin at multiples of.
int64_t alignmentOf(const Program &program, Tier tier);

/// Those that all programs share.
void checkKernels(const Plan &plan, Findings &findings);

void checkStructure(const Plan &plan, const Program &program, Findings &findings);

/// The rules of one instruction of a schedule; `ordinal` is its number on its lane, by which messages call
/// it.
void checkInstruction(const Plan &plan, const Program &program, Purpose purpose, const Section &section,
                      const Instruction &instruction, uint32_t ordinal, Findings &findings);

} // namespace windlass::plan
