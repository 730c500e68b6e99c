// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Stages.h - the stages of a pipeline side by side ======================//
//
// Duty: draws a step with a line per stage: the computations of its device over time, and the bubble in which
// it has none, with its share. Threads: pure function.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "Dump.h"

namespace windlass::dump {

/// The picture; empty for a plan of one program, or without times. `times`: of all instructions of a step.
std::string stagesSideBySide(const plan::Plan &plan, std::span<const model::SimulatedEvent> times);

} // namespace windlass::dump
