// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- PlanWriter.h - plan.json from a Plan ==================================//
//
// Duty: the text of a plan and the file that holds it. Equal plans give equal
// bytes: fixed key order, no times, numbers that read back to the same bits.
// Errors: a folder that cannot be made or written is bad input; a number that
// JSON cannot hold is our fault. Nothing half-written remains.
// Threads: pure function; writePlan may run for different folders at once.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/base/Status.h"
#include "runtime/plan/Plan.h"
#include <string>

namespace windlass::plan {

inline constexpr const char *kPlanFile = "plan.json";

/// The text of plan.json, one instruction a line, closed by its hash (PlanHash.h).
Result<std::string> printPlan(const Plan &plan);

/// Writes `folder`/plan.json, making the folder where there is none.
Status writePlan(const Plan &plan, const std::string &folder);

} // namespace windlass::plan
