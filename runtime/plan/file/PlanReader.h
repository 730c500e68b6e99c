// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- PlanReader.h - a Plan from plan.json ==================================//
//
// Duty: reads plans of this version and refuses everything else: other
// versions, content that lost its hash, unknown keys, wrong types, numbers out of
// range, indices to nothing.
// A plan that was read is well formed (WellFormed.h); whether it is sound is
// the checker's question (Checker.h).
// Errors: bad input, naming the file, the place and the value found.
// Threads: pure functions.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/base/Status.h"
#include "runtime/plan/Plan.h"
#include <string>

namespace windlass::plan {

/// Whether the last line of the file must be the hash of the others (PlanHash.h).
enum class HashRule { Required, Ignored };

/// Reads `folder`/plan.json.
Result<Plan> readPlan(const std::string &folder, HashRule rule = HashRule::Required);

/// Reads a plan from the text of a plan.json; `file` is its name in messages.
Result<Plan> parsePlan(const std::string &text, const std::string &file, HashRule rule = HashRule::Required);

} // namespace windlass::plan
