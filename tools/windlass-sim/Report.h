// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Report.h - the report of a simulated step as text and JSON ============//
//
// Duty: the report of a step (model/StepReport.h) as lines and tables, and as JSON with all digits.
// Threads: pure functions.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "model/StepReport.h"
#include <nlohmann/json.hpp>
#include <string>

namespace windlass::sim {

std::string describe(const plan::Plan &plan, const model::Machine &machine, const model::StepReport &report);
nlohmann::ordered_json toJson(const plan::Plan &plan, const model::Machine &machine,
                              const model::StepReport &report);

} // namespace windlass::sim
