// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Agreement.h - one plan, two executors, the same bytes =================//
//
// Duty: runs three training steps and an evaluation of a plan on two executors. Expects the same states,
// arenas, reports and counters from both, and equal copies of a state on all ranks that hold it. Threads:
// one. Errors: failures of GoogleTest.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/backend/Backend.h"
#include "runtime/executor/Executor.h"
#include <functional>
#include <memory>

namespace windlass::test {

/// One of the two sides.
struct Contestant {
  ExecutorOptions options;
  std::function<std::unique_ptr<Backend>()> backend; ///< empty: the backend that the plan names
  /// The plan in another form of the same layout; null: the plan itself.
  const plan::Plan *plan = nullptr;
};

/// Makes the executor of a side. Returns null, and fails the test, on an error.
std::unique_ptr<Executor> open(const plan::Plan &plan, const Contestant &contestant);
/// Fills the states of every rank with random values: the same on every executor, and on all ranks that hold
/// copies.
void initialise(const plan::Plan &plan, Executor &executor);
void expectAgreement(const plan::Plan &plan, const Contestant &one, const Contestant &other);

} // namespace windlass::test
