// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Trials.h - what came of what was tried ==============================//
//
// Duty: makes the records of runtime/plan/Reasons.h from plans that were made, left or refused.
// Units: seconds of a step. Threads: pure functions.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "passes/Flow/PlanMemory.h"
#include "runtime/plan/Reasons.h"

namespace windlass {

using Trials = std::vector<plan::Trial>;

/// Of a plan that fits, or was left as slow. What came of it beside others, reasonOf() says.
plan::Trial played(std::string value, const flow::MemoryPlan &plan, plan::Figures figures = {});
/// Of a plan that would take no less than these seconds of computation.
plan::Trial bounded(std::string value, double seconds, plan::Figures figures = {});
/// Of what does not fit. `shortage`: nothing where nobody asked for it.
plan::Trial unfit(std::string value, const std::optional<plan::Shortage> &shortage = {},
                  plan::Figures figures = {});
/// Adds it, in place of an earlier one of the same value.
void note(Trials &trials, plan::Trial trial);

/// `taken`: the value of one of the trials, beside which the others are slower or not.
plan::Reason reasonOf(plan::Decision decision, const std::string &taken, plan::Basis basis, Trials trials);

} // namespace windlass
