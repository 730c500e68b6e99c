// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Compile.h - from a model file to a plan ===============================//
//
// Duty: runs the phases of `windlass-compile` in order: import, graph, dist, flow, plan, emit, check,
// predict. For decisions that are left open, a search takes the candidate that is simulated as fastest among
// those that fit the machine.
// Errors: BadInput (a file), CannotFit (the machine; the message says what would fit), Internal (a fault of
// the compiler, with the diagnostics). Threads: one call at a time per CompileRequest; calls with different
// requests may run at once.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/driver/inputs/CompileRequest.h"
#include "runtime/base/Status.h"
#include "runtime/plan/Plan.h"
#include <string>
#include <vector>

namespace windlass {

/// The words of the backends that a plan can be made for: "cpu", "cuda".
std::vector<std::string> backends();
/// The CPUs that a plan can be made for, narrower ones first.
std::vector<std::string> targetCpus();

/// Compiles, checks and writes the plan.
Result<plan::Plan> compile(const CompileRequest &request);

} // namespace windlass
