// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- CheckPrograms.h - the programs of a plan are parts of one =============//
//
// Duty: all programs serve the same purposes, and a tensor has its states in one of them.
// Threads: pure function of a well-formed plan.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/plan/Plan.h"
#include "runtime/plan/check/Findings.h"

namespace windlass::plan {

void checkPrograms(const Plan &plan, Findings &findings);

} // namespace windlass::plan
