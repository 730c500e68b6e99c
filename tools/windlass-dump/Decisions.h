// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Decisions.h - a plan's decisions by path ==============================//
//
// Duty: reads the decisions of a plan under the names of `--explain` and `--diff`.
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

/// The decisions of the plan's record by their paths: "zero_stage", "prefetch.cg". Empty if the record cannot
/// be read.
std::map<std::string, nlohmann::ordered_json> decisionsOf(const plan::Plan &plan);

} // namespace windlass::dump
