// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- PlanFaults.h - ways to break a sound plan =============================//
//
// Duty: makes faults of many kinds at an instruction, drawn from a generator: faults of order, memory, sizes,
// states, and of the contract with the training loop. A planner could make such faults. A plan with another
// valid value is sound and computes something else; the tests of the compiler are there for that. Threads:
// pure functions.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/plan/Plan.h"
#include <cstddef>
#include <random>
#include <span>
#include <string_view>

namespace windlass::test {

struct FaultKind {
  std::string_view name;
  /// Breaks `plan` at an instruction. Returns false, and leaves the plan, if the kind does not apply there.
  bool (*apply)(plan::Plan &plan, plan::Section &section, size_t instruction, std::mt19937_64 &random);
};

std::span<const FaultKind> faultKinds();

} // namespace windlass::test
