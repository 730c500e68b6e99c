// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- CheckStates.h - every state has a home of its own =====================//
//
// Duty: of a program, a home is a slice of a persistent buffer, as large as the piece or the
// padded unit; homes of different units or classes share no byte, nor do the
// tensors within a unit.
// Threads: pure function of a well-formed plan.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/plan/Plan.h"
#include "runtime/plan/check/Findings.h"
#include <string_view>

namespace windlass::plan {

/// The group of states that batches change, and no optimizer: running statistics.
inline constexpr std::string_view kStatisticsGroup = "statistics";

/// "state \"wte\" (param)", as findings name it.
std::string nameOf(const State &state);

void checkStates(const Plan &plan, const Program &program, Findings &findings);

} // namespace windlass::plan
