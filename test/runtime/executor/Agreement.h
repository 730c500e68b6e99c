// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Agreement.h - one plan, two executors, the same bytes ==============//
//
// Duty: runs a plan for some steps on two executors and expects the same states, arenas, reports and
// counters, and copies of a state alike on all ranks that hold them. Threads: one; failures are those of
// GoogleTest.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/backend/Backend.h"
#include "runtime/executor/Executor.h"
#include <functional>
#include <memory>

namespace windlass::test {

/// How one side is made.
struct Contestant {
  ExecutorOptions options;
  std::function<std::unique_ptr<Backend>()> backend; ///< empty: the one the plan names
  const plan::Plan *plan = nullptr; ///< the same in a form of its own, of the same layout; null: as it is
};

/// Null, with a failure, where it cannot be made.
std::unique_ptr<Executor> open(const plan::Plan &plan, const Contestant &contestant);
/// Every rank starts from its own bytes, the same ones for every executor.
void initialise(const plan::Plan &plan, Executor &executor);
void expectAgreement(const plan::Plan &plan, const Contestant &one, const Contestant &other);

} // namespace windlass::test
