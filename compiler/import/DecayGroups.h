// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- DecayGroups.h - how strongly each parameter decays ==================//
//
// Duty: where a training file says by name how strongly parameters decay, puts each that is trained into the
// group of its factor, and gives layers with other groups functions of their own.
// Errors: BadInput: a name that patterns of different factors match.
// Threads, ownership: as MLIR's.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/training/TrainingFile.h"
#include "mlir/IR/BuiltinOps.h"

namespace windlass {

Status groupByDecay(mlir::ModuleOp module, const WeightDecay &decay);

} // namespace windlass
