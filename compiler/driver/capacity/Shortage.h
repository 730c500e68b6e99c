// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Shortage.h - what a machine lacks =====================================//
//
// Duty: writes the refusal of a machine that cannot hold a model. The refusal quotes the smallest growths of
// the machine with which a plan fits (SmallestGrowth.h), and names what then fills the tier that is short.
// Units: bytes of one rank; capacities that are quoted are those of the hardware file. Errors: CannotFit, the
// refusal itself; other failures of a plan as they are.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "model/Machine.h"
#include <functional>

namespace windlass {

/// Plans some candidates for any machine. Candidates that need less memory come first.
struct PlanOracle {
  size_t candidates = 0;
  /// A bound. False: no plan of the candidate fits the machine.
  std::function<Result<bool>(const model::Machine &, size_t candidate)> mayFit;
  /// The first plan of the candidate that fits, as a module; or CannotFit.
  std::function<Result<mlir::OwningOpRef<mlir::ModuleOp>>(const model::Machine &, size_t candidate)> plan;
};

/// `everything`: an upper bound of the bytes on any tier. `otherwise`: the refusal if no growth helps.
Status describeShortage(const model::Machine &machine, int64_t everything, const PlanOracle &oracle,
                        const std::function<Status()> &otherwise);

} // namespace windlass
