// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- StageCosts.h - costs of layers for the cut of a pipeline ==============//
//
// Duty: builds the problem of the cut (planning/StageCut) from a dist module in which every layer is a stage
// of its own. Of each layer: the seconds of its kernels in a micro-batch, and the bytes that its backward
// pass reads of forward passes. Two layers are joined if they are repeated together (recompute "every:N"),
// for then the upper one reads what the lower one repeats, and only gradients go down between stages; or if
// the gradients of the lower one need values of a later layer, which would have to go down. Homes of states
// are not part of the problem: each stage may place them on other tiers.
// Units: seconds, bytes of a rank and micro-batch. Threads, ownership: as MLIR's.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/BuiltinOps.h"
#include "model/Machine.h"
#include "planning/StageCut/StageCutProblem.h"

namespace windlass {

/// `slots`: by stage (or part of the model), the micro-batches whose values it keeps at a time.
planning::StageCutProblem describeStageCut(mlir::ModuleOp layers, const std::vector<int64_t> &slots,
                                           const model::Machine &machine);

} // namespace windlass
