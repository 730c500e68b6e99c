// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Shortage.h - what a machine lacks ===================================//
//
// Duty: the refusal of a machine that cannot hold a model. Quotes the smallest changes that would fit
// (SmallestGrowth.h), and what fills the tier that is short then. Units: bytes; of one rank, but for the
// capacities quoted, which are those of the hardware file. Errors: the refusal (CannotFit) itself; other
// failures of a plan as they are.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "model/Machine.h"
#include <functional>

namespace windlass {

/// How plans are made for a machine: in one of some ways, those that need least first.
struct PlanWays {
  size_t count = 0;
  /// Soon said; "no" is certain.
  std::function<Result<bool>(const model::Machine &, size_t way)> mayFit;
  /// A planned module, the first that fits, or CannotFit.
  std::function<Result<mlir::OwningOpRef<mlir::ModuleOp>>(const model::Machine &, size_t way)> plan;
};

/// `everything`: bytes that no tier ever needs more of. `otherwise`: asked what to say if no growth helps.
Status describeShortage(const model::Machine &machine, int64_t everything, const PlanWays &ways,
                        const std::function<Status()> &otherwise);

} // namespace windlass
