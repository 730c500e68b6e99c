// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Decisions.h - the plan's record of decisions, by path ===============//
//
// Duty: what was decided, as `--explain` and `--diff` call it.
// Threads: pure functions of a well-formed plan.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/plan/Plan.h"
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace windlass::dump {

/// The decisions of the plan's record by their paths: "zero_stage", "prefetch.cg"; none where it is no
/// record.
std::map<std::string, nlohmann::ordered_json> decisionsOf(const plan::Plan &plan);

} // namespace windlass::dump
