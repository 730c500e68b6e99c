// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- PipelineWords.h - effects of decisions on stages ======================//
//
// Duty: describes the schedule, lags and cut of a pipeline, and what each stage of a plan holds because of
// them. Threads: pure function.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/plan/Plan.h"
#include <nlohmann/json.hpp>
#include <string>

namespace windlass::dump {

/// `path`: of a decision, as in strategies; `value`: from the record. Empty for other decisions.
std::string pipelineWords(const plan::Plan &plan, const std::string &path,
                          const nlohmann::ordered_json &value);

} // namespace windlass::dump
