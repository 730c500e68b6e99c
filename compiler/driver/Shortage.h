// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Shortage.h - what a machine lacks ===================================//
//
// Duty: the refusal of a machine that cannot hold a model. Plans for larger and larger machines until one
// fits, so that the change it quotes, the smallest of one tier or of several together, does fit. Units:
// bytes; of one rank, but for the capacities quoted, which are those of the hardware file. Errors: the
// refusal (CannotFit) itself; other failures of a plan as they are.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "model/Machine.h"
#include <functional>

namespace windlass {

/// What is asked of a plan: the best there is, or only whether one fits.
enum class Ask { Best, WhetherItFits };

/// A planned module for a machine, made in one of some ways, or CannotFit.
using PlanFor =
    std::function<Result<mlir::OwningOpRef<mlir::ModuleOp>>(const model::Machine &, size_t way, Ask)>;

/// `ways`: how many there are, those that need least first. `everything`: bytes that no tier ever needs more
/// of. `otherwise`: asked what to say if no growth helps.
Status describeShortage(const model::Machine &machine, int64_t everything, size_t ways,
                        const PlanFor &planFor, const std::function<Status()> &otherwise);

} // namespace windlass
