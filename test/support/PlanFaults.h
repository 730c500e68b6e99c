// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- PlanFaults.h - ways to break a sound plan ===========================//
//
// Duty: faults of each kind, aimed at one instruction, drawn from a generator.
// They are faults of order, memory, size, of states and of the contract with the
// training loop: what a planner can get wrong. A plan that takes one valid value for another is sound and
// computes something else; the compiler's own tests are there for that. Threads: pure functions.
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
  /// Breaks `plan` at an instruction; false where the kind does not apply there.
  bool (*apply)(plan::Plan &plan, plan::Section &section, size_t instruction, std::mt19937_64 &random);
};

std::span<const FaultKind> faultKinds();

} // namespace windlass::test
