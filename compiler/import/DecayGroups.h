// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- DecayGroups.h - weight decay of each parameter ========================//
//
// Duty: applies the weight decays that a training file gives for names of parameters: puts each trained
// parameter into the group of its decay, and gives layers whose parameters are in other groups functions of
// their own. Errors: BadInput: a name that patterns of different factors match. Threads, ownership: as
// MLIR's.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/training/TrainingFile.h"
#include "mlir/IR/BuiltinOps.h"

namespace windlass {

Status groupByDecay(mlir::ModuleOp module, const WeightDecay &decay);

} // namespace windlass
