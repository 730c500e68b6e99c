// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- PipelineWords.h - what decisions about stages come to ===============//
//
// Duty: of schedule, lag and cut of a pipeline, what they mean and what each stage of a plan holds by them.
// Threads: pure function.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/plan/Plan.h"
#include <nlohmann/json.hpp>
#include <string>

namespace windlass::dump {

/// `path`: of a decision, as strategies spell it; `value`: what the record says. Empty for other decisions.
std::string pipelineWords(const plan::Plan &plan, const std::string &path,
                          const nlohmann::ordered_json &value);

} // namespace windlass::dump
