// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Emit.h - plan dialect -> plan =========================================//
//
// Duty: converts modules of the plan level to the plan's structs: arenas, buffers, states, kernels, sections.
// The caller sets the fields that the IR does not have (training facts, prediction). Errors: Status names the
// op that cannot be emitted. Threads, ownership: reads the module; the plan is a value.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/BuiltinOps.h"
#include "runtime/base/Status.h"
#include "runtime/plan/Plan.h"

namespace windlass {

/// Sets the programs and kernels of `plan`, whose mesh must be set: a program for the module of each stage of
/// the pipeline, with equally many ranks; for a single module, one program of all ranks.
Status emitPlan(llvm::ArrayRef<mlir::ModuleOp> stages, plan::Plan &plan);

} // namespace windlass
