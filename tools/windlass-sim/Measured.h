// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Measured.h - compares a simulated step with a run =====================//
//
// Duty: joins the timeline of a run (windlass-run --trace) with the simulated one, instruction by
// instruction and rank by rank, and sums both by kind: lane and instruction, or kernel for a launch. What a
// rank does not execute, because another owns it, is left out. Units: seconds of wall time, mean over all
// ranks. Errors: BadInput for a file that is no timeline, or of another plan. Threads: pure functions.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "model/Simulator.h"
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace windlass::sim {

struct ComparedKind {
  std::string lane, kind;
  int64_t instructions = 0; ///< that were executed, of all ranks
  double predicted = 0, measured = 0;
};

struct Comparison {
  std::vector<ComparedKind> kinds;            ///< the longest measured first
  double predictedStep = 0, measuredStep = 0; ///< from the first start to the last end
};

Result<Comparison> compare(const plan::Plan &plan, const model::Simulation &simulation,
                           const std::string &runTrace);
std::string describe(const Comparison &comparison);
nlohmann::ordered_json toJson(const Comparison &comparison);

} // namespace windlass::sim
