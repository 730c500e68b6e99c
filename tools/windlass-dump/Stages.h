// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Stages.h - the stages of a pipeline side by side ====================//
//
// Duty: draws a step, a line per stage: what its device computes when, and when it has nothing to compute:
// the bubble, with its share. Threads: pure function.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "Dump.h"

namespace windlass::dump {

/// Empty for a plan of one program, or where no times are known. `times`: of all instructions of a step.
std::string stagesSideBySide(const plan::Plan &plan, std::span<const model::SimulatedEvent> times);

} // namespace windlass::dump
