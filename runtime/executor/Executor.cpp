// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/executor/Executor.h"
#include "runtime/executor/ConcurrentExecutor.h"
#include "runtime/executor/ReferenceExecutor.h"
#include "runtime/plan/check/Checker.h"

namespace windlass {

Result<std::unique_ptr<Executor>> Executor::create(const plan::Plan &plan, const ExecutorOptions &options) {
  WINDLASS_TRY(checkPlan(plan));
  Result<ExecutorParts> parts = ExecutorParts::create(plan, options, {});
  if (!parts)
    return parts.status();
  return options.reference || options.checkKernels ? ReferenceExecutor::create(parts.take())
                                                   : ConcurrentExecutor::create(parts.take());
}

} // namespace windlass
