// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- StageCosts.h - what the layers cost that a pipeline is cut between ==//
//
// Duty: makes the problem of the cut from a dist module of which every layer is a stage of its own: seconds
// of its kernels in a micro-batch, bytes that its backward pass reads of forward passes, and which layers are
// repeated together (recompute "every:N"), for then the upper ones read in their backward pass what the
// lower ones repeat, and gradients alone go from stage to stage there; or need for their gradients what later
// layers make, which would have to go down. Homes of states are no part of it: each stage may place them on
// other tiers. Units: seconds, bytes of a rank and micro-batch. Threads, ownership: as MLIR's.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/BuiltinOps.h"
#include "model/Machine.h"
#include "planning/StageCut/StageCutProblem.h"

namespace windlass {

/// `slots`: of each stage, or part of the model, that layers are to be joined to.
planning::StageCutProblem describeStageCut(mlir::ModuleOp layers, const std::vector<int64_t> &slots,
                                           const model::Machine &machine);

} // namespace windlass
