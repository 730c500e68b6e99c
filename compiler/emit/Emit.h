// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Emit.h - plan dialect -> plan =======================================//
//
// Duty: turns a module of the plan level into the plan's structs: arenas, buffers,
// states, kernels, sections. What the IR does not know (training facts, prediction)
// its caller fills in.
// Errors: Status names the op that cannot be emitted.
// Threads, ownership: reads the module; the plan is a value.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/BuiltinOps.h"
#include "runtime/base/Status.h"
#include "runtime/plan/Plan.h"

namespace windlass {

/// Fills the programs and kernels of `plan`, whose mesh must be set: a program for the module of each stage
/// of the pipeline, of as many ranks each; one, of all ranks, where there is one module.
Status emitPlan(llvm::ArrayRef<mlir::ModuleOp> stages, plan::Plan &plan);

} // namespace windlass
