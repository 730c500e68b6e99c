// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- CheckItems.h - a plan and its training loop understand each other =====//
//
// Duty: every item that is fed or reported is one the loop knows in that section (StepItems.h), in as many
// bytes as it takes, losses and logits once; and nothing that the loop goes by is left out: every input is
// fed, a loss is reported, scaled losses are unscaled. Inputs have the type of their role and the examples of
// a micro-batch. Threads: pure function of a well-formed plan.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/plan/Plan.h"
#include "runtime/plan/check/Findings.h"

namespace windlass::plan {

void checkItems(const Plan &plan, Findings &findings);

} // namespace windlass::plan
