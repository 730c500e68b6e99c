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

/// Fills arenas, buffers, states, kernels and sections of `plan`; its mesh must be set.
Status emitPlan(mlir::ModuleOp module, plan::Plan &plan);

} // namespace windlass
