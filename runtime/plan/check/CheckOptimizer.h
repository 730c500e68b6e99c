// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- CheckOptimizer.h - what is trained has all its states =================//
//
// Duty: a parameter has all that its optimizer keeps of it, or nothing: momentum, variance, a gradient and,
// where it has 16 bits itself, a master; in f32, under its name, of its shape, at its place in its unit. So a
// checkpoint has what a run needs to go on as it was.
// Threads: pure function of a well-formed plan.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/plan/Plan.h"
#include "runtime/plan/check/Findings.h"

namespace windlass::plan {

void checkOptimizer(const Plan &plan, const Program &program, Findings &findings);

} // namespace windlass::plan
