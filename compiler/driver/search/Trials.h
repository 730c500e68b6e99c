// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Trials.h - records of the candidates that were tried ==================//
//
// Duty: makes the records of runtime/plan/Reasons.h from plans that were simulated, bounded or found not to
// fit.
// Units: seconds of a step. Threads: pure functions.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "passes/Flow/PlanMemory.h"
#include "runtime/plan/Reasons.h"

namespace windlass {

using Trials = std::vector<plan::Trial>;

/// The trial of a plan that fits, or was left as slow. reasonOf() adds its outcome.
plan::Trial simulated(std::string value, const flow::MemoryPlan &plan, plan::Figures figures = {});
/// The trial of a value that was not planned, for every plan with it computes for at least these seconds.
plan::Trial bounded(std::string value, double seconds, plan::Figures figures = {});
/// The same, for some lane is busy for so long.
plan::Trial atLeast(std::string value, double seconds);
/// The trial of a value with which no plan fits. `shortage`: nothing where nobody asked for it.
plan::Trial infeasible(std::string value, const std::optional<plan::Shortage> &shortage = {},
                       plan::Figures figures = {});
/// Adds a trial, in place of an earlier one of the same value.
void record(Trials &trials, plan::Trial trial);

/// The reason that `taken` was taken: its seconds are compared with those of each trial. `taken`: the value
/// of one of the trials.
plan::Reason reasonOf(plan::Decision decision, const std::string &taken, plan::Basis basis, Trials trials);

} // namespace windlass
